// CABINET_MCP_SPACES: `ID=read ID=off`, separated by spaces or commas. Spaces are named by id: managers can rename them.

import type { McpSpaces } from '../domain/caller.ts';

const rule = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})=(read|off)$/i;

export function parseMcpSpaces(text: string): McpSpaces {
  const rules = text.split(/[\s,]+/).filter(Boolean);
  return new Map(
    rules.map((given) => {
      const [, id, access] = rule.exec(given) ?? [];
      if (id === undefined) throw new Error(`${JSON.stringify(given)} is not the id of a space with =read or =off`);
      return [id.toLowerCase(), access?.toLowerCase() === 'off' ? 'off' : 'read'] as const;
    }),
  );
}
