-- erased_at: when everything but the id was removed, in milliseconds since 1970; NULL: it was not. Such an account stays disabled,
-- because entries and the journal have its id, which nobody else may get.
ALTER TABLE users ADD COLUMN erased_at BIGINT;
