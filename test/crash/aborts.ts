// Uploads that are cut at random bytes, in every form, by an orderly end and by a reset, many at a time. Nothing becomes
// visible, nothing is left behind, descriptors and memory come back, and others are served meanwhile.

import { type Caller, createFolder, listFolder, saveFile } from '../interface/client.ts';
import { type Form, sendCut, toForms } from '../service/cut-uploads.ts';
import { countDescriptors, eventually, listIncoming, readMemoryBytes, type Started } from '../service/service.ts';
import { Bystander } from './bystander.ts';
import { checkStopped, type Ground, openGround, type Preload, renew, startOn } from './ground.ts';
import { Random } from './random.ts';
import { Report } from './report.ts';
import { attackSlowly } from './slow-tools.ts';
import { readSlowly, uploadSlowly } from './slowness.ts';

const atOnce = 50;
const contentBytes = 200_000;
/** Whatever is to come back has this long, on any machine. */
const patienceMs = 60_000;
/** Beyond what the first cuts have taken: buffers and compiled code that are kept. */
const mostGrowthBytes = 128 * 1024 * 1024;

export interface AbortsOptions {
  aborts: number;
  seed: number;
  /** How many slow uploads at once, and slow readers; 0: none. */
  slow: { uploads: number; readers: number };
  /** Whether slowhttptest has a go too. */
  hasTools: boolean;
  preload?: Preload | null;
}

export interface Scene {
  report: Report;
  ground: Ground;
  service: Started;
  caller: Caller;
  random: Random;
}

export async function runAborts({ aborts, seed, slow, hasTools, preload = null }: AbortsOptions): Promise<Report> {
  const report = new Report(`aborts (seed ${seed})`);
  const ground = openGround({ isWatched: false, preload });
  let service: Started | null = null;
  try {
    service = await startOn(ground);
    const caller = await renew(ground, service.production, null);
    const scene = { report, ground, service, caller, random: new Random(seed) };
    await cutUploads(scene, aborts);
    if (slow.uploads > 0) await uploadSlowly(scene, slow.uploads);
    if (slow.readers > 0) await readSlowly(scene, slow.readers);
    if (hasTools) await attackSlowly(scene);
    const code = await service.stop();
    if (code !== 0) report.wrong(`it ended with ${code}: ${service.errors()}`);
    report.tell(
      checkStopped(ground, { stories: [], isAnswered: () => false, isDoubtAllowed: () => true }),
      'in the end',
    );
  } catch (error) {
    report.wrong(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await service?.stop('SIGKILL');
    ground.close();
  }
  return report;
}

async function cutUploads(scene: Scene, aborts: number): Promise<void> {
  const { report, ground, service, caller, random } = scene;
  const folder = await createFolder(caller, caller.application.RootFolderId, 'cut');
  const over = await saveFile(caller, { FolderId: '', FileName: 'saved over' }, 'the only version');
  const forms = Object.values(toForms(random.bytes(contentBytes)));
  const cutOne = () => sendCut(caller, drawCut(random, forms, { folder: folder.Id, file: over.File.Id }));
  const pid = service.process.pid as number;
  await cutMany(cutOne, Math.min(aborts, atOnce));
  const descriptors = countDescriptors(pid);
  const memory = readMemoryBytes(pid, 'VmRSS');
  const bystander = new Bystander(report, caller);
  await cutMany(cutOne, aborts - Math.min(aborts, atOnce));
  await bystander.leave('during aborts');
  report.count('aborted', aborts);
  await eventually('no half file is left', () => listIncoming(ground.dataFolder).length === 0, patienceMs);
  await eventually('descriptors come back', () => countDescriptors(pid) <= descriptors + 8, patienceMs);
  const growth = readMemoryBytes(pid, 'VmRSS') - memory;
  report.count('memory growth MiB', Math.round(growth / 1024 / 1024));
  if (growth > mostGrowthBytes) report.wrong(`memory grew by ${growth} bytes`);
  const visible = await listFolder(caller, folder.Id);
  report.count('visible', visible.length);
  for (const { Name, Size } of visible) report.wrong(`a cut upload became visible: ${Name}, ${Size} bytes`);
  const { Size } = (await listFolder(caller, '-root-')).find(({ Id }) => Id === over.File.Id) ?? { Size: -1 };
  if (Size !== 'the only version'.length) report.wrong(`a cut upload became a version of ${Size} bytes`);
}

async function cutMany(cutOne: () => Promise<void>, count: number): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await cutOne();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** The last byte is never sent. One in four is to become a new version. */
function drawCut(random: Random, forms: readonly Form[], ids: { folder: string; file: string }) {
  const form = random.pick(forms);
  const last = form.bytes.length - 1;
  const isVersion = random.isTrue(0.25);
  return {
    form,
    atByte: random.isTrue(0.2) ? last - random.below(Math.min(last, 60)) : random.below(last + 1),
    how: random.pick(['end', 'reset'] as const),
    restMs: random.below(6),
    target: isVersion
      ? { line: `PUT /v1/contentmanagement/files/${ids.file}/content`, headers: {} }
      : {
          line: 'POST /v1/contentmanagement/files',
          headers: { FolderId: ids.folder, FileName: `cut-${random.below(1e9)}` },
        },
  };
}
