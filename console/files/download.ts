// Downloads: a file through a short-lived link, so that the browser saves it; a folder as a ZIP.

import { type Cabinet, type Entry, openSelection } from '@cabinet/client';
import { call, send } from '@cabinet/client/requests';
import { notify } from '../parts/notices.tsx';
import type { Words } from '../words/en.ts';

const linkSeconds = 300;

export async function downloadEntry(cabinet: Cabinet, entry: Entry, version?: number): Promise<void> {
  if (entry.Type === 'folder') return await downloadZip(cabinet, entry);
  const { Url } = await call(cabinet, 'POST /files/{id}/link', {
    path: { id: entry.Id },
    json: { ExpiresInSeconds: linkSeconds, Disposition: 'attachment', Version: version },
  });
  save(Url, entry.Name);
}

async function downloadZip(cabinet: Cabinet, { Id, Name }: Entry): Promise<void> {
  const response = await send(cabinet, 'GET /folders/{id}/archive', { path: { id: Id } });
  const url = URL.createObjectURL(await response.blob());
  save(url, `${Name}.zip`);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Several entries as one ZIP. */
export async function downloadSelection(
  cabinet: Cabinet,
  entries: readonly Entry[],
  name: string,
  { files }: Words,
): Promise<void> {
  notify({ key: 'zip', text: files.zipping(entries.length) });
  const stream = await openSelection(
    cabinet,
    entries.map(({ Id }) => Id),
  );
  const url = URL.createObjectURL(await new Response(stream).blob());
  save(url, name);
  notify({ key: 'zip', text: files.zipped(name) });
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function save(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
