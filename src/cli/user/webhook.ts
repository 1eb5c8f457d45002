// `cabinet webhook …`: receivers of the events of the space, for those who manage it. A webhook is named by its id, or by what its id
// or its address begins with, where only one does.

import {
  addWebhook,
  changeWebhook,
  deliveriesPage,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  showWebhook,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookWithSecret,
} from '@cabinet/client';
import type { Command } from 'commander';
import { toLocalTime, toTable } from '../table.ts';
import { LocalError, UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { requireEntry } from './remote.ts';

interface AddOptions extends PersonOptions {
  events: string[];
  folder?: string;
  description?: string;
}

interface ReplayOptions extends PersonOptions {
  from?: string;
  since?: string;
}

const shownDeliveries = 20;
const mostDeliveries = 1000;

export function registerWebhook(program: Command): void {
  const group = program
    .command('webhook')
    .description('manage webhooks of a space')
    .addHelpText(
      'after',
      '\nExamples:\n  cabinet webhook add https://example.com/hook --events file.created > secret\n  cabinet webhook test https://example.com/hook\n  cabinet webhook deliveries https://example.com/hook',
    );
  registerShowing(group);
  registerChanging(group);
  registerSending(group);
}

function registerShowing(group: Command): void {
  personCommand(group, 'list', 'list the webhooks of the space, oldest first').action((options: PersonOptions) =>
    perform(options, { run: list, toLines: toListLines }),
  );
  personCommand(group, 'show <webhook>', 'show a webhook').action((word: string, options: PersonOptions) =>
    perform(options, { run: (context) => find(context, word).then(toShown), toLines: toWebhookLines }),
  );
  personCommand(group, 'deliveries <webhook>', 'list what was sent to a webhook, newest first')
    .option('--limit <count>', `how many, at most ${mostDeliveries}`, String(shownDeliveries))
    .option('--answers', 'also show the response of the receiver')
    .action((word: string, options: PersonOptions & { limit: string; answers?: boolean }) =>
      perform(options, {
        run: (context) => listDeliveries(context, word, toNumber('--limit', options.limit, 1, mostDeliveries)),
        toLines: ({ Deliveries }) => toDeliveryLines(Deliveries, options.answers === true),
      }),
    );
}

function registerChanging(group: Command): void {
  const collect = (word: string, before: string[]) => [...before, ...word.split(/[ ,]+/).filter(Boolean)];
  personCommand(group, 'add <url>', 'create a webhook and print its secret once')
    .option('--events <patterns>', 'such as file.*,folder.created; may be repeated; everything by default', collect, [])
    .option('--folder <path>', 'only events in this folder and beneath it')
    .option('--description <text>', 'what it is for')
    .addHelpText('after', '\nOnly the secret goes to standard output: cabinet webhook add URL > secret')
    .action((url: string, options: AddOptions) =>
      perform(options, { run: (context) => add(context, url, options), toLines: ({ Secret }) => [Secret] }),
    );
  for (const [usage, about, state] of [
    ['pause <webhook>', 'send nothing until it is activated; events are kept meanwhile', 'paused'],
    ['activate <webhook>', 'continue at once, with the first event that was not accepted', 'active'],
  ] as const) {
    personCommand(group, usage, about).action((word: string, options: PersonOptions) =>
      perform(options, { run: (context) => setState(context, word, state), toLines: toWebhookLines }),
    );
  }
  personCommand(group, 'rotate <webhook>', 'create a new secret and print it once; the old one also signs for a while')
    .option('--overlap <seconds>', 'how long the old secret also signs, at most a week; a day by default')
    .action((word: string, options: PersonOptions & { overlap?: string }) =>
      perform(options, {
        run: (context) => rotate(context, word, options),
        toLines: ({ Secret }) => [Secret],
      }),
    );
  personCommand(group, 'remove <webhook>', 'remove a webhook and its log').action(
    (word: string, options: PersonOptions) =>
      perform(options, {
        run: (context) => remove(context, word),
        toLines: ({ Removed }) => [`${Removed.Url} is removed.`],
      }),
  );
}

function registerSending(group: Command): void {
  personCommand(group, 'test <webhook>', 'send a test event now, and show the result').action(
    (word: string, options: PersonOptions) =>
      perform(options, {
        run: (context) => test(context, word),
        toLines: ({ Delivery }) => toDeliveryLines([Delivery], true),
      }),
  );
  personCommand(group, 'replay <webhook>', 'send events again from a position or time on')
    .option('--from <position>', 'from this position of the journal on')
    .option('--since <time>', 'from this time on: a day such as 2027-01-31, or with a time')
    .action((word: string, options: ReplayOptions) =>
      perform(options, { run: (context) => replay(context, word, options), toLines: toWebhookLines }),
    );
}

interface Shown {
  Webhook: Webhook;
}

function toShown(webhook: Webhook): Shown {
  return { Webhook: webhook };
}

async function list({ cabinet, signal }: CommandContext): Promise<{ Webhooks: Webhook[] }> {
  return { Webhooks: await Array.fromAsync(listWebhooks(cabinet, { signal })) };
}

async function find(context: CommandContext, word: string): Promise<Webhook> {
  const { Webhooks } = await list(context);
  const exact = Webhooks.filter(({ Id, Url }) => Id === word || Url === word);
  const found =
    exact.length > 0 ? exact : Webhooks.filter(({ Id, Url }) => Id.startsWith(word) || Url.startsWith(word));
  const [only] = found;
  if (only === undefined) throw new LocalError('NotFound', `The space has no webhook ${JSON.stringify(word)}.`);
  if (found.length > 1) throw new UsageError(`${found.length} webhooks begin with ${word}: name the whole id.`);
  return await showWebhook(context.cabinet, only.Id, { signal: context.signal });
}

async function add(context: CommandContext, url: string, options: AddOptions): Promise<WebhookWithSecret> {
  const { events, folder, description } = options;
  const folderId = folder === undefined ? undefined : (await requireEntry(context, folder)).entry.Id;
  const request = { url, events: events.length === 0 ? ['*'] : events, folderId, description };
  return tellOnce(await addWebhook(context.cabinet, request, { signal: context.signal }), options);
}

function tellOnce(made: WebhookWithSecret, { json }: PersonOptions): WebhookWithSecret {
  if (json !== true) process.stderr.write(`Keep it now: it is shown once.\nWebhook: ${made.Webhook.Id}\nSecret:\n`);
  return made;
}

async function setState(context: CommandContext, word: string, state: 'active' | 'paused'): Promise<Shown> {
  const { Id: id } = await find(context, word);
  return toShown(await changeWebhook(context.cabinet, { id, state }, { signal: context.signal }));
}

async function rotate(
  context: CommandContext,
  word: string,
  options: PersonOptions & { overlap?: string },
): Promise<WebhookWithSecret> {
  const { overlap } = options;
  const overlapSeconds = overlap === undefined ? undefined : toNumber('--overlap', overlap, 0, 604_800);
  const { Id: id } = await find(context, word);
  return tellOnce(await rotateWebhook(context.cabinet, { id, overlapSeconds }, { signal: context.signal }), options);
}

async function remove(context: CommandContext, word: string): Promise<{ Removed: Webhook }> {
  const Removed = await find(context, word);
  await removeWebhook(context.cabinet, Removed.Id, { signal: context.signal });
  return { Removed };
}

async function test(context: CommandContext, word: string): Promise<{ Delivery: WebhookDelivery }> {
  const { Id } = await find(context, word);
  return { Delivery: await testWebhook(context.cabinet, Id, { signal: context.signal }) };
}

async function replay(context: CommandContext, word: string, { from, since }: ReplayOptions): Promise<Shown> {
  if ((from === undefined) === (since === undefined)) throw new UsageError('Give either --from or --since.');
  const start = from === undefined ? toTime(since ?? '') : toNumber('--from', from, 1, Number.MAX_SAFE_INTEGER);
  const { Id: id } = await find(context, word);
  return toShown(await replayWebhook(context.cabinet, { id, from: start }, { signal: context.signal }));
}

async function listDeliveries(
  context: CommandContext,
  word: string,
  limit: number,
): Promise<{ Deliveries: WebhookDelivery[] }> {
  const { Id } = await find(context, word);
  const { Deliveries } = await deliveriesPage(context.cabinet, Id, { signal: context.signal, limit });
  return { Deliveries };
}

function toNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${option} ${text}: use a number from ${least} to ${most}.`);
}

/** A day begins at its local midnight. */
function toTime(text: string): Date {
  const time = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00` : text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new UsageError(`--since ${text}: use a day such as 2027-01-31, or 2027-01-31T09:30.`);
}

function toListLines({ Webhooks }: { Webhooks: Webhook[] }): string[] {
  if (Webhooks.length === 0) return ['The space has no webhooks. Create one: cabinet webhook add URL'];
  return toTable(
    Webhooks.map(({ Id, State, Events, Url }) => [Id, State, Events.join(','), Url]),
    [],
    ['ID', 'STATE', 'EVENTS', 'URL'],
  );
}

function toWebhookLines({ Webhook }: Shown): string[] {
  const { Id, Url, Events, FolderId, Description, State, CreatedAt, CreatedBy, Position, LastDelivery } = Webhook;
  return toTable([
    ['Id', Id],
    ['Address', Url],
    ['Events', Events.join(',')],
    ...(FolderId === null ? [] : [['Folder', FolderId]]),
    ...(Description === '' ? [] : [['Description', Description]]),
    ['State', State],
    ['Position', String(Position)],
    ['Created', `${toLocalTime(CreatedAt)} by ${CreatedBy}`],
    ['Last', LastDelivery === null ? 'nothing sent yet' : toSentence(LastDelivery)],
  ]);
}

function toSentence({ At, Type, Status, Error: problem }: WebhookDelivery): string {
  return `${toLocalTime(At)} ${Type}: ${problem ?? Status ?? ''}`;
}

function toDeliveryLines(deliveries: readonly WebhookDelivery[], hasAnswers: boolean): string[] {
  if (deliveries.length === 0) return ['Nothing was sent yet.'];
  const lines = toTable(
    deliveries.map(({ At, Status, DurationMs, Attempt, Type, EventId, Error: problem }) => [
      toLocalTime(At),
      Status === null ? '–' : String(Status),
      `${DurationMs} ms`,
      `attempt ${Attempt}`,
      Type,
      problem === null ? EventId : `${EventId}  ${problem}`,
    ]),
    [2],
  );
  if (!hasAnswers) return lines;
  return lines.flatMap((line, index) => [line, ...toAnswerLines(deliveries[index]?.Response ?? '')]);
}

function toAnswerLines(answer: string): string[] {
  return toTable(
    answer
      .split('\n')
      .filter(Boolean)
      .map((line) => [`  ${line}`]),
  );
}
