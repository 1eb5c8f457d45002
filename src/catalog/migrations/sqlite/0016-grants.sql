-- Rights on single entries, which what is beneath inherits, and groups of people. `principal`: `user:<id>` or `group:<name>`.
CREATE TABLE grants (
  entry      INTEGER NOT NULL,
  principal  TEXT    NOT NULL,
  space      INTEGER NOT NULL,
  role       TEXT    NOT NULL,
  granted_by TEXT    NOT NULL,
  granted_at INTEGER NOT NULL,
  PRIMARY KEY (entry, principal)
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_of_principals ON grants (principal, space, role, entry);

CREATE TABLE people_groups (
  space      INTEGER NOT NULL,
  name       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT    NOT NULL,
  PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_groups_by_name ON people_groups (name);

CREATE TABLE group_members (
  space   INTEGER NOT NULL,
  name    TEXT    NOT NULL,
  user_id TEXT    NOT NULL,
  PRIMARY KEY (space, name, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_by_user ON group_members (user_id);
