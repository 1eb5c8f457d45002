// Refusals of an address as a whole.

import { Refusal } from '../domain/refusal.ts';

export function storageUnavailable(): Refusal {
  return new Refusal('StorageUnavailable', 'What is stored cannot be reached right now. Nothing was saved.', {
    retryAfterSeconds: 5,
  });
}

export function shuttingDown(): Refusal {
  return new Refusal('ShuttingDown', 'The service is stopping. Nothing was saved.', { retryAfterSeconds: 5 });
}
