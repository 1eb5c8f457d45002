// The refusals that the listener itself makes, and the refusal that a client gets for a fault.

import { Fault } from '../domain/fault.ts';
import { Refusal, storageFull } from '../domain/refusal.ts';

export class MethodNotAllowed extends Refusal {
  /** The value of the header `Allow`. */
  readonly allowed: string;

  constructor(method: string, allowed: string) {
    super('MethodNotAllowed', `This address does not support ${method}.`, { hint: `It supports ${allowed}.` });
    this.allowed = allowed;
  }
}

export function malformed(message: string): Refusal {
  return new Refusal('MalformedRequest', message);
}

export function invalidHeader(name: string, problem: string): Refusal {
  return new Refusal('InvalidHeader', `The header ${name} ${problem}.`, { target: name });
}

export function shuttingDown(): Refusal {
  return new Refusal('ShuttingDown', 'The service is stopping. Nothing was saved.', { retryAfterSeconds: 5 });
}

/** The refusal that a client gets for any other error. */
export function toRefusal(error: unknown): Refusal {
  if (!(error instanceof Fault)) return internalError();
  if (error.kind === 'full') return storageFull();
  return error.kind === 'unavailable' ? storageUnavailable() : internalError();
}

function storageUnavailable(): Refusal {
  return new Refusal('StorageUnavailable', 'The storage cannot be reached right now. Nothing was saved.', {
    retryAfterSeconds: 5,
  });
}

function internalError(): Refusal {
  return new Refusal(
    'InternalError',
    'Something went wrong on our side. Nothing was changed, or the change is whole.',
    {
      hint: 'Try again. If it keeps failing, send your administrator the RequestTrackingId.',
    },
  );
}
