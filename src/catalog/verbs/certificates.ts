// Client certificates of applications, for mutual TLS.

import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { insert, note, type Origin, returningRow, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { type ApplicationRef, requireApplication } from './applications.ts';

const intoCertificates = insertInto('certificates', 'thumbprint app_key subject not_after added_at');

export interface NewCertificate {
  /** SHA-256 of the leaf's DER, base64url. */
  thumbprint: string;
  subject: string;
  notAfter: number;
}

export interface Certificate extends NewCertificate {
  addedAt: number;
}

export function* insertCertificate(
  input: Origin,
  space: number | null,
  appKey: string,
  { thumbprint, subject, notAfter }: NewCertificate,
): Verb<void> {
  if ((yield* row(sql`SELECT app_key FROM certificates WHERE thumbprint = ${thumbprint}`)) !== undefined) {
    throw new Refusal('NameAlreadyExists', 'This certificate is registered already.', {
      target: 'Certificate',
      hint: 'A certificate belongs to one application; remove it from the one that has it first.',
    });
  }
  yield* insert(intoCertificates, [thumbprint, appKey, subject, notAfter, input.at]);
  yield* note(input, space, 'certificate.added', appKey, { thumbprint, subject });
}

export interface AddCertificate extends Origin, ApplicationRef {
  certificate: NewCertificate;
}

export const addCertificate = write(
  { space: ({ space }) => space ?? noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* addCertificate(input: AddCertificate): Verb<Certificate> {
    const { appKey, kind, name, access } = yield* requireApplication(input);
    if (kind !== 'server') {
      throw new Refusal('InvalidField', `The application ${name} is of kind client; those use no certificates.`);
    }
    yield* insertCertificate(input, access?.space ?? null, appKey, input.certificate);
    return { ...input.certificate, addedAt: input.at };
  },
);

export interface RemoveCertificate extends Origin, ApplicationRef {
  thumbprint: string;
  /** Whether to refuse removing the last certificate, so that an application cannot lock itself out. */
  isOneKept: boolean;
}

export const removeCertificate = write(
  { space: ({ space }) => space ?? noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* removeCertificate(input: RemoveCertificate): Verb<Certificate> {
    const { appKey, access, certificates } = yield* requireApplication(input);
    if (input.isOneKept && certificates.every((known) => known === input.thumbprint)) {
      throw new Refusal('Forbidden', 'An application cannot remove its own last certificate.', {
        hint: 'Add the next one first, or have another application, a manager or the operator remove it.',
      });
    }
    const removed = yield* returningRow<CertificateRow>(
      sql`DELETE FROM certificates WHERE app_key = ${appKey} AND thumbprint = ${input.thumbprint}
        RETURNING thumbprint, subject, not_after, added_at`,
    );
    if (removed === undefined) {
      throw new Refusal('CertificateNotFound', 'The application has no certificate with this thumbprint.', {
        target: 'Thumbprint',
      });
    }
    yield* note(input, access?.space ?? null, 'certificate.removed', appKey, { thumbprint: input.thumbprint });
    return toCertificate(removed);
  },
);

/** The AppKey of the application that has this certificate; null: none. */
export const findCertificateOwner = read(
  {},
  function* findCertificateOwner({ thumbprint }: { thumbprint: string }): Verb<string | null> {
    const found = yield* row<{ app_key: string }>(
      sql`SELECT app_key FROM certificates WHERE thumbprint = ${thumbprint}`,
    );
    return found?.app_key ?? null;
  },
);

export const listCertificates = read({}, function* listCertificates(input: ApplicationRef): Verb<Certificate[]> {
  const { appKey } = yield* requireApplication(input);
  const found = yield* rows<CertificateRow>(
    sql`SELECT thumbprint, subject, not_after, added_at FROM certificates WHERE app_key = ${appKey}
      ORDER BY added_at, thumbprint`,
  );
  return found.map(toCertificate);
});

interface CertificateRow {
  thumbprint: string;
  subject: string;
  not_after: number;
  added_at: number;
}

function toCertificate({ thumbprint, subject, not_after: notAfter, added_at: addedAt }: CertificateRow): Certificate {
  return { thumbprint, subject, notAfter, addedAt };
}
