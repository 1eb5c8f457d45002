// A document whose text cannot be had; the message says why and is shown to operators.

export class Unreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreadable';
  }
}
