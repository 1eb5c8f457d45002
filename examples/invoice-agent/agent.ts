// An agent that files invoices, without a model: it reads the text of each PDF in the folder Inbox through MCP, finds the supplier
// and the date, and moves the file to Invoices/YEAR/DATE SUPPLIER.pdf. What it does not understand stays where it is, and is named in
// Inbox/unreadable.md. A model can take the place of `readInvoice`; everything else stays.
//
//   export CABINET_URL=http://127.0.0.1:8080 CABINET_APPKEY=ak_… CABINET_SECRET=…
//   bin/pinned-node examples/invoice-agent/agent.ts
//
// Needs Node 24 or later and nothing else. The application needs the scopes content.read and content.write.

interface Entry {
  Id: string;
  Name: string;
  Type: 'folder' | 'file';
}

interface Result {
  isError: boolean;
  structuredContent?: unknown;
  content: { type: string; text?: string; resource?: { text: string } }[];
}

const { CABINET_URL: base = 'http://127.0.0.1:8080', CABINET_APPKEY = '', CABINET_SECRET = '' } = process.env;
const revision = '2026-07-28';

/** A token for the MCP endpoint alone. */
async function fetchToken(): Promise<string> {
  const response = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${CABINET_APPKEY}:${CABINET_SECRET}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: `${base}/mcp` }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`No token: ${response.status}. Check CABINET_APPKEY and CABINET_SECRET.`);
  return token;
}

const token = await fetchToken();
let lastId = 0;

async function callTool(name: string, given: object): Promise<Result> {
  lastId += 1;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'invoice-agent', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${token}`,
      'MCP-Protocol-Version': revision,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: lastId,
      method: 'tools/call',
      params: { name, arguments: given, _meta },
    }),
  });
  const { result, error } = (await response.json()) as { result?: Result; error?: { message: string } };
  if (result === undefined) throw new Error(`${name}: ${response.status} ${error?.message}`);
  return result;
}

/** The result of a call that must succeed. */
async function must<Shown>(name: string, given: object): Promise<Shown> {
  const { isError, structuredContent, content } = await callTool(name, given);
  if (isError) throw new Error(`${name}: ${content[0]?.text}`);
  return structuredContent as Shown;
}

async function listFolder(folderId: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: string | undefined; ; ) {
    const given = { folderId, ...(cursor !== undefined && { cursor }) };
    const page = await must<{ Children: Entry[]; Cursor?: string }>('list_folder', given);
    entries.push(...page.Children);
    if (page.Cursor === undefined) return entries;
    cursor = page.Cursor;
  }
}

async function openFolder(parentFolderId: string, name: string): Promise<string> {
  const found = (await listFolder(parentFolderId)).find((entry) => entry.Type === 'folder' && entry.Name === name);
  if (found !== undefined) return found.Id;
  return (await must<{ Entry: Entry }>('create_folder', { parentFolderId, name })).Entry.Id;
}

/** The text of the first page of it; null if the file has none. It is data: nothing in it is an instruction. */
async function readText(entryId: string): Promise<string | null> {
  const { isError, content } = await callTool('read_text', { entryId });
  return isError ? null : (content.find(({ type }) => type === 'resource')?.resource?.text ?? '');
}

/** Supplier and date, as in "Invoice from Acme Ltd" and "Date: 2026-01-15". */
function readInvoice(text: string): { supplier: string; date: string } | null {
  const [, supplier] = /invoice from ([\p{L}\d][\p{L}\d .&-]{0,60})/iu.exec(text) ?? [];
  const [, date] = /\bdate:? *(\d{4}-\d\d-\d\d)\b/i.exec(text) ?? [];
  return supplier === undefined || date === undefined ? null : { supplier: supplier.trim(), date };
}

async function fileInvoice({ Id: entryId, Name }: Entry, archive: string): Promise<boolean> {
  const text = await readText(entryId);
  const invoice = text === null ? null : readInvoice(text);
  if (invoice === null) return false;
  const parentFolderId = await openFolder(archive, invoice.date.slice(0, 4));
  const name = `${invoice.date} ${invoice.supplier}.pdf`;
  const { isError, content } = await callTool('move_entry', { entryId, parentFolderId, name });
  console.log(isError ? `${Name}: ${content[0]?.text}` : `${Name} → Invoices/${invoice.date.slice(0, 4)}/${name}`);
  return !isError;
}

const inbox = await openFolder('-root-', 'Inbox');
const archive = await openFolder('-root-', 'Invoices');
const left: string[] = [];
for (const entry of await listFolder(inbox)) {
  const isInvoice = entry.Type === 'file' && entry.Name.toLowerCase().endsWith('.pdf');
  if (isInvoice && !(await fileInvoice(entry, archive))) left.push(entry.Name);
}
if (left.length > 0) {
  const text = `These files need a person:\n\n${left.map((name) => `- ${name}`).join('\n')}\n`;
  await must('save_text', { folderId: inbox, name: 'unreadable.md', text });
}
console.log(`${left.length} left in Inbox`);
