// Password hashing: argon2id, stored in PHC form ($argon2id$v=19$m=…,t=…,p=…$salt$hash). Each hash takes 19 MiB and about 50 ms of
// CPU time, so only one or two run at once, and those who ask take turns.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { Refusal } from '../domain/refusal.ts';
import { FairQueue, QueueFull } from '../runtime/fair-queue.ts';
import { isCommonPassword } from './common-passwords.ts';

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. Of new hashes; a stored one says its own. */
export const costs: Costs = { memoryKib: 19 * 1024, passes: 2, lanes: 1 };
const tagBytes = 32;
const saltBytes = 16;

/** Leaves a core for everything else. */
const concurrency = availableParallelism() > 2 ? 2 : 1;
const queue = new FairQueue({ concurrency, maxWaiting: 64, maxSources: 1000 });

/** In characters (code points). */
export const passwordLength = { minLength: 12, maxLength: 256 };

/** Words that a guesser tries first, because they are about this service. */
const contextWords = ['cabinet'];

/** Everything that sets a password asks here. `target`: the field that it was sent as. */
export function checkPassword(password: string, user: string, target = 'Password'): string {
  const problem = findProblem(password, user);
  if (problem !== null) throw new Refusal('InvalidField', `The password ${problem}.`, { target });
  return password;
}

function findProblem(password: string, user: string): string | null {
  const length = [...password].length;
  const { minLength, maxLength } = passwordLength;
  if (length < minLength || length > maxLength) return `must have ${minLength} to ${maxLength} characters`;
  if (!password.isWellFormed()) return 'must be valid Unicode';
  const lowered = password.normalize('NFKC').toLowerCase();
  if (userWords(user).some((word) => lowered.includes(word))) return 'must not contain the user';
  const word = contextWords.find((one) => lowered.includes(one));
  if (word !== undefined) return `must not contain "${word}"`;
  if (new Set(password).size < 5) return 'must have more than a few different characters';
  if (isRepetition(lowered)) return 'must not repeat one word';
  return isCommonPassword(password) ? 'is one of the most common ones. Choose another' : null;
}

/** The id, and what stands before the @ of one that is an address. Very short ones are in too many words. */
function userWords(user: string): string[] {
  const id = user.normalize('NFKC').toLowerCase();
  return [id, id.split('@')[0] ?? id].filter((word) => word.length >= 4);
}

/** `annannannann` and `qwertyqwerty` are no longer to guess than `ann` and `qwerty`. */
function isRepetition(text: string): boolean {
  return (text + text).indexOf(text, 1) < text.length;
}

export function generatePassword(): string {
  return randomBytes(18).toString('base64url');
}

/** `source`: who asks, in whose queue it waits. */
export async function hashPassword(password: string, source: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await derive(source, password, salt, costs);
  return toPhc(salt, tag);
}

/** A hash that no password matches: of an account whose owner has not set one yet, or of one that does not exist. */
export function makeUnmatchable(): string {
  return toPhc(randomBytes(saltBytes), randomBytes(tagBytes));
}

function toPhc(salt: Buffer, tag: Buffer): string {
  const { memoryKib, passes, lanes } = costs;
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${encode(salt)}$${encode(tag)}`;
}

export async function isPassword(password: string, stored: string, source: string): Promise<boolean> {
  const [, m, t, p, salt, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('a stored password is not in PHC form');
  const stated = { memoryKib: Number(m), passes: Number(t), lanes: Number(p) };
  const expected = Buffer.from(tag, 'base64');
  return timingSafeEqual(await derive(source, password, Buffer.from(salt, 'base64'), stated), expected);
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

interface Costs {
  memoryKib: number;
  passes: number;
  lanes: number;
}

const compute = promisify(argon2);

async function derive(source: string, password: string, salt: Buffer, costs: Costs): Promise<Buffer> {
  const work = () =>
    compute('argon2id', {
      // Different encodings of the same characters are the same password.
      message: password.normalize('NFKC'),
      nonce: salt,
      parallelism: costs.lanes,
      tagLength: tagBytes,
      memory: costs.memoryKib,
      passes: costs.passes,
    });
  return await queue.run(source, work).catch((error) => {
    throw error instanceof QueueFull ? new TooBusy() : error;
  });
}

export class TooBusy extends Error {
  constructor() {
    super('too many passwords are being checked at once');
    this.name = 'TooBusy';
  }
}
