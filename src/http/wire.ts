// The only file with wire names: how records, envelopes and errors look in JSON.
// Records are rendered by hand: a save's reply holds up to a hundred of them.

import type { Entry } from '../domain/entry.ts';
import type { Refusal } from '../domain/refusal.ts';

export function renderEntry(entry: Entry): string {
  return `{"Id":"${entry.id}","Name":${JSON.stringify(entry.name)},"Type":"${entry.kind}","ObjectType":"${
    entry.objectType
  }","ContentType":${JSON.stringify(entry.contentType)},"CreatedAt":"${renderTime(entry.createdAt)}","CreatedBy":${JSON.stringify(
    entry.createdBy,
  )},"ModifiedAt":"${renderTime(entry.modifiedAt)}","ModifiedBy":${JSON.stringify(entry.modifiedBy)},"Size":${
    entry.sizeBytes
  },"Properties":${JSON.stringify(entry.properties)}}`;
}

/** `2026-01-15T09:30:00.123Z`: UTC, always three decimals. */
export function renderTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function renderEnvelope(folder: Entry, children: readonly Entry[]): string {
  return `{"Folder":${renderEntry(folder)},"Children":[${children.map(renderEntry).join(',')}]}`;
}

export function renderRefusal(refusal: Refusal, trackingId: string): string {
  const { code, message, details } = refusal;
  const conflicts = details.conflicts?.map((entry) => JSON.parse(renderEntry(entry)) as unknown);
  return JSON.stringify({
    Error: {
      Code: code,
      Message: message,
      Target: details.target,
      Hint: details.hint,
      Conflicts: conflicts,
      RequestTrackingId: trackingId,
    },
  });
}
