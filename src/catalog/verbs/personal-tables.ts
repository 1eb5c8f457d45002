// Every place where the catalog names a person: what an export has of it, and what erasing removes. A test fails for a column that is
// neither here nor in its list of columns that name nobody.

export interface PersonalTable {
  table: string;
  /** The column with the id of the person. */
  person: string;
  /** What is before the id in that column. */
  prefix?: string;
  /** The list in the export that has the rows; null: none, `reason` says why. */
  section: string | null;
  /** The columns that identify a row among those of the person. */
  key: readonly string[];
  /** What the export has of each row: a column, or an expression `AS` a name. Never a secret or a hash. */
  shown: readonly string[];
  /** Whether erasing the person removes the rows. */
  isErased: boolean;
  /** Why rows stay, or are not exported. */
  reason?: string;
}

const recordReason = 'A record says who made it. The id stays, and `Usage` of the export counts them.';
const makerReason = 'It belongs to its space, and says who made it.';

interface Section {
  key: string;
  shown: string;
  person?: string;
  prefix?: string;
}

/** Exported, and removed. */
function owned(table: string, section: string, { key, shown, person = 'user_id', ...more }: Section): PersonalTable {
  return { table, person, section, key: key.split(' '), shown: shown.split(', '), isErased: true, ...more };
}

/** Exported, and kept. */
function kept(
  table: string,
  section: string,
  reason: string,
  options: Required<Omit<Section, 'prefix'>>,
): PersonalTable {
  return { ...owned(table, section, options), isErased: false, reason };
}

/** Not exported. */
function unlisted(table: string, person: string, isErased: boolean, reason: string): PersonalTable {
  return { table, person, section: null, key: [], shown: [], isErased, reason };
}

const entryOf = (table: string) => `(SELECT id FROM entries WHERE entries.entry = ${table}.entry) AS entry`;

/** In the order of the export. The account itself is apart. */
export const personalTables: readonly PersonalTable[] = [
  owned('members', 'Roles', { key: 'space', shown: 'space, role' }),
  owned('group_members', 'Groups', { key: 'space name', shown: 'space, name' }),
  owned('grants', 'Grants', {
    person: 'principal',
    prefix: 'user:',
    key: 'entry',
    shown: `space, ${entryOf('grants')}, role, granted_by, granted_at`,
  }),
  owned('consents', 'Consents', { key: 'app_key', shown: 'app_key, scopes, given_at' }),
  owned('app_passwords', 'AppPasswords', {
    key: 'id',
    shown: 'id, name, access, space, app_key, created_at, expires_at, used_at',
  }),
  owned('second_factors', 'SecondFactors', { key: 'id', shown: 'id, kind, name, created_at, used_at' }),
  unlisted('recovery_codes', 'user_id', true, 'They are hashes.'),
  unlisted('setup_links', 'user_id', true, 'They are hashes.'),
  owned('sessions', 'Sessions', {
    key: 'grant_id',
    shown: 'app_key, started_at, used_at, address, user_agent, expires_at',
  }),
  unlisted(
    'issuer_records',
    'user_id',
    true,
    '`Sessions` has what they mean; they are what tokens are checked against.',
  ),
  owned('known_addresses', 'KnownAddresses', { key: 'address', shown: 'address, used_at' }),
  owned('links', 'TemporaryLinks', { key: 'id', shown: 'space, entry, made_by AS app_key, expires_at' }),
  owned('shares', 'Links', {
    key: 'id',
    shown:
      'id, space, entry, access, name, note, expires_at, max_downloads, downloads, uploads, created_at, app_key, last_used_at, revoked_at',
  }),
  unlisted('shares', 'created_by', false, 'The same links as by `user_id`.'),
  owned('starred', 'Starred', { key: 'space id', shown: 'space, id AS entry, at' }),
  owned('recent', 'Recent', { key: 'space id', shown: 'space, id AS entry, at' }),
  owned('locks', 'Locks', {
    person: 'taken_by',
    key: 'token',
    shown: `space, ${entryOf('locks')}, owner_text AS owner, taken_at, expires_at`,
  }),
  owned('entry_jobs', 'Jobs', {
    person: 'actor',
    key: 'id',
    shown: 'id, app_key, state, total, done, changed_at, expires_at',
  }),
  kept('uploads', 'UnfinishedUploads', 'Erasing ends them; the sweep removes them with their bytes.', {
    person: 'actor',
    key: 'id',
    shown: 'id, app_key, space, size AS bytes, expires_at',
  }),
  kept('usage', 'Usage', recordReason, {
    person: 'actor',
    key: 'space',
    shown: 'space, entries, bytes, most_entries, most_bytes, most_requests',
  }),
  kept('applications', 'Applications', makerReason, {
    person: 'created_by',
    key: 'app_key',
    shown: 'app_key, name, created_at',
  }),
  kept('webhooks', 'Webhooks', makerReason, {
    person: 'created_by',
    key: 'id',
    shown: 'id, space, description, created_at',
  }),
  kept('people_groups', 'GroupsMade', makerReason, {
    person: 'created_by',
    key: 'space name',
    shown: 'space, name, created_at',
  }),
  unlisted('users', 'created_by', false, 'It is data of other people; the journal of the export has it.'),
  unlisted('grants', 'granted_by', false, 'It is data of other people; the journal of the export has it.'),
  unlisted('entries', 'created_by', false, recordReason),
  unlisted('entries', 'modified_by', false, recordReason),
  unlisted('versions', 'created_by', false, recordReason),
  unlisted('trash', 'trashed_by', false, recordReason),
  unlisted('idempotency', 'app_key', true, 'It repeats answers of the last 24 hours.'),
  unlisted('journal', 'by', false, 'The chain of the journal covers each row. The export has the rows apart.'),
  unlisted('journal', 'entry', false, 'The chain of the journal covers each row. The export has the rows apart.'),
  unlisted('journal', 'details', false, 'The chain of the journal covers each row. The export has the rows apart.'),
];
