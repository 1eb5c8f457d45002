// Stores how far webhooks are, and the log of what was sent. Webhooks that move at about the same time share a transaction.

import { setImmediate as yieldOnce } from 'node:timers/promises';
import type { MoveWebhook } from '../catalog/verbs/webhook-deliveries.ts';
import type { Cabinet } from '../operations/cabinet.ts';

const maxMoves = 50;

interface WaitingMove {
  move: MoveWebhook;
  resolve(hasMoved: boolean): void;
  reject(error: unknown): void;
}

type Needed = Pick<Cabinet['catalog'], 'moveWebhooks'>;

export class WebhookPositions {
  readonly #catalog: Needed;
  #waiting: WaitingMove[] = [];
  #isWriting = false;

  constructor(catalog: Needed) {
    this.#catalog = catalog;
  }

  /** Whether it moved: it does not if the webhook was changed since. */
  store(move: MoveWebhook): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ move, resolve, reject });
      void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    // Others may come at the same moment.
    await yieldOnce();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, maxMoves);
      // One that cannot be stored must not hold the others.
      if (!(await this.#write(group))) for (const one of group) await this.#write([one]);
    }
    this.#isWriting = false;
  }

  /** False: nothing of a group was stored. */
  async #write(group: readonly WaitingMove[]): Promise<boolean> {
    try {
      const moved = new Set(await this.#catalog.moveWebhooks({ moves: group.map(({ move }) => move) }));
      for (const { move, resolve } of group) resolve(moved.has(move.webhook));
    } catch (error) {
      if (group.length > 1) return false;
      for (const { reject } of group) reject(error);
    }
    return true;
  }
}
