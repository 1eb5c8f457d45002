// Backups that somebody changed: names that lead out of their folder, links, files beside the catalog, and changes that were signed
// again. Each must be refused by `restore` and by `restore --check`, and nothing may be written elsewhere.

import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { saveFile } from '../interface/client.ts';
import { cabinet, cabinetJson } from '../service/here.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { tally } from './tally.ts';

interface File {
  Path: string;
  To: string | null;
  Size: number;
  Sha256: string;
}
interface Manifest {
  MadeAt: string;
  Environments: { Name: string; Snapshot: string; Files: File[]; Contents: number }[];
  Configuration: File[];
  Signature?: object;
  Digest?: string;
}
interface Shown {
  Restored: boolean;
  Signature: string;
  SignedBy: string | null;
}

const dataFolder = makeDataFolder();
const base = dirname(dataFolder);
const original = join(base, 'backup');
const tampered = join(base, 'tampered');
const elsewhere = join(base, 'elsewhere');

before(async () => {
  const service = await startServiceHere(dataFolder);
  const caller = await addCaller(dataFolder, service.production, 'app');
  await saveFile(caller, { FolderId: '', FileName: 'large.bin' }, Buffer.alloc(200_000, 7));
  await service.stop();
  await cabinetJson(dataFolder, ['backup', original]);
});

after(() => removeDataFolder(dataFolder));

function copyBackup(): void {
  for (const folder of [tampered, elsewhere]) rmSync(folder, { recursive: true, force: true });
  cpSync(original, tampered, { recursive: true });
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'mine'), 'x');
}

/** Changes the manifest, and computes its digest again. The signature is left out: anyone can do that. */
function edit(change: (manifest: Manifest) => void): void {
  const path = join(tampered, 'manifest.json');
  const { Digest: _, Signature: __, ...manifest } = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  change(manifest);
  writeFileSync(path, JSON.stringify({ ...manifest, Digest: hash('sha256', JSON.stringify(manifest)) }));
}

/** Adds a file with the right size and digest. */
function plant(Path: string, To: string | null): void {
  const text = 'ssh-ed25519 AAAA attacker';
  edit(({ Environments: [first] }) => {
    const stored = `production/${first?.Snapshot}/planted`;
    writeFileSync(join(tampered, stored), text);
    first?.Files.push({ Path: Path === '' ? stored : Path, To, Size: text.length, Sha256: hash('sha256', text) });
  });
}

function fileOf({ Environments: [first] }: Manifest, name: string): File {
  return first?.Files.find(({ Path }) => Path.endsWith(name)) as File;
}

async function assertRefused(message: RegExp): Promise<void> {
  const target = join(base, 'target');
  const before = readdirSync(base).sort();
  for (const options of [['--check'], [], ['--accept-damage']]) {
    const { code, stderr } = await cabinet(target, ['restore', tampered, ...options]);
    assert.equal(code, 1);
    assert.match(stderr, message);
    tally('tampered backups');
  }
  assert.ok(!existsSync(join(target, 'production')), 'nothing is restored');
  rmSync(target, { recursive: true, force: true });
  assert.deepEqual(readdirSync(base).sort(), before, 'nothing is written elsewhere');
  assert.deepEqual(readdirSync(elsewhere), ['mine']);
}

const shown = async (folder: string, ...words: string[]) => await cabinetJson<Shown>(folder, ['restore', ...words]);

describe('names that lead elsewhere', () => {
  const places = [
    '../../elsewhere/authorized_keys',
    '/tmp/cabinet-planted',
    'production/../../elsewhere/authorized_keys',
    'production/certificates/../../../elsewhere/authorized_keys',
    'production/journal/../../../elsewhere/1-2.jsonl.gz',
    'production/planted',
    'test/keys.json',
    'production/blobs/ab/abababababababababababababababab',
    'complete',
  ];
  for (const to of places) {
    it(`refuses To ${to}`, async () => {
      copyBackup();
      plant('', to);
      await assertRefused(/not one that a backup of Cabinet can have/);
    });
  }

  const changes: Record<string, (manifest: Manifest) => void> = {
    'a path outside of the backup': (manifest) =>
      Object.assign(fileOf(manifest, 'keys.json'), { Path: '../elsewhere/mine' }),
    'an environment with a path as its name': ({ Environments: [first] }) =>
      Object.assign(first as object, { Name: '../elsewhere' }),
    'a snapshot with a path as its name': ({ Environments: [first] }) =>
      Object.assign(first as object, { Snapshot: '../../elsewhere' }),
    'an environment twice': ({ Environments }) => Environments.push(Environments[0] as never),
    'a file twice': (manifest) => manifest.Environments[0]?.Files.push(fileOf(manifest, 'keys.json')),
    'a backup without a catalog': ({ Environments: [first] }) => first?.Files.splice(0, 1),
    'a configuration outside of its folder': ({ Configuration }) =>
      Configuration.push({ Path: 'configuration/../../elsewhere/mine', To: null, Size: 1, Sha256: '0'.repeat(64) }),
    'a configuration that belongs somewhere': ({ Configuration }) =>
      Configuration.push({ Path: 'configuration/x', To: 'production/keys.json', Size: 1, Sha256: '0'.repeat(64) }),
    'a time that is an escape sequence': (manifest) => Object.assign(manifest, { MadeAt: '\u001b]0;owned\u0007' }),
    'files that are no list': ({ Environments: [first] }) => Object.assign(first as object, { Files: { length: 0 } }),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`refuses ${what}`, async () => {
      copyBackup();
      edit(change);
      await assertRefused(/not one that a backup of Cabinet can have/);
    });
  }
});

describe('links and files beside the others', () => {
  const snapshot = () =>
    join(
      tampered,
      'production',
      readdirSync(join(tampered, 'production')).find((name) => name.startsWith('2')) as string,
    );
  const replace = (path: string, target: string) => {
    rmSync(path, { recursive: true, force: true });
    symlinkSync(target, path);
  };
  const plants: Record<string, () => void> = {
    'a link in place of a file': () => {
      const secret = join(elsewhere, 'mine');
      copyFileSync(join(snapshot(), 'keys.json'), join(base, 'keys-of-others.json'));
      replace(join(snapshot(), 'keys.json'), join(base, 'keys-of-others.json'));
      assert.ok(existsSync(secret));
    },
    'a link in place of the folder of contents': () => replace(join(tampered, 'production', 'blobs'), elsewhere),
    'a link in place of a content': () => {
      const blobs = join(tampered, 'production', 'blobs');
      const [blob] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /[0-9a-f]{32}$/.test(name),
      );
      renameSync(join(blobs, blob as string), join(base, 'content-of-others'));
      symlinkSync(join(base, 'content-of-others'), join(blobs, blob as string));
    },
    'a link in place of an environment': () => {
      rmSync(join(base, 'moved'), { recursive: true, force: true });
      renameSync(join(tampered, 'production'), join(base, 'moved'));
      symlinkSync(join(base, 'moved'), join(tampered, 'production'));
    },
    'a log beside the catalog, which SQLite would read': () => writeFileSync(join(snapshot(), 'catalog.db-wal'), 'x'),
  };
  for (const [what, change] of Object.entries(plants)) {
    it(`refuses ${what}`, async () => {
      copyBackup();
      change();
      await assertRefused(/does not belong to a backup/);
    });
  }

  it('backs up into no folder that has links', async () => {
    copyBackup();
    rmSync(join(tampered, 'production'), { recursive: true });
    symlinkSync(elsewhere, join(tampered, 'production'));
    const { code, stderr } = await cabinet(dataFolder, ['backup', tampered]);
    assert.equal(code, 1);
    assert.match(stderr, /does not belong to a backup/);
    assert.deepEqual(readdirSync(elsewhere), ['mine']);
    tally('tampered backups');
  });
});

describe('signatures', () => {
  const keyFile = join(dataFolder, 'backup-key.pem');
  const edited = () => {
    copyBackup();
    edit((manifest) => Object.assign(manifest, { MadeAt: '2026-01-01T00:00:00.000Z' }));
  };

  it('says which key signed, and that nobody checked it', async () => {
    copyBackup();
    const { Signature, SignedBy } = await shown(join(base, 'none'), tampered, '--check');
    assert.equal(Signature, 'unchecked');
    assert.match(String(SignedBy), /^SHA256:[\w+/]{43}$/);
    assert.equal((await shown(dataFolder, tampered, '--check')).Signature, 'valid', 'with the key of the data folder');
    const publicKey = join(base, 'public.pem');
    writeFileSync(publicKey, createPublicKey(readFileSync(keyFile, 'utf8')).export({ format: 'pem', type: 'spki' }));
    assert.equal((await shown(join(base, 'none'), tampered, '--check', '--key-file', publicKey)).Signature, 'valid');
    assert.ok(!readdirSync(original, { recursive: true }).some((name) => String(name).includes('backup-key')));
  });

  it('says what a missing signature means, and refuses it where a key is named', async () => {
    edited();
    const { code, stdout } = await cabinet(join(base, 'none'), ['restore', tampered, '--check']);
    assert.equal(code, 0);
    assert.match(stdout, /not signed: whoever could write to the backup could have changed anything/);
    const refused = await cabinet(join(base, 'none'), ['restore', tampered, '--check', '--key-file', keyFile]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is not signed, but a key is named/);
    tally('tampered backups');
  });

  it('refuses a backup that was changed and signed again with another key', async () => {
    const attacker = join(base, 'attacker.pem');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(attacker, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    copyBackup();
    await cabinetJson(dataFolder, ['backup', tampered, '--key-file', attacker]);
    assert.equal((await shown(join(base, 'none'), tampered, '--check', '--key-file', attacker)).Signature, 'valid');
    const { code, stderr } = await cabinet(dataFolder, ['restore', tampered, '--check']);
    assert.equal(code, 1);
    assert.match(stderr, /is signed with the key SHA256:.*, not with SHA256:/);
    tally('tampered backups');
  });

  it('refuses a change under the signature of before', async () => {
    copyBackup();
    const { Signature } = JSON.parse(readFileSync(join(original, 'manifest.json'), 'utf8')) as Manifest;
    edit((manifest) => Object.assign(manifest, { MadeAt: '2026-01-01T00:00:00.000Z' }));
    const path = join(tampered, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    writeFileSync(path, JSON.stringify({ ...manifest, Signature }));
    const { code, stderr } = await cabinet(dataFolder, ['restore', tampered, '--check']);
    assert.equal(code, 1);
    assert.match(stderr, /The signature of the backup in .* is wrong/);
    tally('tampered backups');
  });

  it('restores into a folder that holds nothing but the key', async () => {
    copyBackup();
    const target = join(base, 'restored');
    mkdirSync(target);
    copyFileSync(keyFile, join(target, 'backup-key.pem'));
    const { Restored, Signature } = await shown(target, tampered);
    assert.ok(Restored);
    assert.equal(Signature, 'valid');
  });
});
