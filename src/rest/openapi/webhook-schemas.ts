// The schemas of webhooks, and example records.

import {
  defaultOverlapSeconds,
  maxDescriptionChars,
  maxEventPatterns,
  maxOverlapSeconds,
} from '../../operations/webhooks.ts';
import { exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';

const time = Type.String({ format: 'date-time', description: 'UTC, always three decimals.' });
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const Delivery = Type.Object(
  {
    Id: Type.String({ description: 'Of this attempt.' }),
    EventId: Type.String({ description: 'The header `webhook-id`: the same for every attempt.' }),
    Type: Type.String({ description: 'The type of the event, such as `cabinet.file.saved`.' }),
    Attempt: Type.Integer({ minimum: 1, description: '1 for the first.' }),
    At: time,
    Status: Type.Union([Type.Integer(), Type.Null()], { description: 'The HTTP status; null: there was no answer.' }),
    DurationMs: Type.Integer({ description: 'How long the attempt took.', minimum: 0 }),
    Error: nullable('Why it failed; null: the receiver took it.'),
    Response: nullable('The beginning of the answer, at most 1 KiB.'),
  },
  { title: 'WebhookDelivery', description: 'One attempt to send an event.' },
);

const fields = {
  Url: Type.String({ description: 'https, to a public host unless the operator allows other networks.' }),
  Events: Type.Array(Type.String(), {
    description: `\`*\`, groups such as \`file.*\`, or events such as \`folder.created\`; 1 to ${maxEventPatterns}.`,
  }),
  FolderId: nullable('Only events of this folder and of what is beneath it, before or after the change. Null: all.'),
  Description: Type.String({ description: `At most ${maxDescriptionChars} characters.` }),
};

export const Webhook = Type.Object(
  {
    Id: Type.String({ description: 'The id of the webhook.' }),
    ...fields,
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
  { Deliveries: Type.Array(Delivery, { description: 'A page of them.' }) },
  { title: 'WebhookDeliveries', description: 'Attempts, newest first.' },
);

export const AddWebhook = Type.Object(
  {
    Url: fields.Url,
    Events: fields.Events,
    FolderId: Type.Optional(fields.FolderId),
    Description: Type.Optional(fields.Description),
  },
  { title: 'AddWebhook', description: 'A webhook to create.' },
);

export const ChangeWebhook = Type.Object(
  {
    Url: Type.Optional(fields.Url),
    Events: Type.Optional(fields.Events),
    FolderId: Type.Optional(fields.FolderId),
    Description: Type.Optional(fields.Description),
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
  { title: 'RotateWebhook', description: 'What becomes of the old secret.' },
);

export const ReplayWebhook = Type.Object(
  {
    FromPosition: Type.Optional(Type.Integer({ minimum: 0, description: 'The first position that is sent again.' })),
    Since: Type.Optional(Type.String({ description: 'RFC 3339: everything from this time on is sent again.' })),
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
