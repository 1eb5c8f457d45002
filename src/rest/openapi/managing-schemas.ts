// The schemas of what managers see and change: spaces, applications, users, the audit log, usage and limits.

import { applicationKinds, roles, scopes } from '../../domain/caller.ts';
import { Type } from './json-schema.ts';
import { Timestamp } from './schemas.ts';

const time = Timestamp;
const count = Type.Integer({ minimum: 0 });
const role = Type.Enum([...roles]);
const scopeList = Type.Array(Type.Enum([...scopes]));
const uris = Type.Array(Type.String());

export const NameSpace = Type.Object(
  {
    Name: Type.String({
      enforced: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
      description: '1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
    }),
  },
  { title: 'NameSpace', description: 'The name of a space.' },
);

const application = {
  AppKey: Type.String(),
  Name: Type.String(),
  Kind: Type.Enum([...applicationKinds]),
  State: Type.Enum(['active', 'disabled', 'removed']),
  Scopes: scopeList,
  RedirectUris: Type.Optional(uris),
  CreatedAt: time,
};

export const Application = Type.Object(application, { title: 'Application', description: 'A client of the API.' });
export const Applications = Type.Object(
  { Applications: Type.Array(Application) },
  { title: 'Applications', description: 'The applications of a space.' },
);

export const RegisteredApplication = Type.Object(
  { ...application, Secret: Type.Optional(Type.String({ description: 'Shown once; only its hash is kept.' })) },
  { title: 'RegisteredApplication', description: 'An application, with its secret where it is new.' },
);

const pem = Type.String({ description: 'A certificate in PEM; of kind server only.', maxLength: 65_536 });

export const AddApplication = Type.Object(
  {
    Name: Type.String({
      enforced: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
      description: 'Never given to another application.',
    }),
    Kind: Type.Optional(Type.Enum([...applicationKinds])),
    Scopes: Type.Optional(scopeList),
    RedirectUris: Type.Optional(uris),
    Certificate: Type.Optional(pem),
  },
  { title: 'AddApplication', description: 'An application to register.' },
);

export const ChangeApplication = Type.Object(
  {
    State: Type.Enum(['active', 'disabled']),
    RevokeTokens: Type.Optional(
      Type.Boolean({
        description:
          'With `disabled`: its tokens, sign-ins and links end for good. Without, they work again when it is enabled.',
      }),
    ),
  },
  { title: 'ChangeApplication', description: 'The new state of an application.' },
);

const maxOverlapSeconds = 365 * 24 * 60 * 60;

export const RotateSecret = Type.Object(
  {
    OverlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxOverlapSeconds,
        description: 'How long the replaced secret stays valid; 0 by default.',
      }),
    ),
  },
  { title: 'RotateSecret', description: 'What becomes of the old secret.' },
);

export const Certificate = Type.Object(
  {
    Thumbprint: Type.String({ description: 'SHA-256 of the DER, base64url.' }),
    Subject: Type.String(),
    NotAfter: time,
    AddedAt: time,
  },
  { title: 'Certificate', description: 'A client certificate of an application.' },
);

export const Certificates = Type.Object(
  { Certificates: Type.Array(Certificate) },
  { title: 'Certificates', description: 'The certificates of an application.' },
);
export const AddCertificate = Type.Object(
  { Certificate: pem },
  { title: 'AddCertificate', description: 'A certificate to register.' },
);

const user = {
  Id: Type.String(),
  Name: Type.String(),
  State: Type.Enum(['active', 'disabled']),
  Role: Type.Optional(Type.Enum([...roles], { description: 'Absent once it was taken away.' })),
  CreatedAt: time,
  CreatedBy: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Who made the account; null: unknown. For callers who manage the space.',
    }),
  ),
  HasSignedIn: Type.Optional(
    Type.Boolean({ description: 'Whether its owner has ever signed in. For callers who manage the space.' }),
  ),
};

export const User = Type.Object(user, { title: 'User', description: 'A person with a role in the space.' });
export const Users = Type.Object(
  { Users: Type.Array(User) },
  { title: 'Users', description: 'The people of a space.' },
);

const setup = {
  SetupUrl: Type.String({ format: 'uri', description: 'Where the person sets the password, once. Shown once.' }),
  SetupExpiresAt: time,
};

export const AddedUser = Type.Object(
  { ...user, ...setup },
  { title: 'AddedUser', description: 'A person who was added, with the link that sets the password.' },
);
export const SetupLink = Type.Object(setup, { title: 'SetupLink', description: 'A link that sets a password.' });

export const AddUser = Type.Object(
  {
    Id: Type.String({ description: 'Never given out twice.' }),
    Name: Type.Optional(Type.String()),
    Role: role,
  },
  { title: 'AddUser', description: 'A person to add.' },
);

export const ChangeUser = Type.Object(
  { Role: role },
  { title: 'ChangeUser', description: 'The new role of a person.' },
);

export const Events = Type.Object(
  {
    Events: Type.Array(
      Type.Object(
        {
          Position: Type.Integer({ minimum: 1, description: 'In the journal of the whole environment.' }),
          At: time,
          By: Type.String(),
          Application: Type.Optional(
            Type.String({ description: 'Of people: the AppKey of the application that acted for them.' }),
          ),
          Action: Type.String(),
          EntryId: Type.String({ description: 'Or the AppKey, the user, or nothing: what the action is about.' }),
          RequestTrackingId: Type.String(),
          Details: Type.Record(Type.String(), Type.Unknown(), { description: 'What else is known of it.' }),
        },
        { title: 'Event', description: 'One event of the journal.' },
      ),
    ),
  },
  { title: 'Events', description: 'A page of events, newest first.' },
);

const Quota = Type.Object(
  {
    Bytes: Type.Optional(count),
    Entries: Type.Optional(count),
    RequestsPerSecond: Type.Optional(count),
  },
  { title: 'Quota', description: 'What is not there is not limited.' },
);

export const Usage = Type.Object(
  {
    Space: Type.Object({
      Id: Type.String(),
      Name: Type.String(),
      Entries: Type.Integer({ minimum: 0, description: 'Folders and files without the root, in the trash too.' }),
      Bytes: Type.Integer({ minimum: 0, description: 'Of all versions of all files, in the trash too.' }),
      TrashBytes: Type.Integer({ minimum: 0, description: 'Of the current versions of the files in the trash.' }),
      Quota: Type.Optional(Quota),
    }),
    By: Type.Array(
      Type.Object({
        Actor: Type.String({ description: 'Who made them, as `CreatedBy` says.' }),
        Entries: count,
        Bytes: count,
        Quota: Type.Optional(Quota),
      }),
    ),
  },
  { title: 'Usage', description: 'What a space holds.' },
);

export const ServiceInfo = Type.Object(
  {
    Environment: Type.Enum(['production', 'test']),
    Version: Type.String({ description: 'Of Cabinet.' }),
    StartedAt: time,
    Settings: Type.Array(
      Type.Object(
        {
          Name: Type.String(),
          Value: Type.String({ description: 'Empty: not set. A secret is shown as an ellipsis.' }),
          About: Type.String({ description: 'What it is for.' }),
          IsDefault: Type.Boolean(),
        },
        { title: 'Setting', description: 'A setting of the service.' },
      ),
    ),
  },
  { title: 'InForce', description: 'The service and its settings.' },
);

const WithQuota = Type.Object({ Quota: Type.Optional(Quota) });

export const ServiceLimits = Type.Object(
  {
    FileBytes: count,
    InlineBytes: Type.Integer({ minimum: 0, description: 'Contents up to this size are kept beside their record.' }),
    NameCharacters: count,
    FolderLevels: count,
    Properties: Type.Object({ Keys: count, KeyBytes: count, ValueBytes: count, Bytes: count }),
    PageEntries: Type.Object({ Default: count, Most: count }),
    Batch: Type.Object({ Files: count, Bytes: count }, { description: 'One request of POST /files/batch.' }),
    VersionsKept: Type.Optional(count),
    VersionDays: Type.Optional(count),
    TrashDays: Type.Optional(count),
    JournalDays: Type.Optional(count),
    Space: WithQuota,
    Caller: WithQuota,
  },
  { title: 'ServiceLimits', description: 'What is not there is not limited.' },
);
