// Commands about the journal.

import { Refusal } from '../domain/refusal.ts';
import { type Head, verifyJournal } from '../operations/admin/verify-journal.ts';
import type { Commands } from './command.ts';
import { cabinetOf, readOptionalText } from './input.ts';

export const auditCommands: Commands = {
  async 'audit verify'(context, input) {
    const expected = readHead(readOptionalText(input, 'expect'));
    const { rows, sealedRows, head, problems } = await verifyJournal(cabinetOf(context, input), expected);
    return {
      Verified: problems.length === 0,
      Rows: rows,
      SealedRows: sealedRows,
      Head: `${head.position}:${head.link}`,
      Problems: problems.map(({ position, problem }) => ({ Position: position, Problem: problem })),
    };
  },
};

/** As earlier releases print it. */
function readHead(text: string | null): Head | null {
  if (text === null) return null;
  const [, position, link] = /^(\d{1,15}):([A-Za-z0-9+/=]*)$/.exec(text) ?? [];
  if (position !== undefined && link !== undefined) return { position: Number(position), link };
  throw new Refusal('InvalidField', `${JSON.stringify(text)} is not POSITION:LINK.`, {
    hint: 'Give the Head that an earlier `cabinet audit verify` printed.',
  });
}
