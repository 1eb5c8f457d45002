// A document whose text cannot be extracted; operators see the message.

export class Unreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreadable';
  }
}
