-- Rights on single entries, which what is beneath inherits, and groups of people. principal: user:<id> or group:<name>.
CREATE TABLE grants (
  entry      BIGINT NOT NULL,
  principal  TEXT COLLATE "C" NOT NULL,
  space      BIGINT NOT NULL,
  role       TEXT NOT NULL,
  granted_by TEXT NOT NULL,
  granted_at BIGINT NOT NULL,
  PRIMARY KEY (entry, principal)
);
CREATE INDEX grants_of_principals ON grants (principal, space, role, entry);

CREATE TABLE people_groups (
  space      BIGINT NOT NULL,
  name       TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  PRIMARY KEY (space, name)
);
CREATE INDEX people_groups_by_name ON people_groups (name);

CREATE TABLE group_members (
  space   BIGINT NOT NULL,
  name    TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space, name, user_id)
);
CREATE INDEX group_members_by_user ON group_members (user_id);
