// All settings: name, default and purpose. `config/config.ts` reads and checks them.

export interface Setting {
  fallback: string;
  about: string;
  /** Never shown. */
  isSecret?: true;
  /** Managers of a space see it: it decides what they and their people may do. The rest says how the service is run. */
  isForManagers?: boolean;
}

/** All settings with default and purpose; `cabinet config` prints their effective values. */
export const settings = {
  CABINET_CONFIG: { fallback: '', about: 'a file with these settings' },
  CABINET_DATA: { fallback: './data', about: 'the data folder' },
  CABINET_HOST: { fallback: '127.0.0.1', about: 'where to listen' },
  CABINET_PORT: { fallback: '8080', about: 'port of the production address; 0: any free one' },
  CABINET_TEST_PORT: { fallback: '8081', about: 'port of the test address; off: no test environment' },
  CABINET_MTLS_PORT: { fallback: '8443', about: 'port of the mutual-TLS address; off: there is none' },
  CABINET_PUBLIC_URL: { fallback: '', about: 'what clients see as the production address' },
  CABINET_TEST_PUBLIC_URL: { fallback: '', about: 'what clients see as the test address' },
  CABINET_MTLS_PUBLIC_URL: { fallback: '', about: 'what clients see as the mutual-TLS address' },
  CABINET_MTLS_CERT: { fallback: '', about: 'certificate file of the mutual-TLS address; created by default' },
  CABINET_MTLS_KEY: { fallback: '', about: 'key file that goes with it' },
  CABINET_MTLS_CA: { fallback: '', about: 'CAs that must have issued client certificates; one is created by default' },
  CABINET_MTLS_CRL: { fallback: '', about: 'revocation lists of those CAs' },
  CABINET_MTLS_PROXIES: { fallback: '', about: 'proxies whose Client-Cert header is trusted: addresses or networks' },
  CABINET_PROXIES: { fallback: '', about: 'proxies whose X-Forwarded-For header is trusted: addresses or networks' },
  CABINET_OWN_ISSUER: { fallback: 'yes', about: 'no: tokens come from outside issuers only' },
  CABINET_ID_TOKEN_ALGORITHM: { fallback: 'ES256', about: 'how ID tokens are signed: ES256 or RS256' },
  CABINET_ISSUERS: { fallback: '', about: 'a JSON file with the outside OpenID issuers whose tokens are accepted' },
  CABINET_OIDC_GROUPS_CLAIM: {
    fallback: '',
    about: "the claim of outside issuers' tokens that names a person's groups; none by default",
    isForManagers: true,
  },
  CABINET_SECOND_FACTOR: {
    fallback: 'optional',
    about: 'required: everybody needs a second factor to sign in, and sets one up the first time',
    isForManagers: true,
  },
  CABINET_TEST_SECOND_FACTOR: {
    fallback: 'optional',
    about: 'the same, for the test environment',
    isForManagers: true,
  },
  CABINET_CORS_ORIGINS: {
    fallback: '',
    about: 'origins whose pages may call the service, separated by spaces or commas',
  },
  CABINET_TLS_CERT: { fallback: '', about: 'certificate file for the production and test addresses' },
  CABINET_TLS_KEY: { fallback: '', about: 'key file that goes with it' },
  CABINET_HSTS_SUBDOMAINS: {
    fallback: 'no',
    about: 'yes: browsers use TLS for the subdomains of the addresses too (Strict-Transport-Security)',
  },
  CABINET_ALLOW_PLAIN_HTTP: { fallback: 'no', about: 'yes: listen beyond loopback without TLS' },
  CABINET_CATALOG: { fallback: 'sqlite:', about: 'where records are kept: sqlite: or postgres://…' },
  CABINET_BLOBS: { fallback: 'file:', about: 'where large contents are kept: file: or s3://bucket…' },
  CABINET_POSTGRES_CONNECTIONS: { fallback: '20', about: 'connections to PostgreSQL, for each environment of a node' },
  CABINET_NAMES: {
    fallback: 'any',
    about: 'portable: also refuse names that Windows does not allow',
    isForManagers: true,
  },
  CABINET_INLINE_LIMIT: { fallback: '64KiB', about: 'contents up to this size are kept in the catalog' },
  CABINET_MAX_FILE_SIZE: { fallback: '5TiB', about: 'the largest file that is accepted', isForManagers: true },
  CABINET_RESERVE: { fallback: '64MiB', about: 'free disk space that saves leave for reads and sign-ins' },
  CABINET_SPACE_QUOTA: {
    fallback: 'unlimited',
    about: 'the quota in bytes that a new space gets',
    isForManagers: true,
  },
  CABINET_SPACES_PER_PERSON: {
    fallback: '20',
    about: 'how many spaces one person may create, or unlimited',
    isForManagers: true,
  },
  CABINET_ALLOW_ANY_DISK: {
    fallback: 'no',
    about: 'yes: the data folder may be on a network or memory file system, whose syncs cannot be relied on',
  },
  CABINET_SCRUB_DAYS: { fallback: '30', about: 'how often everything is read and verified, or unlimited: never' },
  CABINET_SCRUB_RATE: { fallback: '8MiB', about: 'how much of it is read per second' },
  CABINET_TRASH_DAYS: {
    fallback: '30',
    about: 'how long entries stay in the trash, or unlimited',
    isForManagers: true,
  },
  CABINET_UPLOAD_HOURS: {
    fallback: '72',
    about: 'how long an unfinished upload waits for its next bytes',
    isForManagers: true,
  },
  CABINET_VERSIONS_KEPT: { fallback: 'unlimited', about: 'how many versions a file keeps', isForManagers: true },
  CABINET_VERSION_DAYS: {
    fallback: 'unlimited',
    about: 'how long a version is kept after a newer one was saved',
    isForManagers: true,
  },
  CABINET_JOURNAL_DAYS: {
    fallback: '90',
    about: 'older parts of the journal are archived into files, or unlimited',
    isForManagers: true,
  },
  CABINET_DAV_LITTER: {
    fallback: 'keep',
    about: 'discard: WebDAV accepts and forgets ._*, .DS_Store, Thumbs.db and desktop.ini',
    isForManagers: true,
  },
  CABINET_SHARES: { fallback: 'on', about: 'links for people without an account: on or off', isForManagers: true },
  CABINET_SHARE_MAKERS: {
    fallback: 'editors',
    about: 'who may create such links: editors or managers',
    isForManagers: true,
  },
  CABINET_SHARE_MAX_DAYS: { fallback: '365', about: 'the longest time that such a link can work', isForManagers: true },
  CABINET_SHARE_PASSWORD: {
    fallback: 'optional',
    about: 'required: every new link needs a password',
    isForManagers: true,
  },
  CABINET_SHARE_UPLOAD_MAX: {
    fallback: '1GiB',
    about: 'the largest file that can be sent by a link',
    isForManagers: true,
  },
  CABINET_MCP: {
    fallback: 'on',
    about: 'MCP for AI agents at /mcp: on, read (only tools that read) or off',
    isForManagers: true,
  },
  CABINET_TEST_MCP: { fallback: '', about: 'the same for the test environment, if it differs', isForManagers: true },
  // It names spaces of others.
  CABINET_MCP_SPACES: {
    fallback: '',
    about: 'spaces in which agents may do less, by id: ID=read, or ID=off for nothing',
  },
  CABINET_JOURNAL_KEYS: { fallback: '', about: 'a folder for the keys of the journal; by default beside its files' },
  CABINET_SECURITY_CONTACT: {
    fallback: '',
    about: 'mailto: or https: address for /.well-known/security.txt',
    isForManagers: true,
  },
  CABINET_AUDIT_ANCHOR: {
    fallback: '',
    about: 'where signed heads of the journal are appended every hour: a file, or s3://bucket/prefix',
  },
  CABINET_AUDIT_READS: {
    fallback: 'no',
    about: 'yes: the journal also records who reads which file',
    isForManagers: true,
  },
  CABINET_WEBHOOK_NETWORKS: {
    fallback: '',
    about: 'private networks that webhooks may send to, also without TLS: addresses or networks',
  },
  CABINET_THUMBNAIL_CACHE: { fallback: '256MiB', about: 'disk space for thumbnails, for each environment' },
  CABINET_OFFICE_CONVERTER: {
    fallback: '',
    about:
      'the soffice of LibreOffice, which makes PDFs of office documents for previews; empty: only their text is shown',
  },
  CABINET_PREVIEW_CACHE: { fallback: '512MiB', about: 'disk space for those PDFs, for each environment' },
  CABINET_SEARCH_SECONDS: {
    fallback: '20',
    about: 'how long reading the text of one document may take',
    isForManagers: true,
  },
  CABINET_HTTP_THREADS: {
    fallback: 'auto',
    about: 'threads that answer requests; auto: half as many as there are cores, at most 4',
  },
  CABINET_MAX_CONNECTIONS: { fallback: '10000', about: 'connections at a time, for each address' },
  CABINET_MAX_CONNECTIONS_PER_PEER: { fallback: '2000', about: 'connections at a time from one peer' },
  CABINET_DRAIN_SECONDS: {
    fallback: '0',
    about: 'how long a stopping node reports that it is not ready and still serves requests',
  },
  CABINET_METRICS: { fallback: 'loopback', about: 'who may read /metrics: loopback, open or off' },
  CABINET_METRICS_TOKEN: { fallback: '', about: 'the token that /metrics needs, if set', isSecret: true },
  CABINET_OTLP_ENDPOINT: { fallback: '', about: 'an OpenTelemetry collector that traces are sent to' },
  CABINET_OTLP_SHARE: { fallback: '1', about: 'the share of traces that are recorded, from 0 to 1' },
  CABINET_ACCESS_LOG: { fallback: 'no', about: 'yes: one line of the log for every request' },
  CABINET_PROFILES: {
    fallback: '',
    about: 'where the client commands keep their sign-ins; ~/.config/cabinet/profiles.json',
  },
  CABINET_PROFILE: { fallback: '', about: 'which of those sign-ins the client commands use; by default the last one' },
  CABINET_SECRET: {
    fallback: '',
    about: 'the secret that cabinet token uses, instead of --secret-file',
    isSecret: true,
  },
  CABINET_LOG_LEVEL: { fallback: 'info', about: 'trace, debug, info, warn, error, fatal or silent' },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The effective value of a setting, without secrets. */
export interface ShownSetting {
  name: SettingName;
  /** Empty: not set. */
  value: string;
  about: string;
  isDefault: boolean;
  isForManagers: boolean;
}

export function showSettings(values: Record<SettingName, string>): ShownSetting[] {
  return (Object.keys(settings) as SettingName[]).map((name) => {
    const { about, fallback, isForManagers = false }: Setting = settings[name];
    const value = hideSecrets(name, values[name]);
    return { name, value, about, isDefault: values[name] === fallback, isForManagers };
  });
}

/** Hides secrets, and passwords in URLs: before the host, or in the query. */
function hideSecrets(name: SettingName, value: string): string {
  const { isSecret }: Setting = settings[name];
  if (isSecret === true && value !== '') return '…';
  return value
    .replace(/^(\w+:\/\/[^@/?#]*?):[^@]*@/, '$1:…@')
    .replaceAll(/([?&][^=&]*(?:pass|secret|token|key)[^=&]*=)[^&]*/gi, '$1…');
}
