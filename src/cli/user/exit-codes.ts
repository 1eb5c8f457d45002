// How commands for people end: the exit codes, and the errors that are ours. docs/command-line.md lists the codes.

export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  notSignedIn: 3,
  notFound: 4,
  notAllowed: 5,
  unreachable: 6,
  inPart: 7,
  interrupted: 130,
} as const;

/** The words of the command make no sense together. */
export class WrongUse extends Error {
  readonly code = 'WrongUse';
}

export class NotSignedIn extends Error {
  readonly code = 'NotSignedIn';
}

/** Something on this machine does not let it be done. */
export class LocalProblem extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Ctrl-C, or being told to end. */
export class Interrupted extends Error {
  readonly code = 'Interrupted';

  constructor() {
    super('Stopped. Run the same command again: it goes on where it was.');
  }
}
