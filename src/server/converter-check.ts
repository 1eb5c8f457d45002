// Says at the start whether the converter of office documents can be used, and how it is kept from everything else.

import { access, constants } from 'node:fs/promises';
import { findIsolation, type Isolation } from '../previews/isolation.ts';

interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

const effects: Record<Isolation, string> = {
  sandbox: 'by bubblewrap: it has no network, and sees no data, settings and processes of this machine',
  namespaces: 'from the network only. Install bubblewrap, so that it cannot read files of the service either',
  none: 'by nothing but limits: it can reach the network and whatever files the service can. Install bubblewrap',
};

export async function checkConverter(program: string | null, log: Log): Promise<void> {
  if (program === null) return;
  const isThere = await access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    log.warn({ program }, 'The program of CABINET_OFFICE_CONVERTER cannot be run. Office documents have no previews.');
    return;
  }
  const isolation = await findIsolation(program);
  const level = isolation === 'sandbox' ? 'info' : 'warn';
  log[level](
    { program, isolation },
    `Office documents are converted by a program that is isolated ${effects[isolation]}.`,
  );
}
