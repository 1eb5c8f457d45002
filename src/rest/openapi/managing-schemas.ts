// The schemas of what managers see and change: spaces, applications, users, the audit log, usage and limits.

import { applicationKinds, roles, scopes } from '../../domain/caller.ts';
import { type TSchema, Type } from './json-schema.ts';
import { ShareMakers, SpaceId, Timestamp } from './schemas.ts';

const time = Timestamp;
const count = (description: string) => Type.Integer({ minimum: 0, description });
const SpaceRole = Type.Enum([...roles], {
  title: 'SpaceRole',
  description: 'What a person may do in a space: a viewer reads, an editor writes too, a manager also manages it.',
});
const ApplicationScopes = Type.Array(Type.Enum([...scopes]), {
  title: 'ApplicationScopes',
  description: 'The scopes that tokens of an application can have.',
});
const RedirectUris = Type.Array(Type.String(), {
  title: 'RedirectUris',
  description: 'Where an application may have people sent after they have signed in.',
});
const ApplicationKind = Type.Enum([...applicationKinds], {
  title: 'ApplicationKind',
  description: '`client` signs in with a secret, `server` with a certificate.',
});
export const AppKey = Type.String({
  title: 'AppKey',
  description: 'Names an application, in the header `AppKey` and as its client id in OAuth 2.0.',
});
export const ApplicationName = Type.String({
  title: 'ApplicationName',
  description: 'The name that an application was registered with. No other one ever gets it.',
});
const ApplicationState = Type.Enum(['active', 'disabled', 'removed'], {
  title: 'ApplicationState',
  description: 'Only active applications get tokens.',
});
export const UserId = Type.String({ title: 'UserId', description: 'What a person signs in with.' });
const UserName = Type.String({ title: 'UserName', description: 'The full name of a person.' });

const SpaceName = Type.String({
  title: 'SpaceName',
  enforced: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
  description: '1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
});

export const NameSpace = Type.Object({ Name: SpaceName }, { title: 'NameSpace', description: 'The name of a space.' });

function rule<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Optional(Type.Union([schema, Type.Null()], { description }));
}

export const ChangeSpace = Type.Object(
  {
    Name: Type.Optional(SpaceName),
    Shares: Type.Optional(
      Type.Object(
        {
          Allowed: rule(
            Type.Boolean(),
            'false switches links off, also those that there are; null: as the settings say.',
          ),
          Makers: rule(ShareMakers, 'Null: as the settings of the service say.'),
          PasswordRequired: rule(Type.Boolean(), 'true: new links need a password; null: as the settings say.'),
          MaxDays: rule(
            Type.Integer({ minimum: 1, maximum: 1_000_000 }),
            'How many days a new link can work at most; null: as the settings say.',
          ),
        },
        {
          title: 'ChangeShareRules',
          description: 'Rules about links, none laxer than the settings of the service; what is absent stays.',
        },
      ),
    ),
  },
  { title: 'ChangeSpace', description: 'What to change of a space; what is absent stays.' },
);

const application = {
  AppKey,
  Name: ApplicationName,
  Kind: ApplicationKind,
  State: ApplicationState,
  Scopes: ApplicationScopes,
  RedirectUris: Type.Optional(RedirectUris),
  CreatedAt: time,
};

export const Application = Type.Object(application, { title: 'Application', description: 'A client of the API.' });
export const Applications = Type.Object(
  { Applications: Type.Array(Application, { description: 'By name, without those that were removed.' }) },
  { title: 'Applications', description: 'The applications of a space.' },
);

export const RegisteredApplication = Type.Object(
  { ...application, Secret: Type.Optional(Type.String({ description: 'The new secret of a `client`, shown once.' })) },
  { title: 'RegisteredApplication', description: 'An application, with its secret where it is new.' },
);

const pem = (description: string) => Type.String({ description, maxLength: 65_536 });

export const AddApplication = Type.Object(
  {
    Name: Type.String({
      enforced: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
      description: 'A name that no application of the environment has or had.',
    }),
    Kind: Type.Optional(ApplicationKind),
    Scopes: Type.Optional(ApplicationScopes),
    RedirectUris: Type.Optional(RedirectUris),
    Certificate: Type.Optional(pem('Of kind `server`: its first certificate, in PEM.')),
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
  { title: 'RotateSecret', description: 'How the secret of an application is replaced.' },
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
  { Certificate: pem('Another certificate of a `server`, in PEM.') },
  { title: 'AddCertificate', description: 'A certificate to register.' },
);

const user = {
  Id: UserId,
  Name: UserName,
  Role: Type.Optional(SpaceRole),
  CreatedAt: time,
};
const maker = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));
const userState = (description: string) => Type.Enum(['active', 'disabled'], { description });
const hasSignedIn = (description: string) => Type.Optional(Type.Boolean({ description }));

export const User = Type.Object(
  {
    ...user,
    State: userState('Disabled people cannot sign in.'),
    CreatedBy: maker('Who made the account; null: unknown. For callers who manage the space.'),
    HasSignedIn: hasSignedIn('Whether its owner has ever signed in. For callers who manage the space.'),
  },
  { title: 'User', description: 'A person with a role in the space; without `Role` once it was taken away.' },
);
export const Users = Type.Object(
  { Users: Type.Array(User, { description: 'Those with a role in the space.' }) },
  { title: 'Users', description: 'The people of a space.' },
);

const setup = {
  SetupUrl: Type.String({
    title: 'SetupUrl',
    format: 'uri',
    description: 'Where a person sets the password, once. Shown once.',
  }),
  SetupExpiresAt: time,
};

export const AddedUser = Type.Object(
  {
    ...user,
    State: userState('A new account is active.'),
    CreatedBy: maker('Who sent the request.'),
    HasSignedIn: hasSignedIn('False: the account is new.'),
    ...setup,
  },
  { title: 'AddedUser', description: 'A person who was added, with the link that sets the password.' },
);
export const SetupLink = Type.Object(setup, { title: 'SetupLink', description: 'A link that sets a password.' });

export const AddUser = Type.Object(
  {
    Id: Type.String({
      enforced: { pattern: '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$' },
      description: 'Never reused. Upper and lower case are the same.',
    }),
    Name: Type.Optional(
      Type.String({
        enforced: { minLength: 1, maxLength: 200 },
        description: 'The full name, 1 to 200 characters; the id by default.',
      }),
    ),
    Role: SpaceRole,
  },
  { title: 'AddUser', description: 'A person to add.' },
);

export const ChangeUser = Type.Object(
  { Role: SpaceRole },
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
          Action: Type.String({ description: 'What was done, such as file.saved or user.role.' }),
          EntryId: Type.String({ description: 'Or the AppKey, the user, or nothing: what the action is about.' }),
          RequestTrackingId: Type.String({ description: 'The `requesttrackingid` of the request that did it.' }),
          Details: Type.Record(Type.String(), Type.Unknown(), { description: 'What else is known of it.' }),
        },
        { title: 'Event', description: 'One event of the journal.' },
      ),
      { description: 'Those that match the filter.' },
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
  { title: 'Quota', description: 'Limits of a space, a person or an application; an absent one does not apply.' },
);

export const Usage = Type.Object(
  {
    Space: Type.Object(
      {
        Id: SpaceId,
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
          About: Type.String({ description: 'What the setting does.' }),
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
        Keys: count('How many keys an entry can have.'),
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
      { Files: count('How many files.'), Bytes: count('Of all files together.') },
      { description: 'One request of POST /files/batch.' },
    ),
    VersionsKept: Type.Optional(count('How many versions a file keeps.')),
    VersionDays: Type.Optional(count('How long replaced versions are kept.')),
    TrashDays: Type.Optional(count('How long the trash keeps entries.')),
    JournalDays: Type.Optional(count('Older events are archived.')),
    Space: withQuota('The space of the request.'),
    Caller: withQuota('The person or application that sent the request.'),
  },
  { title: 'ServiceLimits', description: 'The limits of the service; an absent one does not apply.' },
);
