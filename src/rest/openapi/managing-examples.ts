// Example records for the schemas of `managing-schemas.ts`.

import { exampleIds } from './examples.ts';

const at = '2026-01-15T09:30:00.123Z';

export const exampleSpace = {
  Id: exampleIds.space,
  Name: 'backoffice',
  RootFolderId: exampleIds.root,
  Role: 'manager',
};

export const exampleSpaceWithRules = {
  ...exampleSpace,
  Shares: { Allowed: true, Makers: 'editors', PasswordRequired: true, MaxDays: 30 },
};

export const exampleApplication = {
  AppKey: exampleIds.appKey,
  Name: 'scanner',
  Kind: 'client',
  State: 'active',
  Scopes: ['content.read', 'content.write'],
  CreatedAt: at,
};

export const exampleRegistered = { ...exampleApplication, Secret: 'cs_1nP0…' };

export const exampleCertificate = {
  Thumbprint: 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2',
  Subject: 'CN=scanner',
  NotAfter: '2027-01-15T09:30:00.000Z',
  AddedAt: at,
};

export const examplePem = '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n';

export const exampleUser = {
  Id: 'alice',
  Name: 'Alice Ames',
  State: 'active',
  Role: 'editor',
  CreatedAt: at,
  CreatedBy: 'mona',
  HasSignedIn: false,
};

export const exampleSetupLink = {
  SetupUrl: 'http://127.0.0.1:8080/setup/Zm91ciB3b3JkcyBub2JvZHkgZXhwZWN0cyBoZXJlISE',
  SetupExpiresAt: '2026-01-18T09:30:00.123Z',
};

export const exampleEvent = {
  Position: 4711,
  At: at,
  By: 'alice',
  Application: exampleIds.appKey,
  Action: 'application.added',
  EntryId: exampleIds.appKey,
  RequestTrackingId: exampleIds.request,
  Details: { Name: 'scanner' },
};

export const exampleUsage = {
  Space: {
    Id: exampleIds.space,
    Name: 'backoffice',
    Entries: 1200,
    Bytes: 48213771,
    TrashBytes: 1024,
    Quota: { Bytes: 10737418240 },
  },
  By: [{ Actor: 'app:backoffice', Entries: 1200, Bytes: 48213771 }],
};

export const exampleLimits = {
  FileBytes: 5497558138880,
  InlineBytes: 65536,
  NameCharacters: 255,
  FolderLevels: 100,
  Properties: { Keys: 100, KeyBytes: 128, ValueBytes: 4096, Bytes: 65536 },
  PageEntries: { Default: 100, Most: 1000 },
  Batch: { Files: 1000, Bytes: 33554432 },
  TrashDays: 30,
  JournalDays: 90,
  Space: { Quota: { Bytes: 10737418240 } },
  Caller: { Quota: { RequestsPerSecond: 50 } },
};

export const exampleServiceInfo = {
  Environment: 'production',
  Version: '1.2.0',
  StartedAt: at,
  Settings: [
    { Name: 'CABINET_TRASH_DAYS', Value: '30', About: 'how long the trash keeps what is put into it', IsDefault: true },
  ],
};
