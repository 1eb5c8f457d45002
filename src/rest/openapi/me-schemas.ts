// The schemas of what people see and change of their own account, and example records.

import { maxLabelLength } from '../../operations/label.ts';
import { passwordLength } from '../../operations/passwords.ts';
import { exampleFile, exampleIds } from './examples.ts';
import { Type } from './json-schema.ts';
import { exampleSpace } from './managing-examples.ts';
import { AppKey, ApplicationName } from './managing-schemas.ts';
import { Entry, EntryPath, Space, Timestamp } from './schemas.ts';

const time = Timestamp;
const label = (what: string) =>
  Type.String({
    enforced: { minLength: 1, maxLength: maxLabelLength },
    description: `${what}: 1 to ${maxLabelLength} characters.`,
  });
const access = (description: string) => Type.Enum(['read', 'write'], { description });

export const Account = Type.Object(
  {
    Id: Type.String({ description: 'The id of the person; the AppKey of an application that acts for itself.' }),
    Name: Type.String({ description: 'For people; the id where there is none.' }),
    Kind: Type.Enum(['person', 'application'], { description: 'Whether a person or an application is signed in.' }),
    Spaces: Type.Array(Space, { description: 'The same as `GET /spaces` lists.' }),
    HasPassword: Type.Boolean({ description: 'False for people of outside issuers and for applications.' }),
    SecondFactors: Type.Array(Type.Enum(['totp', 'passkey']), {
      description: 'What a sign-in needs beside the password.',
    }),
  },
  { title: 'Account', description: 'Who the caller is.' },
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
    Current: Type.String({ description: 'The password until now.', maxLength: 1024 }),
    New: Type.String({
      maxLength: 1024,
      enforced: passwordLength,
      description: '12 to 256 characters; not your id, and not one of the most common passwords.',
    }),
  },
  { title: 'ChangePassword', description: 'The current and the new password.' },
);

export const Nothing = Type.Object(
  {},
  { title: 'Nothing', description: 'An empty object.', additionalProperties: false },
);

const Session = Type.Object(
  {
    Id: Type.String({ description: 'Ends the session, by DELETE.' }),
    Application: AppKey,
    ApplicationName,
    StartedAt: time,
    LastUsedAt: Type.String({ format: 'date-time', description: 'Recorded about once a minute.' }),
    Address: Type.String({ description: 'Where it began.' }),
    UserAgent: Type.String({ description: 'In which browser it began, as the browser says.' }),
    IsCurrent: Type.Boolean({ description: 'Whether the request came from it.' }),
  },
  { title: 'Session', description: 'A sign-in of a person by one application.' },
);

export const Sessions = Type.Object(
  { Sessions: Type.Array(Session, { description: 'Those that have not ended.' }) },
  { title: 'Sessions', description: 'Where a person is signed in.' },
);

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
          Application: AppKey,
          ApplicationName,
          Scopes: Type.Array(Type.String(), { description: 'What you allowed; all of it by `scope` of OAuth 2.0.' }),
          GivenAt: time,
        },
        { title: 'GivenConsent', description: 'What a person has allowed one application.' },
      ),
      { description: 'One for each application.' },
    ),
  },
  { title: 'Consents', description: 'What a person has allowed applications.' },
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
    Id: Type.String({ description: 'Removes it, by DELETE.' }),
    Name: Type.String({ description: 'Which program it is for.' }),
    Access: access('What programs can do with it.'),
    SpaceId: Type.Union([Type.String(), Type.Null()], { description: 'Null: every space of the person.' }),
    CreatedAt: time,
    ExpiresAt: nullableTime('Null: never.'),
    LastUsedAt: nullableTime('Null: not used yet. Later uses are recorded about once a minute.'),
  },
  { title: 'AppPassword', description: 'A password for a program that cannot sign in.' },
);

export const AppPasswords = Type.Object(
  { AppPasswords: Type.Array(AppPassword, { description: 'Those that were not removed.' }) },
  { title: 'AppPasswords', description: 'The app passwords of a person.' },
);

export const AddAppPassword = Type.Object(
  {
    Name: label('What it is for'),
    Access: access('`read`: programs can only read with it.'),
    SpaceId: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'The only space that it opens; every one by default.' }),
    ),
    ExpiresAt: Type.Optional(
      Type.Union([Type.String({ enforced: { format: 'date-time' } }), Type.Null()], {
        description: 'RFC 3339; never by default.',
      }),
    ),
  },
  { title: 'AddAppPassword', description: 'An app password to make.' },
);

export const AddedAppPassword = Type.Object(
  { AppPassword, Password: Type.String({ description: 'The password itself, shown once.' }) },
  { title: 'AddedAppPassword', description: 'A new app password, with its secret.' },
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

const SecondFactor = Type.Object(
  {
    Id: Type.String({ description: 'The id of the second factor.' }),
    Kind: Type.Enum(['totp', 'passkey'], { description: '`totp`: an authenticator app.' }),
    Name: Type.String({ description: 'As its owner calls it.' }),
    CreatedAt: time,
    LastUsedAt: nullableTime('The last sign-in with it; null: none yet.'),
  },
  { title: 'SecondFactor', description: 'What a person shows beside the password.' },
);

export const exampleSecondFactor = {
  Id: '0199b7c28d1e7a64b0f52c91e7d3a801',
  Kind: 'totp',
  Name: 'phone',
  CreatedAt: '2026-01-15T09:30:00.123Z',
  LastUsedAt: null,
};

export const SecondFactors = Type.Object(
  {
    SecondFactors: Type.Array(SecondFactor, { description: 'The oldest first.' }),
    RecoveryCodesLeft: Type.Integer({ description: 'How many recovery codes were not used.' }),
    IsRequired: Type.Boolean({ description: 'Whether everybody here needs one to sign in.' }),
  },
  { title: 'SecondFactors', description: 'The second factors of the person.' },
);

export const PasswordProof = Type.Object(
  { Password: Type.String({ maxLength: 1024, description: 'Your current password.' }) },
  { title: 'PasswordProof', description: 'A fresh proof that it is the person who asks.' },
);

export const TotpSetup = Type.Object(
  {
    Secret: Type.String({ description: 'For typing into an authenticator app.' }),
    Uri: Type.String({ description: 'The same as an `otpauth:` address, for a QR code.' }),
    Setup: Type.String({ description: 'To be sent back with the first code, within 15 minutes.' }),
  },
  { title: 'TotpSetup', description: 'An authenticator app that is being set up.' },
);

export const AddTotp = Type.Object(
  {
    Setup: Type.String({ maxLength: 4096, description: 'The `Setup` that came with the key for the app.' }),
    Code: Type.String({ maxLength: 64, description: 'What the app shows now.' }),
    Name: label('On which phone the app is'),
  },
  { title: 'AddTotp', description: 'The first code of an authenticator app.' },
);

export const PasskeySetup = Type.Object(
  {
    Options: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'For `navigator.credentials.create`: PublicKeyCredentialCreationOptionsJSON of WebAuthn.',
      },
    ),
    Setup: Type.String({ description: 'To be sent back with the credential, within 15 minutes.' }),
  },
  { title: 'PasskeySetup', description: 'A passkey that is being added.' },
);

export const AddPasskey = Type.Object(
  {
    Setup: Type.String({ maxLength: 4096, description: 'The `Setup` that came with the options.' }),
    Credential: Type.Object(
      { id: Type.String({ description: 'The id of the credential.' }) },
      { description: 'What the browser made: RegistrationResponseJSON of WebAuthn.' },
    ),
    Name: label('Where the passkey is kept'),
  },
  { title: 'AddPasskey', description: 'A passkey that the browser has made.' },
);

const recoveryCodes = (description: string) => Type.Array(Type.String(), { description });

export const AddedSecondFactor = Type.Object(
  { SecondFactor, RecoveryCodes: recoveryCodes('With your first second factor, shown once; else empty.') },
  { title: 'AddedSecondFactor', description: 'A new second factor.' },
);

export const RecoveryCodes = Type.Object(
  { RecoveryCodes: recoveryCodes('Shown once; only their hashes are kept.') },
  { title: 'RecoveryCodes', description: 'New recovery codes.' },
);

export const PersonalEntries = Type.Object(
  {
    Entries: Type.Array(Type.Object({ Entry, Path: EntryPath, At: time }), {
      description: 'At: when it was starred, or used last.',
    }),
  },
  { title: 'PersonalEntries', description: 'Entries that a person keeps an eye on, the newest first.' },
);

export const examplePersonal = {
  Entries: [{ Entry: exampleFile, Path: '/Invoices/a.pdf', At: '2026-03-01T08:00:00.000Z' }],
};
