// Every way in which a call fails: one class, distinguished by `code`. An aborted call fails with the reason of its signal.

import type { Entry, ErrorAnswer } from './description.ts';

/** What the service answers with, and what can go wrong on this side:
 *  - `Unreachable`: no answer, after all retries;
 *  - `UnexpectedAnswer`: something answered that is not Cabinet, a proxy for one;
 *  - `TokenRefused`: the issuer gave no token for these credentials. */
export type ErrorCode = ErrorAnswer['Error']['Code'] | 'Unreachable' | 'UnexpectedAnswer' | 'TokenRefused';

interface ErrorDetails {
  status?: number | undefined;
  target?: string | undefined;
  hint?: string | undefined;
  conflicts?: Entry[] | undefined;
  trackingId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Why a call failed. `message` is for people, `code` for programs. */
export class CabinetError extends Error {
  readonly code: ErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The field or header at fault, by its wire name. */
  readonly target: string | undefined;
  /** What to send instead. */
  readonly hint: string | undefined;
  /** The entries that are in the way. */
  readonly conflicts: Entry[];
  /** Names the request in the logs of the service. */
  readonly trackingId: string | undefined;
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'CabinetError';
    this.code = code;
    this.status = details.status ?? 0;
    this.target = details.target;
    this.hint = details.hint;
    this.conflicts = details.conflicts ?? [];
    this.trackingId = details.trackingId;
    this.retryAfter = details.retryAfter;
  }
}

/** Whether a call failed in this way: `if (hasCode(error, 'NameAlreadyExists')) …`. */
export function hasCode(error: unknown, ...codes: ErrorCode[]): error is CabinetError {
  return error instanceof CabinetError && codes.includes(error.code);
}

/** The error in an answer. Reads its body. */
export async function toError(response: Response): Promise<CabinetError> {
  const text = await response.text().catch(() => '');
  const { status } = response;
  const trackingId = response.headers.get('requesttrackingid') ?? undefined;
  const retryAfter = readRetryAfter(response);
  const answer = readErrorAnswer(text);
  if (answer === null) {
    const message = `The answer, with status ${status}, is not from Cabinet: ${text.slice(0, 200) || 'empty'}`;
    return new CabinetError('UnexpectedAnswer', message, { status, trackingId, retryAfter });
  }
  return toCabinetError(answer, { status, retryAfter });
}

/** The error of one item, or of a whole answer, as the service describes it. */
export function toCabinetError(answer: ErrorAnswer['Error'], details: ErrorDetails = {}): CabinetError {
  return new CabinetError(answer.Code, answer.Message, {
    ...details,
    target: answer.Target,
    hint: answer.Hint,
    conflicts: answer.Conflicts,
    trackingId: answer.RequestTrackingId,
  });
}

function readErrorAnswer(text: string): ErrorAnswer['Error'] | null {
  try {
    const { Error: error } = JSON.parse(text) as Partial<ErrorAnswer>;
    return typeof error?.Code === 'string' && typeof error.Message === 'string' ? error : null;
  } catch {
    return null;
  }
}

function readRetryAfter({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
