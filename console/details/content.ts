// The content behind a preview: as a short-lived link for what the browser shows itself, or as text.

import { type Cabinet, type Entry, openFile } from '@cabinet/client';
import { call } from '@cabinet/client/requests';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session-context.tsx';

export const maxTextBytes = 512 * 1024;
const linkSeconds = 3600;

export function useLink(entry: Entry, version: number) {
  const { cabinet } = useSession();
  return useQuery({
    queryKey: ['link', entry.Id, version],
    staleTime: (linkSeconds - 300) * 1000,
    queryFn: async ({ signal }) => {
      const { Url } = await call(cabinet, 'POST /files/{id}/link', {
        path: { id: entry.Id },
        json: { ExpiresInSeconds: linkSeconds, Disposition: 'inline', Version: version },
        signal,
      });
      return Url;
    },
  });
}

export async function readText(cabinet: Cabinet, id: string, version: number, signal?: AbortSignal): Promise<string> {
  const { stream, sizeBytes } = await openFile(cabinet, id, { version, signal });
  if (sizeBytes === 0) return '';
  const decoder = new TextDecoder();
  let text = '';
  let left = maxTextBytes;
  const reader = stream.getReader();
  while (left > 0) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.byteLength;
  }
  await reader.cancel();
  return text;
}

export function useText(entry: Entry, version: number) {
  const { cabinet } = useSession();
  return useQuery({
    queryKey: ['text', entry.Id, version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readText(cabinet, entry.Id, version, signal),
  });
}
