// Code samples in curl, TypeScript and Python: list the root folder and, with the scope, save a file. The address and the AppKey are
// filled in; a secret never is.

interface SnippetFacts {
  /** The address that the application calls, without a slash at the end. */
  url: string;
  appKey: string;
  /** `server`: with a client certificate, on the mutual-TLS address. */
  kind: 'client' | 'server';
  canWrite: boolean;
}

export const snippetLanguages = ['curl', 'typescript', 'python'] as const;
type SnippetLanguage = (typeof snippetLanguages)[number];

export function toSnippet(language: SnippetLanguage, facts: SnippetFacts): string {
  const makers = { curl: toCurl, typescript: toTypeScript, python: toPython };
  return makers[language](facts);
}

function toCurl({ url, appKey, kind, canWrite }: SnippetFacts): string {
  const isServer = kind === 'server';
  const certificate = '--cacert ca.pem --cert app.cert.pem --key app.key.pem';
  const lines = [
    `URL=${url}`,
    `APPKEY=${appKey}`,
    ...(isServer ? [`TLS=(${certificate})`] : ['read -rs SECRET   # paste the secret, press Enter']),
    '',
    isServer
      ? `TOKEN=$(curl -sS "\${TLS[@]}" -d grant_type=client_credentials -d client_id=$APPKEY "$URL/oauth2/token" | jq -r .access_token)`
      : `TOKEN=$(curl -sS -u "$APPKEY:$SECRET" -d grant_type=client_credentials "$URL/oauth2/token" | jq -r .access_token)`,
    `AUTH=(${isServer ? `"\${TLS[@]}" ` : ''}-H "Authorization: Bearer $TOKEN" -H "AppKey: $APPKEY")`,
    '',
    '# what is in the root folder',
    `curl -sS "$URL/v1/contentmanagement/folders/-root-" "\${AUTH[@]}"`,
  ];
  if (canWrite) {
    lines.push(
      '',
      '# save a file into it',
      `curl -sS "$URL/v1/contentmanagement/files" "\${AUTH[@]}" -H 'FolderId: -root-' -H 'FileName: a.pdf' -F filename=@a.pdf`,
    );
  }
  return lines.join('\n');
}

function toTypeScript({ url, appKey, kind, canWrite }: SnippetFacts): string {
  const isServer = kind === 'server';
  const saved = canWrite ? ', saveFile' : '';
  const token = isServer ? 'certificateToken()' : "applicationToken({ secret: env.CABINET_SECRET ?? '' })";
  const source = isServer ? 'certificateToken' : 'applicationToken';
  const lines = [
    `import { ${source}, connect, listChildren${saved} } from '@cabinet/client';`,
    ...(isServer
      ? ["import { mutualTls } from '@cabinet/client/node';", "import { readFileSync } from 'node:fs';"]
      : []),
    ...(canWrite && !isServer ? ["import { readFileSync } from 'node:fs';"] : []),
    ...(isServer ? [] : ["import { env } from 'node:process';"]),
    '',
    'const cabinet = connect({',
    `  url: '${url}',`,
    `  appKey: '${appKey}',`,
    `  token: ${token},`,
    ...(isServer
      ? [
          '  fetch: mutualTls({',
          "    certificate: readFileSync('app.cert.pem'),",
          "    key: readFileSync('app.key.pem'),",
          "    ca: readFileSync('ca.pem'),",
          '  }),',
        ]
      : []),
    '});',
    '',
    "for await (const entry of listChildren(cabinet, '-root-')) console.log(entry.Name);",
  ];
  if (canWrite)
    lines.push("await saveFile(cabinet, { folder: '-root-', name: 'a.pdf', content: readFileSync('a.pdf') });");
  return lines.join('\n');
}

function toPython({ url, appKey, kind, canWrite }: SnippetFacts): string {
  const isServer = kind === 'server';
  const lines = [
    ...(isServer ? [] : ['import os']),
    'import requests  # pip install requests',
    '',
    `URL = "${url}"`,
    `APP_KEY = "${appKey}"`,
    '',
    'session = requests.Session()',
    ...(isServer
      ? [
          'session.cert, session.verify = ("app.cert.pem", "app.key.pem"), "ca.pem"',
          'form = {"grant_type": "client_credentials", "client_id": APP_KEY}',
          'answer = session.post(f"{URL}/oauth2/token", data=form)',
        ]
      : [
          'answer = session.post(',
          '    f"{URL}/oauth2/token",',
          '    data={"grant_type": "client_credentials"},',
          '    auth=(APP_KEY, os.environ["CABINET_SECRET"]),',
          ')',
        ]),
    'answer.raise_for_status()',
    'session.headers.update({"Authorization": f"Bearer {answer.json()[\'access_token\']}", "AppKey": APP_KEY})',
    '',
    'root = session.get(f"{URL}/v1/contentmanagement/folders/-root-")',
    'root.raise_for_status()',
    'print([child["Name"] for child in root.json()["Children"]])',
  ];
  if (canWrite) {
    lines.push(
      '',
      'with open("a.pdf", "rb") as file:',
      '    saved = session.post(',
      '        f"{URL}/v1/contentmanagement/files",',
      '        headers={"FolderId": "-root-", "FileName": "a.pdf"},',
      '        files={"filename": file},',
      '    )',
      '    saved.raise_for_status()',
    );
  }
  return lines.join('\n');
}
