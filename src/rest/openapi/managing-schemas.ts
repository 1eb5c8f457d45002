// The schemas of what managers see and change: spaces, applications, users, the audit log, usage and limits.

import { applicationKinds, roles, scopes } from '../../domain/caller.ts';
import { Type } from './json-schema.ts';
import { Timestamp } from './schemas.ts';

const time = Timestamp;
const count = (description: string) => Type.Integer({ minimum: 0, description });
const role = Type.Enum([...roles], { description: 'What the person may do in the space.' });
const scopeList = Type.Array(Type.Enum([...scopes]), { description: 'The scopes that its tokens can have.' });
const uris = Type.Array(Type.String(), { description: 'Where people may be sent after signing in.' });
const kindDescription = '`client` signs in with a secret, `server` with a certificate.';

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
  AppKey: Type.String({ description: 'Names the application in the header AppKey, and as its client id.' }),
  Name: Type.String({ description: 'Never given to another application.' }),
  Kind: Type.Enum([...applicationKinds], { description: kindDescription }),
  State: Type.Enum(['active', 'disabled', 'removed'], { description: 'Only active ones get tokens.' }),
  Scopes: scopeList,
  RedirectUris: Type.Optional(uris),
  CreatedAt: time,
};

export const Application = Type.Object(application, { title: 'Application', description: 'A client of the API.' });
export const Applications = Type.Object(
  { Applications: Type.Array(Application, { description: 'A page of them.' }) },
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
    Kind: Type.Optional(Type.Enum([...applicationKinds], { description: kindDescription })),
    Scopes: Type.Optional(scopeList),
    RedirectUris: Type.Optional(uris),
    Certificate: Type.Optional(pem),
  },
  { title: 'AddApplication', description: 'An application to register.' },
);

export const ChangeApplication = Type.Object(
  {
    State: Type.Enum(['active', 'disabled'], { description: 'The new state.' }),
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
    Subject: Type.String({ description: 'The distinguished name of its owner.' }),
    NotAfter: time,
    AddedAt: time,
  },
  { title: 'Certificate', description: 'A client certificate of an application.' },
);

export const Certificates = Type.Object(
  { Certificates: Type.Array(Certificate, { description: 'Those that the application can use.' }) },
  { title: 'Certificates', description: 'The certificates of an application.' },
);
export const AddCertificate = Type.Object(
  { Certificate: pem },
  { title: 'AddCertificate', description: 'A certificate to register.' },
);

const user = {
  Id: Type.String({ description: 'What the person signs in with.' }),
  Name: Type.String({ description: 'The full name, for people.' }),
  State: Type.Enum(['active', 'disabled'], { description: 'Disabled people cannot sign in.' }),
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
  { Users: Type.Array(User, { description: 'A page of them.' }) },
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
    Name: Type.Optional(Type.String({ description: 'The full name; the id by default.' })),
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
          By: Type.String({ description: 'Who did it, in the form of `CreatedBy`.' }),
          Application: Type.Optional(
            Type.String({ description: 'Of people: the AppKey of the application that acted for them.' }),
          ),
          Action: Type.String({ description: 'What was done, such as file.saved.' }),
          EntryId: Type.String({ description: 'Or the AppKey, the user, or nothing: what the action is about.' }),
          RequestTrackingId: Type.String({ description: 'Names the request in the logs.' }),
          Details: Type.Record(Type.String(), Type.Unknown(), { description: 'What else is known of it.' }),
        },
        { title: 'Event', description: 'One event of the journal.' },
      ),
      { description: 'Newest first.' },
    ),
  },
  { title: 'Events', description: 'A page of events, newest first.' },
);

const Quota = Type.Object(
  {
    Bytes: Type.Optional(count('Of all versions of all files.')),
    Entries: Type.Optional(count('Folders and files.')),
    RequestsPerSecond: Type.Optional(count('More are 429.')),
  },
  { title: 'Quota', description: 'What is not there is not limited.' },
);

export const Usage = Type.Object(
  {
    Space: Type.Object(
      {
        Id: Type.String({ description: 'The id of the space.' }),
        Name: Type.String({ description: 'The name of the space.' }),
        Entries: Type.Integer({ minimum: 0, description: 'Folders and files without the root, in the trash too.' }),
        Bytes: Type.Integer({ minimum: 0, description: 'Of all versions of all files, in the trash too.' }),
        TrashBytes: Type.Integer({ minimum: 0, description: 'Of the current versions of the files in the trash.' }),
        Quota: Type.Optional(Quota),
      },
      { description: 'What the space holds in all.' },
    ),
    By: Type.Array(
      Type.Object({
        Actor: Type.String({ description: 'Who made them, as `CreatedBy` says.' }),
        Entries: count('Folders and files that they created.'),
        Bytes: count('Of the versions that they saved.'),
        Quota: Type.Optional(Quota),
      }),
      { description: 'The same for each person and application.' },
    ),
  },
  { title: 'Usage', description: 'What a space holds.' },
);

export const ServiceInfo = Type.Object(
  {
    Environment: Type.Enum(['production', 'test'], { description: 'Which one answered.' }),
    Version: Type.String({ description: 'Of Cabinet.' }),
    StartedAt: time,
    Settings: Type.Array(
      Type.Object(
        {
          Name: Type.String({ description: 'The name of the environment variable.' }),
          Value: Type.String({ description: 'Empty: not set. A secret is shown as an ellipsis.' }),
          About: Type.String({ description: 'What it is for.' }),
          IsDefault: Type.Boolean({ description: 'Whether nobody has set it.' }),
        },
        { title: 'Setting', description: 'A setting of the service.' },
      ),
      { description: 'Those that the caller may see.' },
    ),
  },
  { title: 'InForce', description: 'The service and its settings.' },
);

const withQuota = (description: string) => Type.Object({ Quota: Type.Optional(Quota) }, { description });

export const ServiceLimits = Type.Object(
  {
    FileBytes: count('The largest file.'),
    InlineBytes: Type.Integer({ minimum: 0, description: 'Contents up to this size are kept beside their record.' }),
    NameCharacters: count('Of the name of an entry.'),
    FolderLevels: count('How deep folders can be nested.'),
    Properties: Type.Object(
      {
        Keys: count('How many.'),
        KeyBytes: count('Of one key.'),
        ValueBytes: count('Of one value.'),
        Bytes: count('Of all keys and values.'),
      },
      { description: 'The attributes of one entry.' },
    ),
    PageEntries: Type.Object(
      { Default: count('Without `limit`.'), Most: count('The highest `limit`.') },
      { description: 'Entries of one page.' },
    ),
    Batch: Type.Object(
      { Files: count('How many.'), Bytes: count('Of all of them.') },
      { description: 'One request of POST /files/batch.' },
    ),
    VersionsKept: Type.Optional(count('How many versions a file keeps.')),
    VersionDays: Type.Optional(count('How long replaced versions are kept.')),
    TrashDays: Type.Optional(count('How long the trash keeps entries.')),
    JournalDays: Type.Optional(count('Older events are archived.')),
    Space: withQuota('The space of the request.'),
    Caller: withQuota('Who sent the request.'),
  },
  { title: 'ServiceLimits', description: 'What is not there is not limited.' },
);
