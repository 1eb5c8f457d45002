// The schemas of webhooks, and example records.

import {
  defaultOverlapSeconds,
  maxDescriptionChars,
  maxEventPatterns,
  maxOverlapSeconds,
} from '../../operations/webhooks.ts';
import { exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';
import { Timestamp } from './schemas.ts';

const time = Timestamp;
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const Delivery = Type.Object(
  {
    Id: Type.String({ description: 'Of this attempt.' }),
    EventId: Type.String({ description: 'The header `webhook-id`: the same for every attempt.' }),
    Type: Type.String({ description: 'The type of the event, such as `cabinet.file.saved`.' }),
    Attempt: Type.Integer({ minimum: 1, description: '1 for the first attempt, then one more for each retry.' }),
    At: time,
    Status: Type.Union([Type.Integer(), Type.Null()], { description: 'The HTTP status; null: there was no answer.' }),
    DurationMs: Type.Integer({ description: 'How long the attempt took.', minimum: 0 }),
    Error: nullable('Why it failed; null: the receiver took it.'),
    Response: nullable('The beginning of the answer, at most 1 KiB.'),
  },
  { title: 'WebhookDelivery', description: 'One attempt to send an event.' },
);

const described = { enforced: { maxLength: maxDescriptionChars } };
const WebhookUrl = Type.String({
  title: 'WebhookUrl',
  description: 'Where events are sent: https, to a public host unless the operator allows other networks.',
});
const WebhookEvents = Type.Array(Type.String(), {
  enforced: { minItems: 1, maxItems: maxEventPatterns },
  title: 'WebhookEvents',
  description: `\`*\`, groups such as \`file.*\`, or events such as \`folder.created\`; 1 to ${maxEventPatterns}.`,
});

export const Webhook = Type.Object(
  {
    Id: Type.String({ description: 'The id of the webhook.' }),
    Url: WebhookUrl,
    Events: WebhookEvents,
    FolderId: nullable('The folder whose events are sent, with those of everything beneath it; null: all events.'),
    Description: Type.String({ description: 'What its maker says of it.' }),
    State: Type.Enum(['active', 'paused', 'failing', 'disabled'], {
      description:
        '`paused` by a person; `failing` from the first failed attempt until a success; `disabled` after 410, or after ' +
        'failing for three days.',
    }),
    CreatedAt: time,
    CreatedBy: Type.String({ description: 'Who created it.' }),
    Position: Type.Integer({ minimum: 0, description: 'The last position of the journal that the receiver took.' }),
    LastDelivery: Type.Union([Delivery, Type.Null()], { description: 'The newest attempt; null: none yet.' }),
  },
  { title: 'Webhook', description: 'A receiver of the events of a space.' },
);

export const WebhookAnswer = Type.Object({ Webhook }, { title: 'WebhookAnswer', description: 'A webhook.' });
export const WebhookWithSecret = Type.Object(
  { Webhook, Secret: Type.String({ description: 'Verifies signatures. Shown once.' }) },
  { title: 'WebhookWithSecret', description: 'A webhook with its new secret.' },
);
export const Webhooks = Type.Object(
  { Webhooks: Type.Array(Webhook, { description: 'Those of the space.' }) },
  { title: 'Webhooks', description: 'The webhooks of a space.' },
);
export const DeliveryAnswer = Type.Object(
  { Delivery },
  { title: 'WebhookDeliveryAnswer', description: 'What became of a test event.' },
);
export const Deliveries = Type.Object(
  { Deliveries: Type.Array(Delivery, { description: 'Those of the last 30 days, retries too.' }) },
  { title: 'WebhookDeliveries', description: 'Attempts, newest first.' },
);

export const AddWebhook = Type.Object(
  {
    Url: WebhookUrl,
    Events: WebhookEvents,
    FolderId: Type.Optional(
      nullable('Send only events of this folder and of what is beneath it, before or after the change.'),
    ),
    Description: Type.Optional(
      Type.String({ ...described, description: `What it is for, at most ${maxDescriptionChars} characters.` }),
    ),
  },
  { title: 'AddWebhook', description: 'A webhook to create.' },
);

export const ChangeWebhook = Type.Object(
  {
    Url: Type.Optional(WebhookUrl),
    Events: Type.Optional(WebhookEvents),
    FolderId: Type.Optional(nullable('Another folder; null: the events of the whole space.')),
    Description: Type.Optional(
      Type.String({ ...described, description: `Another text, at most ${maxDescriptionChars} characters.` }),
    ),
    State: Type.Optional(Type.Enum(['active', 'paused'], { description: 'Pauses it, or goes on.' })),
  },
  { title: 'ChangeWebhook', description: 'What to change of a webhook.' },
);

export const RotateWebhook = Type.Object(
  {
    OverlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxOverlapSeconds,
        description: `How long the replaced secret signs too; ${defaultOverlapSeconds} by default.`,
      }),
    ),
  },
  { title: 'RotateWebhook', description: 'How the signing secret of a webhook is replaced.' },
);

export const ReplayWebhook = Type.Object(
  {
    FromPosition: Type.Optional(Type.Integer({ minimum: 0, description: 'The first position that is sent again.' })),
    Since: Type.Optional(
      Type.String({
        enforced: { format: 'date-time' },
        description: 'RFC 3339: everything from this time on is sent again.',
      }),
    ),
  },
  { title: 'ReplayWebhook', description: 'Where to begin: one of the two.' },
);

export const exampleDelivery = {
  Id: '0199b7c4-0f3a-7d51-9b0e-6a2c54e1d7f0',
  EventId: `${exampleIds.space}:4711`,
  Type: 'cabinet.file.saved',
  Attempt: 1,
  At: '2026-01-15T09:30:00.456Z',
  Status: 204,
  DurationMs: 38,
  Error: null,
  Response: '',
};

export const exampleWebhook = {
  Id: '0199b7c3-52aa-7b90-a1c4-08e3f7d26b15',
  Url: 'https://example.com/hooks/cabinet',
  Events: ['file.*', 'folder.created'],
  FolderId: null,
  Description: 'search index',
  State: 'active',
  CreatedAt: '2026-01-15T09:30:00.123Z',
  CreatedBy: 'mona',
  Position: 4711,
  LastDelivery: exampleDelivery,
};
