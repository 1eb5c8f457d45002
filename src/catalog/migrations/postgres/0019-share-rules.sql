-- What a space says about links for people without an account; NULL: what the settings of the service say. makers: editors or managers.
CREATE TABLE share_rules (
  space                BIGINT NOT NULL PRIMARY KEY,
  is_on                BIGINT,
  makers               TEXT CHECK (makers IN ('editors', 'managers')),
  is_password_required BIGINT,
  max_days             BIGINT
);
