// Webhooks for the tests of docs/contract.md §15: each with a receiver that can verify its messages, removed in the end.

import { eventually } from '../service/service.ts';
import { type Receiver, startReceiver } from '../service/webhook-receiver.ts';
import type { Caller } from './client.ts';
import { ask, get, getAll, manage } from './managing.ts';

export type Delivery = {
  Id: string;
  EventId: string;
  Type: string;
  Attempt: number;
  At: string;
  Status: number | null;
  DurationMs: number;
  Error: string | null;
  Response: string | null;
};
export type Webhook = {
  Id: string;
  Url: string;
  Events: string[];
  FolderId: string | null;
  Description: string;
  State: string;
  CreatedAt: string;
  CreatedBy: string;
  Position: number;
  LastDelivery: Delivery | null;
};
export type Added = { Webhook: Webhook; Secret: string };

export class Webhooks {
  readonly #admin: Caller;
  readonly #receivers: Receiver[] = [];
  readonly #added: string[] = [];

  constructor(admin: Caller) {
    this.#admin = admin;
  }

  async receive(): Promise<Receiver> {
    const receiver = await startReceiver();
    this.#receivers.push(receiver);
    return receiver;
  }

  /** By the administrator, or by somebody else. */
  readonly connect = async (
    fields: object = {},
    maker = this.#admin,
  ): Promise<{ hook: Webhook; receiver: Receiver; secret: string }> => {
    const receiver = await this.receive();
    const given = { Url: receiver.url, Events: ['*'], ...fields };
    const { Webhook: hook, Secret: secret } = await manage<Added>(maker, 'POST', '/webhooks', given);
    this.#added.push(hook.Id);
    receiver.secrets.push(secret);
    return { hook, receiver, secret };
  };

  readonly show = async (id: string) => (await get<{ Webhook: Webhook }>(this.#admin, `/webhooks/${id}`)).Webhook;

  readonly change = async (id: string, fields: object) =>
    (await manage<{ Webhook: Webhook }>(this.#admin, 'PATCH', `/webhooks/${id}`, fields)).Webhook;

  readonly deliveriesOf = (id: string) =>
    getAll<Delivery>(this.#admin, `/webhooks/${id}/deliveries?limit=2`, 'Deliveries');

  async close(): Promise<void> {
    for (const id of this.#added) await ask(this.#admin, 'DELETE', `/webhooks/${id}`);
    for (const receiver of this.#receivers) receiver.close();
  }
}

export function actionsOf({ received }: Receiver) {
  return received.map(({ event }) => event.data?.Action);
}

export function until(receiver: Receiver, count: number): Promise<void> {
  return eventually(`${count} events`, async () => receiver.received.length >= count);
}
