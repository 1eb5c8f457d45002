// An independent client that saves and reads while others misbehave, and must not notice: every response is correct, and none
// takes long.

import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../interface/client.ts';
import { Random } from './random.ts';
import { percentile, type Report } from './report.ts';
import { Client } from './workload.ts';

/** A machine at half speed, with all of this going on, stays far below. */
const longestMs = 20_000;

export class Bystander {
  readonly #client: Client;
  readonly #report: Report;
  readonly #tookMs: number[] = [];
  readonly #running: Promise<void>;
  #isOver = false;

  constructor(report: Report, caller: Caller) {
    this.#report = report;
    this.#client = new Client(caller, 4);
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const random = new Random(1);
    for (let count = 0; !this.#isOver; count += 1) {
      const begun = performance.now();
      await this.#saveAndRead(`bystander-${count}`, random.bytes(3000)).catch((error) =>
        this.#report.wrong(`a bystander is not served: ${error}`),
      );
      this.#tookMs.push(performance.now() - begun);
      await sleep(30);
    }
  }

  async #saveAndRead(name: string, bytes: Buffer): Promise<void> {
    const headers = { FileName: name, 'Content-Type': 'application/octet-stream', Prefer: 'return=minimal' };
    const saved = await this.#client.ask({ method: 'POST', path: '/files', headers, body: bytes });
    if (saved.status !== 200) throw new Error(`${saved.status} ${saved.body}`);
    const read = await this.#client.ask({ method: 'GET', path: `/files/${saved.headers.entryid}/content` });
    if (hash('sha256', read.body) !== hash('sha256', bytes)) throw new Error(`${read.status}, and other bytes`);
  }

  /** Tells how it went. */
  async leave(what: string): Promise<void> {
    this.#isOver = true;
    await this.#running;
    this.#client.close();
    const slowest = percentile(this.#tookMs, 1);
    this.#report.count(`bystander p99 ms ${what}`, percentile(this.#tookMs, 0.99));
    if (slowest > longestMs) this.#report.wrong(`a bystander waited ${slowest} ms ${what}`);
  }
}
