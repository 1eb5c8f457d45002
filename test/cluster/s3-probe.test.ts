// What the start says of an S3 that cannot be used, and why.

import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { after, describe, it, mock } from 'node:test';
import { newBlobId } from '../../src/blobs/blobs.ts';
import { Bucket, type S3Place } from '../../src/blobs/s3/bucket.ts';
import { openS3Blobs } from '../../src/blobs/s3/s3.ts';
import { makeCa, makeServer } from '../../src/certificates/make-certificate.ts';
import { Fault, type FaultKind } from '../../src/domain/fault.ts';
import { skipWithout } from '../service/programs.ts';
import { findGround } from './ground.ts';
import { type Meddle, Meddler } from './meddler.ts';

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Rejects, and says so in one line that names what is wrong but no secret. */
async function assertSays(place: S3Place, kind: FaultKind, expected: RegExp): Promise<void> {
  await assert.rejects(openS3Blobs({ ...place, patienceMs: 200 }), (error) => {
    assert.ok(error instanceof Fault, `${error}`);
    assert.match(error.message, expected);
    assert.equal(error.kind, kind);
    assert.doesNotMatch(error.message, /secret-of-ours|\n/);
    return true;
  });
}

const nowhere: S3Place = {
  bucket: 'files',
  prefix: '',
  endpoint: 'http://127.0.0.1:1',
  region: 'us-east-1',
  isPathStyle: true,
  credentials: { accessKeyId: 'key', secretAccessKey: 'secret-of-ours' },
};

describe('a start without an S3 server says', () => {
  it('that nothing listens', async () => {
    await assertSays(nowhere, 'unavailable', /^S3 at http:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/);
  });

  it('that the host name cannot be resolved', async () => {
    const endpoint = 'https://s3.invalid';
    await assertSays(
      { ...nowhere, endpoint },
      'unavailable',
      /^S3 at https:\/\/s3\.invalid cannot be reached: .*(ENOTFOUND|EAI_AGAIN)/,
    );
  });

  it('that its certificate cannot be verified', async () => {
    const ca = await makeCa();
    const signer = { certificate: new X509Certificate(ca.certificatePem), key: createPrivateKey(ca.keyPem) };
    const { certificatePem, keyPem } = await makeServer(signer, ['127.0.0.1']);
    const port = await listen(createHttpsServer({ cert: certificatePem, key: keyPem }, (_, answer) => answer.end()));
    const endpoint = `https://127.0.0.1:${port}`;
    await assertSays(
      { ...nowhere, endpoint },
      'other',
      /^The certificate of S3 at \S+ cannot be verified: .*NODE_EXTRA_CA_CERTS/,
    );
  });

  it('that it does not speak TLS', async () => {
    const endpoint = `https://127.0.0.1:${await listen(createHttpServer((_, answer) => answer.end()))}`;
    await assertSays({ ...nowhere, endpoint }, 'other', /does not speak TLS/);
  });

  it('that the server is not S3', async () => {
    const server = createHttpServer((_, answer) =>
      answer.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Hi</h1>'),
    );
    const endpoint = `http://127.0.0.1:${await listen(server)}`;
    await assertSays({ ...nowhere, endpoint }, 'other', /^S3 at \S+ could not store an object/);
  });
});

const ground = await findGround();
after(() => ground.stop());
const { s3 } = ground;
if (s3 === null) it('says what is wrong with a real S3', { skip: skipWithout('swift') });
else {
  const meddler = await Meddler.open(Number(new URL(s3.endpoint).port));
  after(() => meddler.close());
  const credentials = { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey };
  const place: S3Place = {
    ...nowhere,
    bucket: s3.bucket,
    prefix: `${newBlobId()}/`,
    endpoint: s3.endpoint,
    region: s3.region,
    credentials,
  };
  const meddledPlace: S3Place = { ...place, endpoint: `http://127.0.0.1:${meddler.port}` };

  async function meddling(meddle: Meddle, work: () => Promise<void>): Promise<void> {
    meddler.meddle = meddle;
    try {
      await work();
    } finally {
      meddler.meddle = ({ chunk }) => chunk;
    }
  }

  const refuse = (wanted: RegExp, status: string, code: string): Meddle => {
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>said S3</Message></Error>`;
    return ({ direction, chunk, request, bytes, answer }) => {
      if (direction === 'down' || !wanted.test(request)) return chunk;
      const head = `HTTP/1.1 ${status} No\r\nContent-Type: application/xml\r\nContent-Length: ${body.length}\r\n\r\n`;
      if (bytes === chunk.length) answer(`${head}${body}`);
      return Buffer.alloc(0);
    };
  };

  describe('a start with an S3 server says', () => {
    it('that the secret is wrong', async () => {
      const wrong = { ...credentials, secretAccessKey: 'secret-of-ours' };
      await assertSays(
        { ...place, credentials: wrong },
        'other',
        /^S3 at \S+ refuses the access key "test:tester" with its secret\.$/,
      );
    });

    it('that the access key is unknown or not permitted', async () => {
      const wrong = { ...credentials, accessKeyId: 'test:nobody' };
      await assertSays({ ...place, credentials: wrong }, 'other', /the access key "test:nobody"/);
      const denied = refuse(/^PUT/, '403', 'AccessDenied');
      const expected =
        /does not allow the access key "test:tester" to store an object in the bucket "[\w-]+": AccessDenied: said S3$/;
      await meddling(denied, () => assertSays(meddledPlace, 'other', expected));
      const noList = refuse(/^GET \S+list-type/, '403', 'AccessDenied');
      await meddling(noList, () => assertSays(meddledPlace, 'other', /to list objects in the bucket/));
    });

    it('that the bucket is missing', async () => {
      await assertSays(
        { ...place, bucket: 'not-there' },
        'other',
        /^S3 at http\S+ does not have the bucket "not-there"/,
      );
    });

    it('that the bucket is in another region', async () => {
      const moved = refuse(/^PUT/, '400', 'AuthorizationHeaderMalformed');
      await meddling(moved, () => assertSays(meddledPlace, 'other', /in another region: said S3$/));
    });

    it('that it cannot upload in parts', async () => {
      const none = refuse(/^POST \S+uploads/, '501', 'NotImplemented');
      await meddling(none, () =>
        assertSays(meddledPlace, 'other', /does not support what is needed: it could not take parts/),
      );
    });

    it('that it does not support ranges', async () => {
      const forget: Meddle = ({ direction, chunk, request }) => {
        if (direction === 'up' || !request.startsWith('GET')) return chunk;
        return Buffer.from(chunk.toString('latin1').replace(/content-range/i, 'Content-Ringe'), 'latin1');
      };
      await meddling(forget, () => assertSays(meddledPlace, 'other', /^S3 at \S+ does not support ranges$/));
    });

    it('that its storage is full, and that it is busy', async () => {
      const full = refuse(/^PUT/, '403', 'QuotaExceeded');
      await meddling(full, () => assertSays(meddledPlace, 'full', /^S3 at \S+ has no space left: QuotaExceeded/));
      const busy = refuse(/^PUT/, '503', 'SlowDown');
      await meddling(busy, () => assertSays(meddledPlace, 'unavailable', /SlowDown/));
    });

    it('that the clocks differ, and by how much, if that is a problem', async () => {
      const { now } = Date;
      const hourMs = 60 * 60 * 1000;
      for (const [offsetMs, expected] of [
        [hourMs, /is (59|60|61) minutes ahead of/],
        [-hourMs, /is (59|60|61) minutes behind/],
      ] as const) {
        const clock = mock.method(Date, 'now', () => now.call(Date) + offsetMs);
        try {
          const notices: string[] = [];
          const blobs = await openS3Blobs({ ...place, onNotice: (text) => notices.push(text) });
          await blobs.close();
          assert.equal(notices.length, 1, notices.join());
          assert.match(notices[0] ?? '', expected);
          const skewed = refuse(/^PUT/, '403', 'RequestTimeTooSkewed');
          await meddling(skewed, () => assertSays(meddledPlace, 'other', /^The clock of this machine/));
        } finally {
          clock.mock.restore();
        }
      }
    });

    it('nothing, and leaves nothing, if everything works', async () => {
      const notices: string[] = [];
      const prefix = `${place.prefix}well/`;
      const blobs = await openS3Blobs({ ...place, prefix, onNotice: (text) => notices.push(text) });
      assert.deepEqual(notices, []);
      const target = new Bucket({ ...place, prefix });
      assert.deepEqual(await Array.fromAsync(target.list(prefix)), []);
      assert.deepEqual(await Array.fromAsync(target.listUnfinished()), []);
      target.close();
      await blobs.close();
    });
  });
}
