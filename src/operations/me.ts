// The account of the caller: who may see it and who may change it.

import type { Caller } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';

/** The person for whom the caller acts. Applications that act for themselves have no account. */
export function requirePerson({ person }: Caller): string {
  if (person !== null) return person;
  throw new Refusal('Forbidden', 'This is for people. The application acts for itself and has no account.');
}

/** The person, if the caller may change their account: applications that managers registered may not. */
export function admitSelf(caller: Caller): string {
  authorize(caller, 'write');
  const person = requirePerson(caller);
  if (caller.isTrusted) return person;
  throw new Refusal('Forbidden', 'Only applications that operators registered change accounts.', {
    hint: 'Use the console, or have an operator register the application.',
  });
}
