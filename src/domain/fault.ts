// Failures of the service. Callers see `InternalError` (or `StorageFull`, `StorageUnavailable`) and a tracking id; the log has the rest.

/** `full`: no space left; may be retried. `fatal`: what was written may not be on the disk, so this store must not confirm
 *  anything more. `unavailable`: the store cannot be reached; may be retried. `unsure`: the connection to the
 *  store was lost during COMMIT, so the write may have happened or not. `other`: only this request failed. */
export type FaultKind = 'full' | 'fatal' | 'unavailable' | 'unsure' | 'other';

/** A fault as plain data, so that it can cross a thread. */
export interface PlainFault {
  kind: FaultKind;
  message: string;
}

export class Fault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Fault';
    this.kind = kind;
  }
}
