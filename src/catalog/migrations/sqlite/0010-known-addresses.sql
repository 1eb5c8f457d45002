-- Addresses from which a person has signed in before: guesses elsewhere never slow down a sign-in there.
CREATE TABLE known_addresses (
  user_id TEXT    NOT NULL,
  address TEXT    NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, address)
) STRICT, WITHOUT ROWID;
