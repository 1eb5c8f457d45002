// The tools that write. None deletes: what an agent changes can be seen in the versions and the journal, and be undone by people.

import { toFolderId } from '../domain/caller.ts';
import { conflictBehaviors } from '../domain/entry.ts';
import { changeEntry } from '../operations/change-entry.ts';
import { createFolder } from '../operations/create-folder.ts';
import { defaultLinkSeconds, linkFile, maxLinkSeconds } from '../operations/link-file.ts';
import { receiveContent } from '../operations/receive-content.ts';
import { admitSave, saveFile } from '../operations/save-file.ts';
import { showEntry } from '../operations/show-entry.ts';
import { SavedVersion } from '../rest/openapi/entry-schemas.ts';
import { Type } from '../rest/openapi/json-schema.ts';
import { toLinkUrl } from '../rest/routes/links.ts';
import { renderSavedVersion, renderShownEntry, renderTime } from '../rest/wire.ts';
import { id, LinkResult, ShownEntry } from './schemas.ts';
import { toTool } from './tool.ts';

const closed = { additionalProperties: false };
const maxNameLength = 1000;

function name(description: string) {
  return Type.String({ description, maxLength: maxNameLength });
}

const saveTextTool = toTool({
  name: 'save_text',
  title: 'Save a text file',
  description:
    'Saves text as a file in a folder. If a file of this name exists, it gets a new version and the old one is kept; ' +
    'conflictBehavior Fail refuses instead, Rename chooses another name.',
  action: 'write',
  input: Type.Object(
    {
      folderId: id('The folder; -root- is the root if you have one space.'),
      name: name('The name of the file, such as notes.md. Its extension decides the type.'),
      text: Type.String({ description: 'The content of the file.' }),
      conflictBehavior: Type.Optional(
        Type.Enum([...conflictBehaviors], { default: 'Version', description: 'What to do if the name exists.' }),
      ),
    },
    closed,
  ),
  output: SavedVersion,
  entryOf: ({ folderId }) => folderId,
  async run(
    { context: { cabinet }, caller },
    { folderId, name: fileName, text, conflictBehavior: conflict = 'Version' },
  ) {
    const bytes = Buffer.from(text.toWellFormed());
    const destination = await admitSave(cabinet, caller, {
      folderId,
      fileName,
      declaredBytes: bytes.length,
      skipFolderCheck: false,
      idempotencyKey: null,
      conflict,
    });
    const received = await receiveContent(
      cabinet,
      once(bytes),
      cabinet.quotas.receiving(destination.access, caller.actor),
    );
    const none = { contentType: null, objectType: null, properties: null, comment: null, idempotencyKey: null };
    const saved = await saveFile(cabinet, caller, { destination, fileName, conflict, received, ...none });
    const view = await showEntry(cabinet, caller, { id: saved.file.id });
    const json = renderSavedVersion({ folder: saved.folder, children: [saved.file] }, view);
    return { json, madeId: saved.file.id };
  },
});

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

const createFolderTool = toTool({
  name: 'create_folder',
  title: 'Create a folder',
  description: 'Creates a folder in another one. Refuses a name that exists.',
  action: 'write',
  input: Type.Object(
    {
      parentFolderId: id('The folder that will hold it; -root- is the root if you have one space.'),
      name: name('The name of the new folder.'),
    },
    closed,
  ),
  output: SavedVersion,
  entryOf: ({ parentFolderId }) => parentFolderId,
  async run({ context: { cabinet }, caller }, { parentFolderId, name: folderName }) {
    const none = { objectType: null, properties: null, idempotencyKey: null };
    const made = await createFolder(cabinet, caller, { parentFolderId, folderName, conflict: 'Fail', ...none });
    const view = await showEntry(cabinet, caller, { id: made.folder.id });
    return { json: renderSavedVersion(made, view), madeId: made.folder.id };
  },
});

const moveEntryTool = toTool({
  name: 'move_entry',
  title: 'Move or rename an entry',
  description:
    'Moves a file or folder to another folder of the same space, renames it, or both. Refuses a name that exists.',
  action: 'write',
  isIdempotent: true,
  input: Type.Object(
    {
      entryId: id('The file or folder.'),
      parentFolderId: Type.Optional(id('Where it goes; it stays where it is by default.')),
      name: Type.Optional(name('Its new name; it keeps its name by default.')),
    },
    closed,
  ),
  output: ShownEntry,
  entryOf: ({ entryId }) => entryId,
  async run({ context: { cabinet }, caller }, { entryId, parentFolderId = null, name = null }) {
    const kept = { properties: null, objectType: null, precondition: null, conflict: 'Fail' } as const;
    const view = await changeEntry(cabinet, caller, { id: toFolderId(caller, entryId), name, parentFolderId, ...kept });
    return { json: renderShownEntry(view) };
  },
});

const makeLinkTool = toTool({
  name: 'make_link',
  title: 'Make a link to a file',
  description:
    'Makes a short-lived address of the bytes of a file. Whoever has the address can read the file until it expires: give ' +
    'it to nobody but the person you act for.',
  action: 'write',
  input: Type.Object(
    {
      entryId: id('The file.'),
      expiresInSeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxLinkSeconds,
          default: defaultLinkSeconds,
          description: 'How long it works.',
        }),
      ),
    },
    closed,
  ),
  output: LinkResult,
  entryOf: ({ entryId }) => entryId,
  async run({ context, caller }, { entryId: fileId, expiresInSeconds: lifetimeSeconds = defaultLinkSeconds }) {
    const linked = await linkFile(context.cabinet, caller, { fileId, version: null, lifetimeSeconds });
    const Url = toLinkUrl(context, caller, { ...linked, disposition: 'attachment' });
    return { json: JSON.stringify({ Url, ExpiresAt: renderTime(linked.expiresAt) }) };
  },
});

export const writingTools = [saveTextTool, createFolderTool, moveEntryTool, makeLinkTool] as const;
