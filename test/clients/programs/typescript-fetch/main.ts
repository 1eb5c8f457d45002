// Saves, reads, lists and archives with the client that openapi-generator makes for TypeScript (typescript-fetch).
import { Configuration, FilesApi, FoldersApi, ResponseError } from './client';

const { BASE = '', TOKEN = '', APP_KEY = '' } = process.env;
// For OAuth 2.0 this generator sends what it gets as the whole header.
const configuration = new Configuration({ basePath: BASE, accessToken: `Bearer ${TOKEN}`, apiKey: APP_KEY });
const [folders, files] = [new FoldersApi(configuration), new FilesApi(configuration)];

async function main() {
  const made = await folders.foldersPOST({ createFolder: { folderName: 'typescript-fetch' } });
  const filename = new File(['Hello from a generated client.'], 'hello.txt', { type: 'text/plain' });
  const saved = await files.saveFilesPost({ filename, folderId: made.folder.id, fileName: 'hello.txt' });
  const file = saved?.children[0];
  if (file === undefined) throw new Error('the answer has no file');
  const content = await files.filesContentGet({ id: file.id });
  const listing = await folders.foldersGet({ id: made.folder.id });
  const archive = await folders.foldersArchiveGet({ id: made.folder.id });
  console.log(
    JSON.stringify({
      entryId: file.id,
      content: await content?.text(),
      names: listing.children.map(({ name }) => name),
      archive: Buffer.from(await archive.arrayBuffer()).toString('base64'),
    }),
  );
}
main().catch(async (error: unknown) => {
  console.error(error instanceof ResponseError ? await error.response.text() : error);
  process.exitCode = 1;
});
