// Parses `CABINET_BLOBS`, the location of large contents:
//   file:
//   s3://[key:secret@]bucket[/prefix][?endpoint=https://…&region=…&pathStyle=yes&insecure=yes]
// Without a key the SDK looks for one in environment variables, a profile and the role of the machine.

export interface S3Setting {
  kind: 's3';
  bucket: string;
  /** What every key begins with: empty, or ending in a slash. */
  prefix: string;
  /** Null: Amazon's own, by the region. */
  endpoint: string | null;
  /** Null: as the SDK finds it. */
  region: string | null;
  /** Whether the bucket is named in the path instead of the host. */
  isPathStyle: boolean;
  /** Null: as the SDK finds them. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
}

export type BlobsSetting = { kind: 'file' } | S3Setting;

export class BlobsSettingMistakes extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('; '));
    this.name = 'BlobsSettingMistakes';
    this.mistakes = mistakes;
  }
}

const parameters = ['endpoint', 'region', 'pathStyle', 'insecure'] as const;
type Parameter = (typeof parameters)[number];

/** Throws `BlobsSettingMistakes` with all of them. None repeats a secret. */
export function parseBlobsSetting(text: string): BlobsSetting {
  if (text === 'file:') return { kind: 'file' };
  const url = /^s3:\/\//.test(text) ? URL.parse(text) : null;
  if (url === null) {
    throw new BlobsSettingMistakes([`${JSON.stringify(withoutSecret(text))} is neither file: nor s3://bucket/prefix`]);
  }
  const reader = new Reader(url);
  const setting: S3Setting = {
    kind: 's3',
    bucket: reader.bucket(),
    prefix: reader.prefix(),
    credentials: reader.credentials(),
    ...reader.place(),
  };
  if (reader.mistakes.length > 0) throw new BlobsSettingMistakes(reader.mistakes);
  return setting;
}

/** The setting without secrets. */
export function withoutSecret(text: string): string {
  return text.replace(/^(\w+:\/\/[^@/?#]*?):[^@]*@/, '$1:…@');
}

class Reader {
  readonly mistakes: string[] = [];
  readonly #url: URL;

  constructor(url: URL) {
    this.#url = url;
    if (url.hash !== '') this.mistakes.push('nothing can stand behind a #; write it as %23');
    for (const name of new Set(url.searchParams.keys())) {
      if (!(parameters as readonly string[]).includes(name)) {
        this.mistakes.push(`${JSON.stringify(name)} is not one of ${parameters.join(', ')}`);
      } else if (url.searchParams.getAll(name).length > 1) this.mistakes.push(`${name} is said twice`);
    }
  }

  bucket(): string {
    const { hostname, port } = this.#url;
    const isName = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(hostname) && port === '';
    if (hostname === '') this.mistakes.push('the bucket is missing: s3://bucket/prefix');
    else if (!isName) {
      this.mistakes.push(
        `${JSON.stringify(this.#url.host)} is not the name of a bucket; a server is named by endpoint=`,
      );
    }
    return hostname;
  }

  prefix(): string {
    const prefix = this.#url.pathname.replace(/^\/|\/$/g, '');
    if (prefix === '') return '';
    const isPlain = prefix.split('/').every((part) => /^[A-Za-z0-9._-]+$/.test(part) && !/^\.+$/.test(part));
    if (!isPlain || prefix.length > 512) {
      this.mistakes.push(
        `${JSON.stringify(prefix)} is not a prefix: words of letters, digits, dots, hyphens and underscores, with a slash between them`,
      );
    }
    return `${prefix}/`;
  }

  credentials(): S3Setting['credentials'] {
    const { username, password } = this.#url;
    if (username === '' && password === '') return null;
    if (username === '' || password === '') {
      this.mistakes.push('a key goes with a secret, key:secret@bucket; only one is there');
    }
    try {
      return { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) };
    } catch {
      this.mistakes.push('the key or the secret has a % that no two hexadecimal digits follow; write it as %25');
      return null;
    }
  }

  place(): Pick<S3Setting, 'endpoint' | 'region' | 'isPathStyle'> {
    const endpoint = this.#endpoint();
    const region = this.#get('region');
    if (region !== null && !/^[A-Za-z0-9-]{1,64}$/.test(region)) {
      this.mistakes.push(`${JSON.stringify(region)} is not the name of a region`);
    }
    // Self-hosted servers seldom have a host name for every bucket, and seldom use the region.
    const isOwn = endpoint !== null;
    return { endpoint, region: region ?? (isOwn ? 'us-east-1' : null), isPathStyle: this.#isSaid('pathStyle', isOwn) };
  }

  #endpoint(): string | null {
    const text = this.#get('endpoint');
    const isInsecure = this.#isSaid('insecure', false);
    if (text === null) return null;
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.username !== '') {
      this.mistakes.push(`endpoint=${JSON.stringify(withoutSecret(text))} is not an http or https address`);
      return null;
    }
    if (url.protocol === 'http:' && !isInsecure && !isLoopback(url.hostname)) {
      this.mistakes.push(
        `endpoint=${url.origin} would send everything in the clear; use https, or say insecure=yes if nobody can listen`,
      );
    }
    return url.href.replace(/\/+$/, '');
  }

  #isSaid(name: Parameter, fallback: boolean): boolean {
    const text = this.#get(name);
    if (text !== null && text !== 'yes' && text !== 'no') {
      this.mistakes.push(`${name}=${JSON.stringify(text)} is neither yes nor no`);
    }
    return text === null ? fallback : text === 'yes';
  }

  #get(name: Parameter): string | null {
    return this.#url.searchParams.get(name);
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
