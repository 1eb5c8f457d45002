// `user export` and `user erase`: what is stored about a person.

import type { Value } from '../catalog/statement.ts';
import type { JournalRow } from '../catalog/verbs/journal.ts';
import type { PersonalRow } from '../catalog/verbs/personal-data.ts';
import type { SpaceAccess } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import {
  erasePerson,
  exportPerson,
  type PersonalAccount,
  type PersonalPart,
} from '../operations/admin/personal-data.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import type { Commands } from './command.ts';
import { cabinetOf, readEnvironment, readText } from './input.ts';

/** A part of the document: one field, or more items of a list. */
export type ExportPart = { Field: string; Value: unknown } | { List: string; Items: object[] };

export const personalDataCommands: Commands = {
  /** The document is sent as progress, in parts. */
  async 'user export'(context, input, { progress, signal }) {
    const cabinet = cabinetOf(context, input);
    const user = readText(input, 'user');
    const counts: Record<string, number> = {};
    const send = async (part: ExportPart) => {
      if ('List' in part) counts[part.List] = (counts[part.List] ?? 0) + part.Items.length;
      await progress(part);
    };
    let spaces: ReadonlyMap<number, SpaceAccess> | null = null;
    for await (const part of exportPerson(cabinet, user)) {
      if (signal.aborted) break;
      if (spaces === null) {
        spaces = await listSpaces(cabinet);
        await send({ Field: 'Environment', Value: readEnvironment(input) });
        await send({ Field: 'ExportedAt', Value: toTime(cabinet.clock.now()) });
      }
      await send(toPart(part, spaces));
    }
    return { User: user, Rows: counts };
  },
  async 'user erase'(context, input) {
    const cabinet = cabinetOf(context, input);
    const user = readText(input, 'user');
    if (input.yes !== true) {
      throw new Refusal('InvalidField', 'Erasing cannot be undone.', {
        target: 'yes',
        hint: `Export the data first if it is needed (cabinet user export ${user}), then repeat the command with --yes.`,
      });
    }
    const { id, isNew } = await erasePerson(cabinet, user);
    return { User: id, Erased: isNew ? 'now' : 'before' };
  },
};

async function listSpaces({ catalog }: Cabinet): Promise<ReadonlyMap<number, SpaceAccess>> {
  return new Map((await catalog.listSpaces({})).map((access) => [access.space, access]));
}

function toPart(part: PersonalPart, spaces: ReadonlyMap<number, SpaceAccess>): ExportPart {
  if ('account' in part) return { Field: 'Account', Value: toAccount(part.account, spaces) };
  if ('journal' in part) return { List: 'Journal', Items: part.journal.map((row) => toEvent(row, spaces)) };
  return { List: part.section, Items: part.rows.map((row) => toItem(row, spaces)) };
}

function toAccount(
  { id, user, recoveryCodes, isBeingErased }: PersonalAccount,
  spaces: ReadonlyMap<number, SpaceAccess>,
): object {
  if (user === null) return { User: id, State: 'none' };
  if (user.erasedAt !== null)
    return { User: id, State: isBeingErased ? 'erasing' : 'erased', ErasedAt: toTime(user.erasedAt) };
  return {
    ...{ User: id, Name: user.name, State: user.state, HasPassword: user.password !== null },
    ...{ HasSignedIn: user.hasSignedIn, RecoveryCodes: recoveryCodes },
    ...{ CreatedAt: toTime(user.createdAt), CreatedBy: user.createdBy },
    CreatedIn: user.createdIn === null ? null : (spaces.get(user.createdIn)?.spaceName ?? null),
  };
}

function toEvent(row: JournalRow, spaces: ReadonlyMap<number, SpaceAccess>): object {
  return {
    ...{ Position: row.position, At: toTime(row.at), ...toSpace(row.space, spaces) },
    ...{ By: row.by, Action: row.action, About: row.entry, RequestId: row.request },
    Details: JSON.parse(row.details) as object,
  };
}

function toItem(row: PersonalRow, spaces: ReadonlyMap<number, SpaceAccess>): object {
  return Object.assign({}, ...Object.entries(row).map(([column, value]) => toFields(column, value, spaces))) as object;
}

function toFields(column: string, value: Value, spaces: ReadonlyMap<number, SpaceAccess>): object {
  if (column === 'space') return toSpace(value, spaces);
  const isTime = /(^|_)at$/.test(column) && value !== null;
  return { [toName(column)]: isTime ? toTime(Number(value)) : value };
}

/** Null and 0: none. */
function toSpace(space: Value, spaces: ReadonlyMap<number, SpaceAccess>): object {
  const found = spaces.get(Number(space));
  return { Space: found?.spaceName ?? null, SpaceId: found?.spaceId ?? null };
}

function toName(column: string): string {
  return column.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
