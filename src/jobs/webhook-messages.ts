// What is sent of each change, made once for all webhooks that get it at about the same time. Only signatures differ.

import type { WebhookWork } from '../catalog/verbs/webhook-deliveries.ts';
import type { SpaceChange } from '../catalog/verbs/webhook-events.ts';
import { isOfEntry } from '../domain/webhook-events.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import { type Message, type RenderEvent, toMessage } from '../operations/webhook-message.ts';

/** An event shows its entry as of sending. */
const sharedMs = 100;
const maxKept = 256;
const nothing = { entry: null, path: null };

interface Kept {
  madeAt: number;
  message: Promise<Message>;
}

type Needed = Pick<Cabinet, 'clock'> & { catalog: Pick<Cabinet['catalog'], 'showSubject'> };

export class WebhookMessages {
  readonly #cabinet: Needed;
  readonly #render: RenderEvent;
  /** In the order of time. */
  readonly #kept = new Map<string, Kept>();

  constructor(cabinet: Needed, render: RenderEvent) {
    this.#cabinet = cabinet;
    this.#render = render;
  }

  /** A retry gets a new one. */
  async find(work: WebhookWork, change: SpaceChange): Promise<Message> {
    if (work.attempts > 0) return await this.#make(work, change);
    const key = `${work.spaceId}:${change.position}`;
    const now = this.#cabinet.clock.monotonic();
    const known = this.#kept.get(key);
    if (known !== undefined && now - known.madeAt < sharedMs) return await known.message;
    this.#forget(key, now);
    const message = this.#make(work, change);
    this.#kept.set(key, { madeAt: now, message });
    return await message;
  }

  #forget(key: string, now: number): void {
    this.#kept.delete(key);
    for (const [other, { madeAt }] of this.#kept) {
      if (now - madeAt < sharedMs && this.#kept.size < maxKept) return;
      this.#kept.delete(other);
    }
  }

  async #make({ space, spaceId }: WebhookWork, change: SpaceChange): Promise<Message> {
    const { position, at, by, action, details, entry: subject } = change;
    const shown = isOfEntry(action) ? await this.#cabinet.catalog.showSubject({ space, entry: subject }) : nothing;
    const event = { id: `${spaceId}:${position}`, spaceId, position, at, by, action, subject, details, ...shown };
    return toMessage(event, this.#render);
  }
}
