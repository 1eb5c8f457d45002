// Exit codes of the user commands, and the errors that lead to them. docs/command-line.md lists the codes.

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

/** Usage error: the arguments are wrong. */
export class UsageError extends Error {
  readonly code = 'WrongUse';
}

export class NotSignedIn extends Error {
  readonly code = 'NotSignedIn';
}

/** Something on this machine prevents it. */
export class LocalError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Ctrl-C or a signal to terminate. */
export class Interrupted extends Error {
  readonly code = 'Interrupted';

  constructor({ canResume }: { canResume: boolean }) {
    super(canResume ? 'Stopped. Run the same command again to resume.' : 'Stopped.');
  }
}
