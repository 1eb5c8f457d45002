-- What a space says about links for people without an account; NULL: what the settings of the service say. makers: editors or managers.
CREATE TABLE share_rules (
  space                INTEGER NOT NULL PRIMARY KEY,
  is_on                INTEGER,
  makers               TEXT CHECK (makers IN ('editors', 'managers')),
  is_password_required INTEGER,
  max_days             INTEGER
) STRICT;
