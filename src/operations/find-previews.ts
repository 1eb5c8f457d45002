// Finds the PDF of an office document where the converter is.

import type { FileContent } from '../catalog/verbs/contents.ts';
import type { Previews } from '../previews/previews.ts';
import type { Cabinet } from './cabinet.ts';
import { toOpenedFile } from './open-file.ts';
import type { PreviewFinder } from './preview-finder.ts';

/** `cabinet` is there when the first request is. */
export function findsPreviews(previews: Previews, cabinet: () => Cabinet): PreviewFinder {
  return {
    async find({ space, fileId: id, version, type, by }) {
      const content = await cabinet().catalog.findContent({ space, id, version });
      if (content === null) return null;
      const read = () => readWhole(cabinet(), content);
      return await previews.find({ space, sha256: content.sha256, type, read }, by);
    },
    deleteOld: (now) => previews.deleteOld(now),
    close: () => previews.close(),
  };
}

export async function readWhole(cabinet: Cabinet, content: FileContent): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const range = { start: 0, end: content.sizeBytes };
  for await (const chunk of toOpenedFile(cabinet, content).read(range)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
