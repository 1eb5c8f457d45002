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

interface TextOptions {
  version: number;
  maxBytes?: number;
  signal?: AbortSignal;
}

/** The beginning of a file, in its own encoding. */
export async function readText(cabinet: Cabinet, id: string, options: TextOptions): Promise<string> {
  const { version, maxBytes = maxTextBytes, signal } = options;
  const { stream, sizeBytes, contentType } = await openFile(cabinet, id, { version, signal });
  const bytes = new Uint8Array(Math.min(sizeBytes, maxBytes));
  if (bytes.length === 0) return '';
  const reader = stream.getReader();
  for (let at = 0; at < bytes.length; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.set(value.subarray(0, bytes.length - at), at);
    at += value.byteLength;
  }
  // What is read to its end is verified.
  if (bytes.length < sizeBytes) await reader.cancel();
  else await reader.read();
  return decode(bytes, contentType, bytes.length < sizeBytes);
}

/** By its byte order mark, else by the declared charset, else UTF-8. */
function decode(bytes: Uint8Array, contentType: string, isCut: boolean): string {
  const [, declared = 'utf-8'] = /;\s*charset="?([\w-]+)/i.exec(contentType) ?? [];
  const [first, second] = bytes;
  const marked = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : null;
  // Cut in the middle of a character, that is left out.
  const options = { stream: isCut };
  try {
    return new TextDecoder(marked ?? declared).decode(bytes, options);
  } catch {
    return new TextDecoder().decode(bytes, options);
  }
}

export function useText(entry: Entry, version: number, maxBytes: number) {
  const { cabinet } = useSession();
  return useQuery({
    queryKey: ['text', entry.Id, version, maxBytes],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: ({ signal }) => readText(cabinet, entry.Id, { version, maxBytes, signal }),
  });
}
