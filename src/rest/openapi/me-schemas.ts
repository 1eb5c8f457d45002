// The schemas of what people see and change of their own account, and example records.

import { maxAppPasswordName } from '../../operations/app-passwords.ts';
import { exampleFile, exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';
import { exampleSpace } from './managing-examples.ts';
import { Entry, Space } from './schemas.ts';

const time = Type.String({ format: 'date-time', description: 'UTC, always three decimals.' });
const access = Type.Enum(['read', 'write']);

export const Account = Type.Object(
  {
    Id: Type.String({ description: 'The id of the person; the AppKey of an application that acts for itself.' }),
    Name: Type.String(),
    Kind: Type.Enum(['person', 'application']),
    Spaces: Type.Array(Space),
    HasPassword: Type.Boolean({ description: 'False for people of outside issuers and for applications.' }),
    SecondFactors: Type.Array(Type.Enum(['totp', 'passkey'])),
  },
  { title: 'Account' },
);

export const exampleAccount = {
  Id: 'alice',
  Name: 'Alice Ames',
  Kind: 'person',
  Spaces: [exampleSpace],
  HasPassword: true,
  SecondFactors: [],
};

export const ChangePassword = Type.Object(
  {
    Current: Type.String({ maxLength: 1024 }),
    New: Type.String({
      maxLength: 1024,
      description: '12 to 256 characters; not your id, and not one of the most common passwords.',
    }),
  },
  { title: 'ChangePassword' },
);

export const Nothing = Type.Object({}, { title: 'Nothing', additionalProperties: false });

const Session = Type.Object(
  {
    Id: Type.String(),
    Application: Type.String({ description: 'The AppKey.' }),
    ApplicationName: Type.String(),
    StartedAt: time,
    LastUsedAt: Type.String({ format: 'date-time', description: 'Recorded about once a minute.' }),
    Address: Type.String({ description: 'Where it began.' }),
    UserAgent: Type.String({ description: 'In which browser it began, as the browser says.' }),
    IsCurrent: Type.Boolean({ description: 'Whether the request came from it.' }),
  },
  { title: 'Session' },
);

export const Sessions = Type.Object({ Sessions: Type.Array(Session) }, { title: 'Sessions' });

export const exampleSession = {
  Id: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
  Application: exampleIds.appKey,
  ApplicationName: 'console',
  StartedAt: '2026-01-15T09:30:00.123Z',
  LastUsedAt: '2026-01-15T11:02:48.007Z',
  Address: '192.0.2.7',
  UserAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  IsCurrent: true,
};

export const Consents = Type.Object(
  {
    Consents: Type.Array(
      Type.Object(
        {
          Application: Type.String({ description: 'The AppKey.' }),
          ApplicationName: Type.String(),
          Scopes: Type.Array(Type.String(), { description: 'What you allowed; all of it by `scope` of OAuth 2.0.' }),
          GivenAt: time,
        },
        { title: 'GivenConsent' },
      ),
    ),
  },
  { title: 'Consents' },
);

export const exampleConsent = {
  Application: exampleIds.appKey,
  ApplicationName: 'reports',
  Scopes: ['openid', 'content.read'],
  GivenAt: '2026-01-15T09:30:00.123Z',
};

const nullableTime = (description: string) => Type.Union([time, Type.Null()], { description });

const AppPassword = Type.Object(
  {
    Id: Type.String(),
    Name: Type.String(),
    Access: access,
    SpaceId: Type.Union([Type.String(), Type.Null()], { description: 'Null: every space of the person.' }),
    CreatedAt: time,
    ExpiresAt: nullableTime('Null: never.'),
    LastUsedAt: nullableTime('Null: not used yet. Later uses are recorded about once a minute.'),
  },
  { title: 'AppPassword' },
);

export const AppPasswords = Type.Object({ AppPasswords: Type.Array(AppPassword) }, { title: 'AppPasswords' });

export const AddAppPassword = Type.Object(
  {
    Name: Type.String({ description: `What it is for: 1 to ${maxAppPasswordName} characters.` }),
    Access: access,
    SpaceId: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'The only space that it opens; every one by default.' }),
    ),
    ExpiresAt: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'RFC 3339; never by default.' })),
  },
  { title: 'AddAppPassword' },
);

export const AddedAppPassword = Type.Object(
  { AppPassword, Password: Type.String({ description: 'Shown once; only its hash is kept.' }) },
  { title: 'AddedAppPassword' },
);

export const exampleAppPassword = {
  Id: '0199b7c28d1e7a64b0f52c91e7d3a801',
  Name: 'laptop',
  Access: 'write',
  SpaceId: null,
  CreatedAt: '2026-01-15T09:30:00.123Z',
  ExpiresAt: null,
  LastUsedAt: null,
};

export const PersonalEntries = Type.Object(
  { Entries: Type.Array(Type.Object({ Entry, Path: Type.String(), At: time })) },
  { title: 'PersonalEntries', description: 'Entries that a person keeps an eye on, the newest first.' },
);

export const examplePersonal = {
  Entries: [{ Entry: exampleFile, Path: '/Invoices/a.pdf', At: '2026-03-01T08:00:00.000Z' }],
};
