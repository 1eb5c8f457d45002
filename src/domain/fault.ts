// What goes wrong on our side. Callers see `InternalError` (or `StorageFull`, `StorageUnavailable`) and a tracking id; the log has the rest.

/** `full`: no space left, may be tried again. `fatal`: what was written may not be on the disk, so nothing more may be
 *  promised by this store. `unavailable`: the store cannot be reached, may be tried again. `unsure`: the connection to the
 *  store was lost while it committed, so what was asked may be done or not. `other`: this one request failed. */
export type FaultKind = 'full' | 'fatal' | 'unavailable' | 'unsure' | 'other';

/** As it crosses from thread to thread. */
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
