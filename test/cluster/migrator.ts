// Moves a catalog, given where from and where to, and ends itself with SIGKILL in the step of that number: before what it
// writes if the number is odd, behind it if it is even.

import { move } from './move.ts';

const [fromUrl = '', fromFolder = '', toUrl = '', toFolder = '', step = '0'] = process.argv.slice(2);
let steps = 0;

function countStep(): void {
  steps += 1;
  if (steps === Number(step)) process.kill(process.pid, 'SIGKILL');
}

function killed<Input extends unknown[], Result>(call: (...input: Input) => Promise<Result>) {
  return async (...input: Input): Promise<Result> => {
    countStep();
    const result = await call(...input);
    countStep();
    return result;
  };
}

const toPlace = (url: string, folder: string) => ({ url: url === '' ? null : url, folder });

const report = await move(toPlace(fromUrl, fromFolder), toPlace(toUrl, toFolder), ({ target, blobs }) => ({
  target: {
    ...target,
    tables: {
      hold: () => target.tables.hold(),
      read: (verb) => target.tables.read(verb),
      clear: killed(() => target.tables.clear()),
      settle: killed(() => target.tables.settle()),
      write: killed((verbs) => target.tables.write(verbs)),
      insert: killed((table, rows) => target.tables.insert(table, rows)),
      close: () => target.tables.close(),
    },
    journalFiles: { ...target.journalFiles, write: killed(target.journalFiles.write) },
    keys: { ...target.keys, write: killed(target.keys.write) },
  },
  blobs:
    blobs === null
      ? null
      : {
          ...blobs,
          to: {
            append: (id, append) => blobs.to.append(id, append),
            complete: (id, grown) => blobs.to.complete(id, grown),
            abandon: (id, grown) => blobs.to.abandon(id, grown),
            put: killed((id, blocks) => blobs.to.put(id, blocks)),
            open: (id, start, end) => blobs.to.open(id, start, end),
            discard: killed((id) => blobs.to.discard(id)),
            list: () => blobs.to.list(),
            close: () => blobs.to.close(),
          },
        },
}));
process.stdout.write(JSON.stringify({ differences: report.differences, steps }));
