// Configuration: environment variables `CABINET_*`, or a file with the same names that `CABINET_CONFIG` names
// (lines NAME=value; environment variables win). Read once; all mistakes are reported together.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type IdTokenAlgorithm, idTokenAlgorithms } from '../auth/id-token-algorithms.ts';
import type { OutsideIssuerRules } from '../auth/outside-issuer.ts';
import { type BlobsSetting, parseBlobsSetting } from '../blobs/blobs-setting.ts';
import { type McpAccess, type McpSpaces, mcpAccesses } from '../domain/caller.ts';
import type { NameRules } from '../domain/name.ts';
import { type ShareRules, shareMakers } from '../domain/share-rules.ts';
import { type AnchorSetting, parseAnchorSetting } from './anchor-setting.ts';
import { type CatalogConfig, parseCatalogSetting } from './catalog-setting.ts';
import { ConfigMistakes } from './config-mistakes.ts';
import { parseContact } from './contact-setting.ts';
import { parseMcpSpaces } from './mcp-setting.ts';
import { SettingReader, type Values } from './setting-reader.ts';
import { type SettingName, type ShownSetting, settings, showSettings } from './settings.ts';

export interface AddressConfig {
  host: string;
  /** 0: any free port; null: this address is off. */
  port: number | null;
  /** The URL that clients use, without a trailing slash; null: the listener's address. */
  publicUrl: string | null;
  tls: { certPath: string; keyPath: string } | null;
}

interface MutualTlsConfig extends AddressConfig {
  /** The CAs of client certificates; null: our own CA for development. */
  caPath: string | null;
  crlPath: string | null;
  /** Proxies that terminate TLS and are trusted to pass the client's certificate. */
  proxies: readonly string[];
}

interface TelemetryConfig {
  /** Who may read `/metrics`. */
  metrics: { token: string } | 'loopback' | 'open' | 'off';
  /** Where traces are sent; null: nowhere. */
  otlpEndpoint: string | null;
  /** The share of traces starting here that are recorded, 0 to 1. */
  otlpShare: number;
  isAccessLogged: boolean;
}

export interface Config {
  dataFolder: string;
  catalog: CatalogConfig;
  blobs: BlobsSetting;
  production: AddressConfig;
  test: AddressConfig;
  /** `tls` null: our own certificate for development. */
  mutualTls: MutualTlsConfig;
  /** Whether browsers use TLS for the subdomains too. */
  isSubdomainStrict: boolean;
  /** Proxies that are trusted to pass the client's address. */
  proxies: readonly string[];
  isOwnIssuer: boolean;
  /** Whether everybody needs a second factor to sign in. */
  secondFactor: Record<'production' | 'test', 'optional' | 'required'>;
  idTokenAlgorithm: IdTokenAlgorithm;
  outsideIssuers: readonly OutsideIssuerRules[];
  names: NameRules;
  inlineBytes: number;
  maxFileBytes: number;
  reserveBytes: number;
  /** The quota of new spaces; null, here and in the next: unlimited. */
  spaceQuotaBytes: number | null;
  spacesPerPerson: number | null;
  /** Whether the catalog may be on a network or memory file system. */
  isAnyDiskAllowed: boolean;
  /** How often everything is verified, and how fast; null: never. */
  scrub: { days: number; bytesPerSecond: number } | null;
  /** Null, here and in the other periods and counts below: unlimited. */
  trashDays: number | null;
  uploadHours: number;
  versionsKept: number | null;
  versionDays: number | null;
  journalDays: number | null;
  journalKeysFolder: string | null;
  auditAnchor: AnchorSetting | null;
  /** Whether reads of contents are recorded in the journal. */
  isReadAudited: boolean;
  mcp: Record<'production' | 'test', McpAccess>;
  mcpSpaces: McpSpaces;
  shares: ShareRules & { uploadMaxBytes: number };
  /** Whether WebDAV accepts and forgets the files that systems leave in every folder. */
  isLitterDiscarded: boolean;
  /** Networks that webhooks may send to although they are private, and without TLS. */
  webhookNetworks: readonly string[];
  thumbnailCacheBytes: number;
  /** The program that makes PDFs of office documents; null: none. */
  officeConverter: string | null;
  previewCacheBytes: number;
  /** The time limit for extracting the text of one document. */
  searchSeconds: number;
  /** Threads that serve requests, including the main one. */
  httpThreads: number;
  maxConnections: number;
  maxConnectionsPerPeer: number;
  corsOrigins: ReadonlySet<string>;
  securityContact: string | null;
  /** How long readiness checks fail before the service stops accepting connections. */
  drainSeconds: number;
  telemetry: TelemetryConfig;
  logLevel: string;
  /** All settings without secrets. */
  settings: readonly ShownSetting[];
}

const loopback = /^(127(\.\d{1,3}){3}|::1|localhost)$/;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const maxThreads = 64;
const maxAutoThreads = 4;
const largestInlineBytes = 1024 * 1024;

export type Variables = Record<string, string | undefined>;

export function processVariables(): Variables {
  return process.env;
}

/** Every setting with its effective value, as text. */
export function readSettings(environment: Variables = process.env): Record<SettingName, string> {
  const path = environment.CABINET_CONFIG;
  const mistakes: string[] = [];
  const file = path === undefined || path === '' ? {} : readFile(path, mistakes);
  for (const [source, names] of [
    ['environment', environment],
    [path, file],
  ] as const) {
    for (const name of Object.keys(names)) {
      if (isOfClients(name, source)) continue;
      if (name.startsWith('CABINET_') && !(name in settings)) mistakes.push(`${name} (${source}) is not a setting`);
    }
  }
  if (mistakes.length > 0) throw new ConfigMistakes(mistakes);
  const values = Object.entries(settings).map(([name, { fallback }]) => [
    name,
    environment[name] ?? file[name] ?? fallback,
  ]);
  return Object.fromEntries(values) as Record<SettingName, string>;
}

/** For clients on the same machine: where the service is, and which application they are. */
const clientVariables = ['CABINET_URL', 'CABINET_APPKEY'];

function isOfClients(name: string, source: string | undefined): boolean {
  return source === 'environment' && clientVariables.includes(name);
}

function readFile(path: string, mistakes: string[]): Variables {
  try {
    return parseEnv(readFileSync(path, 'utf8')) as Variables;
  } catch (error) {
    mistakes.push(`CABINET_CONFIG: ${(error as Error).message}`);
    return {};
  }
}

/** The configuration with these settings changed. */
export function readConfigWith(changes: Variables): Config {
  return readConfig({ ...process.env, ...changes });
}

function readSecondFactor(reader: SettingReader): Config['secondFactor'] {
  return {
    production: reader.choice('CABINET_SECOND_FACTOR', ['optional', 'required']),
    test: reader.choice('CABINET_TEST_SECOND_FACTOR', ['optional', 'required']),
  };
}

function readMcp(reader: SettingReader, values: Values): Config['mcp'] {
  const production = reader.choice('CABINET_MCP', mcpAccesses);
  return {
    production,
    test: values.CABINET_TEST_MCP === '' ? production : reader.choice('CABINET_TEST_MCP', mcpAccesses),
  };
}

function readIssuers(
  reader: SettingReader,
  values: Values,
): Pick<Config, 'isOwnIssuer' | 'idTokenAlgorithm' | 'outsideIssuers'> {
  const groupsClaim = values.CABINET_OIDC_GROUPS_CLAIM || null;
  return {
    isOwnIssuer: reader.choice('CABINET_OWN_ISSUER', ['yes', 'no']) === 'yes',
    idTokenAlgorithm: reader.choice('CABINET_ID_TOKEN_ALGORITHM', idTokenAlgorithms),
    outsideIssuers: reader.issuers('CABINET_ISSUERS').map((rules) => ({ ...rules, groupsClaim })),
  };
}

export function readConfig(environment: Variables = process.env): Config {
  const values = readSettings(environment);
  const reader = new SettingReader(values);
  const host = values.CABINET_HOST;
  const tls = reader.tls('CABINET_TLS_CERT', 'CABINET_TLS_KEY');
  if (!loopback.test(host) && tls === null && reader.choice('CABINET_ALLOW_PLAIN_HTTP', ['no', 'yes']) === 'no') {
    reader.mistake(
      'CABINET_HOST',
      `${host} can be reached from outside; set CABINET_TLS_CERT and CABINET_TLS_KEY, or CABINET_ALLOW_PLAIN_HTTP=yes`,
    );
  }
  const config: Config = {
    dataFolder: resolve(values.CABINET_DATA),
    catalog: parseCatalogSetting(values.CABINET_CATALOG, reader.count('CABINET_POSTGRES_CONNECTIONS'), (problem) =>
      reader.mistake('CABINET_CATALOG', problem),
    ),
    blobs: reader.parsed<BlobsSetting>('CABINET_BLOBS', parseBlobsSetting, { kind: 'file' }),
    production: { host, tls, port: reader.port('CABINET_PORT'), publicUrl: reader.publicUrl('CABINET_PUBLIC_URL') },
    test: { host, tls, port: reader.port('CABINET_TEST_PORT'), publicUrl: reader.publicUrl('CABINET_TEST_PUBLIC_URL') },
    mutualTls: readMutualTls(reader, values),
    isSubdomainStrict: reader.choice('CABINET_HSTS_SUBDOMAINS', ['no', 'yes']) === 'yes',
    proxies: reader.peers('CABINET_PROXIES'),
    ...readIssuers(reader, values),
    secondFactor: readSecondFactor(reader),
    names: reader.choice('CABINET_NAMES', ['any', 'portable']),
    inlineBytes: reader.bytes('CABINET_INLINE_LIMIT', largestInlineBytes),
    maxFileBytes: reader.bytes('CABINET_MAX_FILE_SIZE'),
    reserveBytes: reader.bytes('CABINET_RESERVE'),
    spaceQuotaBytes: reader.bytesOrNone('CABINET_SPACE_QUOTA'),
    spacesPerPerson: reader.countOrNone('CABINET_SPACES_PER_PERSON'),
    isAnyDiskAllowed: reader.choice('CABINET_ALLOW_ANY_DISK', ['no', 'yes']) === 'yes',
    scrub: readScrub(reader),
    trashDays: reader.countOrNone('CABINET_TRASH_DAYS'),
    uploadHours: reader.number('CABINET_UPLOAD_HOURS', 8760),
    versionsKept: reader.countOrNone('CABINET_VERSIONS_KEPT'),
    versionDays: reader.countOrNone('CABINET_VERSION_DAYS'),
    journalDays: reader.countOrNone('CABINET_JOURNAL_DAYS'),
    journalKeysFolder: values.CABINET_JOURNAL_KEYS === '' ? null : resolve(values.CABINET_JOURNAL_KEYS),
    auditAnchor: reader.parsed('CABINET_AUDIT_ANCHOR', parseAnchorSetting, null),
    isReadAudited: reader.choice('CABINET_AUDIT_READS', ['no', 'yes']) === 'yes',
    mcp: readMcp(reader, values),
    mcpSpaces: reader.parsed('CABINET_MCP_SPACES', parseMcpSpaces, new Map()),
    shares: readShares(reader),
    isLitterDiscarded: reader.choice('CABINET_DAV_LITTER', ['keep', 'discard']) === 'discard',
    webhookNetworks: reader.peers('CABINET_WEBHOOK_NETWORKS'),
    ...readPictures(reader),
    searchSeconds: reader.count('CABINET_SEARCH_SECONDS'),
    httpThreads: readHttpThreads(reader, values),
    maxConnections: reader.count('CABINET_MAX_CONNECTIONS'),
    maxConnectionsPerPeer: reader.count('CABINET_MAX_CONNECTIONS_PER_PEER'),
    corsOrigins: reader.origins('CABINET_CORS_ORIGINS'),
    securityContact: reader.parsed('CABINET_SECURITY_CONTACT', parseContact, null),
    drainSeconds: reader.number('CABINET_DRAIN_SECONDS', 300),
    telemetry: readTelemetry(reader, values),
    logLevel: reader.choice('CABINET_LOG_LEVEL', logLevels),
    settings: showSettings(values),
  };
  for (const { issuer, environment, name } of config.outsideIssuers) {
    if (config.isOwnIssuer && issuer === config[environment].publicUrl) {
      reader.mistake('CABINET_ISSUERS', `${name} is our own issuer`);
    }
  }
  if (!config.isOwnIssuer && config.outsideIssuers.length === 0) {
    reader.mistake('CABINET_OWN_ISSUER', 'then CABINET_ISSUERS must name another; nobody could get a token');
  }
  if (values.CABINET_PORT === 'off') reader.mistake('CABINET_PORT', 'the production address cannot be switched off');
  reader.finish();
  return config;
}

function readMutualTls(reader: SettingReader, values: Values): MutualTlsConfig {
  return {
    host: values.CABINET_HOST,
    port: reader.port('CABINET_MTLS_PORT'),
    publicUrl: reader.publicUrl('CABINET_MTLS_PUBLIC_URL'),
    tls: reader.tls('CABINET_MTLS_CERT', 'CABINET_MTLS_KEY'),
    caPath: values.CABINET_MTLS_CA === '' ? null : values.CABINET_MTLS_CA,
    crlPath: values.CABINET_MTLS_CRL === '' ? null : values.CABINET_MTLS_CRL,
    proxies: reader.peers('CABINET_MTLS_PROXIES'),
  };
}

function readShares(reader: SettingReader): Config['shares'] {
  return {
    isOn: reader.choice('CABINET_SHARES', ['on', 'off']) === 'on',
    makers: reader.choice('CABINET_SHARE_MAKERS', [...shareMakers]),
    maxDays: reader.count('CABINET_SHARE_MAX_DAYS'),
    isPasswordRequired: reader.choice('CABINET_SHARE_PASSWORD', ['optional', 'required']) === 'required',
    uploadMaxBytes: reader.bytes('CABINET_SHARE_UPLOAD_MAX'),
  };
}

function readPictures(
  reader: SettingReader,
): Pick<Config, 'thumbnailCacheBytes' | 'officeConverter' | 'previewCacheBytes'> {
  return {
    thumbnailCacheBytes: reader.bytes('CABINET_THUMBNAIL_CACHE'),
    officeConverter: reader.program('CABINET_OFFICE_CONVERTER'),
    previewCacheBytes: reader.bytes('CABINET_PREVIEW_CACHE'),
  };
}

/** Several threads share the writer of SQLite. On PostgreSQL several nodes do the same. */
function readHttpThreads(reader: SettingReader, values: Values): number {
  const name = 'CABINET_HTTP_THREADS';
  const isOne = values.CABINET_CATALOG.startsWith('postgres');
  if (values[name] === 'auto') {
    // On other systems a port cannot be shared, or the kernel does not distribute connections.
    return isOne || process.platform !== 'linux'
      ? 1
      : Math.max(1, Math.min(maxAutoThreads, Math.floor(availableParallelism() / 2)));
  }
  const count = reader.count(name);
  if (count > maxThreads) reader.mistake(name, `${count} is more than ${maxThreads}`);
  if (isOne && count > 1) reader.mistake(name, 'with PostgreSQL it is 1: run more nodes instead');
  return count;
}

function readTelemetry(reader: SettingReader, values: Values): TelemetryConfig {
  const access = reader.choice('CABINET_METRICS', ['loopback', 'open', 'off']);
  const { CABINET_METRICS_TOKEN: token } = values;
  if (token !== '' && !/^[\x21-\x7e]{20,}$/.test(token)) {
    reader.mistake('CABINET_METRICS_TOKEN', 'needs at least 20 characters, and no spaces');
  }
  if (token !== '' && access !== 'loopback')
    reader.mistake('CABINET_METRICS_TOKEN', `is of no use where CABINET_METRICS=${access}`);
  return {
    metrics: token === '' ? access : { token },
    otlpEndpoint: reader.url('CABINET_OTLP_ENDPOINT'),
    otlpShare: reader.number('CABINET_OTLP_SHARE', 1),
    isAccessLogged: reader.choice('CABINET_ACCESS_LOG', ['no', 'yes']) === 'yes',
  };
}

function readScrub(reader: SettingReader): Config['scrub'] {
  const days = reader.countOrNone('CABINET_SCRUB_DAYS');
  const bytesPerSecond = reader.bytes('CABINET_SCRUB_RATE');
  if (bytesPerSecond < 1) reader.mistake('CABINET_SCRUB_RATE', 'must be more than nothing');
  return days === null ? null : { days, bytesPerSecond };
}
