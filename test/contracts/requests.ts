// What tests ask of a catalog, filled in except for what a test is about.

import { hash, randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { AddApplication } from '../../src/catalog/verbs/add-application.ts';
import type { Application } from '../../src/catalog/verbs/applications.ts';
import type { CreateFolder } from '../../src/catalog/verbs/create-folder.ts';
import type { SaveFile } from '../../src/catalog/verbs/save-file.ts';
import type { StoredContent } from '../../src/catalog/verbs/stored-content.ts';
import { toNameKey } from '../../src/domain/name.ts';
import { Refusal, type RefusalCode } from '../../src/domain/refusal.ts';

export function inline(bytes: Uint8Array): StoredContent {
  const sha256 = new Uint8Array(hash('sha256', bytes, 'buffer'));
  return { sha256, sizeBytes: bytes.byteLength, bytes: new Uint8Array(bytes), blob: null, checksums: null };
}

export function asBlob(bytes: Uint8Array): StoredContent {
  return { ...inline(bytes), bytes: null, blob: randomBytes(16).toString('hex'), checksums: new Uint8Array(4) };
}

/** When, by whom and by which request. */
export const what = { at: 1_700_000_000_000, by: 'operator', request: randomUUID() };

/** An application with the space that it is registered into. */
export interface Registered extends Application {
  space: number;
  rootId: string;
}

export async function addApplication(
  catalog: Catalog,
  name: string,
  space: string | null = null,
  more: Partial<AddApplication> = {},
): Promise<Registered> {
  const application = await catalog.addApplication({
    appKey: `ak_${name}`,
    name,
    kind: 'client',
    scopes: ['content.read'],
    secretSha256: hash('sha256', name),
    redirectUris: null,
    certificates: [],
    isForPeopleOnly: false,
    asksConsent: false,
    space,
    spaceId: randomUUIDv7(),
    rootId: randomUUIDv7(),
    ...what,
    ...more,
  });
  if (application.access === null) throw new Error('it was registered into no space');
  return { ...application, space: application.access.space, rootId: application.access.rootId };
}

export function folderIn({ space, rootId }: Registered, name: string, more: Partial<CreateFolder> = {}): CreateFolder {
  return {
    space,
    parent: rootId,
    id: randomUUIDv7(),
    name,
    nameKey: toNameKey(name),
    objectType: null,
    properties: null,
    conflict: 'Fail',
    idempotency: null,
    ...what,
    by: 'app:contract',
    ...more,
  };
}

/** `a/b/c` beneath the root. */
export function pathIn(application: Registered, path: string, more: Partial<CreateFolder> = {}): CreateFolder {
  const names = path.split('/');
  const way = names.slice(0, -1).map((name) => ({ id: randomUUIDv7(), name, nameKey: toNameKey(name) }));
  return folderIn(application, names.at(-1) ?? '', { way, conflict: 'Existing', ...more });
}

export function fileIn({ space, rootId }: Registered, name: string, more: Partial<SaveFile> = {}): SaveFile {
  return {
    space,
    folder: rootId,
    id: randomUUIDv7(),
    name,
    nameKey: toNameKey(name),
    contentType: 'text/plain',
    isContentTypeDeclared: true,
    objectType: null,
    properties: null,
    content: inline(Buffer.from(name)),
    comment: null,
    keptVersions: null,
    conflict: 'Version',
    idempotency: null,
    ...what,
    by: 'app:contract',
    ...more,
  };
}

export function refuses(code: RefusalCode): (error: unknown) => boolean {
  return (error) => error instanceof Refusal && error.code === code;
}
