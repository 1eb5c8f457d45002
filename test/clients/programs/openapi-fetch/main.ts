// Saves, reads, lists and archives with openapi-fetch, by the types that openapi-typescript generates from the description.

import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const { BASE = '', TOKEN = '', APP_KEY = '' } = process.env;
const client = createClient<paths>({
  baseUrl: BASE,
  headers: { Authorization: `Bearer ${TOKEN}`, AppKey: APP_KEY },
});

function take<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const made = take(
  await client.POST('/v1/contentmanagement/folders', {
    body: { ParentFolderId: '-root-', FolderName: 'openapi-fetch' },
  }),
);
const folder = made.Folder.Id;

const saved = take(
  await client.POST('/v1/contentmanagement/files', {
    params: { header: { FolderId: folder, FileName: 'hello.txt' } },
    // The generated type of binary content is a string; the serializer sends what it is given.
    body: { filename: 'Hello from a generated client.' },
    bodySerializer: ({ filename }) => {
      const form = new FormData();
      form.append('filename', new Blob([filename], { type: 'text/plain' }), 'hello.txt');
      return form;
    },
  }),
);
const file = saved.Children[0];
if (file === undefined) throw new Error('the answer has no file');

const content = take(
  await client.GET('/v1/contentmanagement/files/{id}/content', {
    params: { path: { id: file.Id } },
    parseAs: 'text',
  }),
);
const listing = take(
  await client.GET('/v1/contentmanagement/folders/{id}', { params: { path: { id: folder }, query: { limit: 10 } } }),
);
const archive = take(
  await client.GET('/v1/contentmanagement/folders/{id}/archive', {
    params: { path: { id: folder } },
    parseAs: 'arrayBuffer',
  }),
);

console.log(
  JSON.stringify({
    entryId: file.Id,
    content,
    names: listing.Children.map(({ Name }) => Name),
    archive: Buffer.from(archive).toString('base64'),
  }),
);
