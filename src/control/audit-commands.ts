// Commands about the journal.

import { Refusal } from '../domain/refusal.ts';
import { readAnchoredHeads } from '../operations/admin/anchored-heads.ts';
import { type Head, verifyJournal } from '../operations/admin/verify-journal.ts';
import type { Commands } from './command.ts';
import { cabinetOf, readEnvironment, readOptionalText } from './input.ts';

export const auditCommands: Commands = {
  async 'audit verify'(context, input) {
    const cabinet = cabinetOf(context, input);
    const environment = readEnvironment(input);
    const expected = readHead(readOptionalText(input, 'expect'));
    const anchored = await readAnchoredHeads(cabinet, environment, environment === 'test');
    const heads = [...(expected === null ? [] : [expected]), ...(anchored?.heads ?? [])];
    const { rows, sealedRows, head, ...verified } = await verifyJournal(cabinet, heads);
    const problems = [...(anchored?.problems ?? []), ...verified.problems];
    return {
      Verified: problems.length === 0,
      Rows: rows,
      SealedRows: sealedRows,
      Head: `${head.position}:${head.link}`,
      Anchored: anchored === null ? null : { Heads: anchored.heads.length, NewestAt: anchored.newestAt },
      Problems: problems.map(({ position, problem }) => ({ Position: position, Problem: problem })),
    };
  },
};

/** As earlier releases print it. */
function readHead(text: string | null): Head | null {
  if (text === null) return null;
  const [, position, link] = /^(\d{1,15}):([A-Za-z0-9+/=.]*)$/.exec(text) ?? [];
  if (position !== undefined && link !== undefined) return { position: Number(position), link };
  throw new Refusal('InvalidField', `${JSON.stringify(text)} is not POSITION:LINK.`, {
    hint: 'Give the Head that an earlier `cabinet audit verify` printed.',
  });
}
