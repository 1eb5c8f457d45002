// Commands about quotas.

import type { Quota, SpaceUsage } from '../catalog/verbs/quotas.ts';
import { toBytes } from '../domain/bytes.ts';
import { Refusal } from '../domain/refusal.ts';
import { toUserId } from '../operations/admin/people.ts';
import { listQuotas, setQuota } from '../operations/admin/quotas.ts';
import { byOperator } from '../operations/origin.ts';
import type { Commands, Input } from './command.ts';
import { cabinetOf, readOptionalText } from './input.ts';

export const quotaCommands: Commands = {
  async 'quota set'(context, input) {
    const [application, user] = [readOptionalText(input, 'app'), readOptionalText(input, 'user')];
    if (application !== null && user !== null) {
      throw new Refusal('InvalidField', 'Specify an application or a user, not both.', { target: 'app' });
    }
    const quota = {
      space: readOptionalText(input, 'space'),
      application,
      user: user === null ? null : toUserId(user),
      quota: readQuota(input),
    };
    const cabinet = cabinetOf(context, input);
    return toShown(await setQuota(cabinet, quota, byOperator(cabinet)));
  },
  async 'quota show'(context, input) {
    const space = readOptionalText(input, 'space');
    const found = await listQuotas(cabinetOf(context, input));
    const shown = found.filter(({ spaceName }) => space === null || spaceName === space);
    if (space !== null && shown.length === 0) {
      throw new Refusal('SpaceNotFound', `There is no space ${JSON.stringify(space)}.`, { target: 'Space' });
    }
    return { Quotas: shown.map(toShown) };
  },
};

function readQuota(input: Input): Partial<Quota> {
  const quota: Partial<Quota> = {};
  for (const [name, read] of [
    ['bytes', toBytes],
    ['entries', toCount],
    ['requests', toCount],
  ] as const) {
    const text = readOptionalText(input, name);
    if (text === null) continue;
    const value = text === 'none' ? null : read(text);
    if (value === undefined)
      throw new Refusal('InvalidField', `--${name} cannot be ${JSON.stringify(text)}.`, { hint });
    quota[name] = value;
  }
  if (Object.keys(quota).length > 0) return quota;
  throw new Refusal('InvalidField', 'Specify a limit: --bytes, --entries or --requests.', { hint });
}

const hint = 'A number, or none; bytes also with KiB, MiB, GiB or TiB.';

function toCount(text: string): number | undefined {
  return /^\d{1,12}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

function toShown({ spaceName, actor, entries, bytes, quota }: SpaceUsage): object {
  return {
    Space: spaceName,
    ...(actor !== '' && { Actor: actor }),
    Entries: entries,
    Bytes: bytes,
    MostEntries: quota.entries,
    MostBytes: quota.bytes,
    MostRequestsPerSecond: quota.requests,
  };
}
