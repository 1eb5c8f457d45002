// Renders grants and groups as JSON.

import type { Group } from '../catalog/verbs/groups.ts';
import type { AccessLine, SharedWithMe } from '../operations/grants.ts';
import { renderEntry, renderTime } from './wire.ts';

export function renderAccess(lines: readonly AccessLine[]): string {
  const shown = lines.map(({ principal, role, from }) => ({
    Principal: principal,
    Role: role,
    From: from === null ? 'space' : { Id: from.id, Path: from.path },
  }));
  return JSON.stringify({ Access: shown });
}

export function renderShared(entries: readonly SharedWithMe[]): string {
  const shown = entries.map(({ entry, role, access, grantedBy, grantedAt }) => {
    const space = JSON.stringify({ Id: access.spaceId, Name: access.spaceName });
    const granted = `"GrantedBy":${JSON.stringify(grantedBy)},"GrantedAt":"${renderTime(grantedAt)}"`;
    return `{"Entry":${renderEntry(entry)},"Role":"${role}","Space":${space},${granted}}`;
  });
  return `{"Entries":[${shown.join(',')}]}`;
}

function toGroup({ name, members }: Group): object {
  return { Name: name, Members: members };
}

export function renderGroup(group: Group): string {
  return JSON.stringify({ Group: toGroup(group) });
}

export function renderGroups(groups: readonly Group[]): string {
  return JSON.stringify({ Groups: groups.map(toGroup) });
}
