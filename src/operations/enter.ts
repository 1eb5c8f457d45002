// Into which of the caller's spaces a request leads, and whether the caller may do there what is asked.

import { type Caller, chooseSeat, type Seat } from '../domain/caller.ts';
import { type Action, authorize, isAllowed } from '../domain/permission.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';

/** `missing` is what is said when the id names nothing that the caller can see. */
export async function enter(
  cabinet: Cabinet,
  caller: Caller,
  asked: { action: Action; id: string; missing: () => Refusal; isTrashMeant?: boolean },
): Promise<Seat> {
  const { action, id, missing, isTrashMeant = false } = asked;
  authorize(caller, action);
  if (caller.spaceId !== null) chooseSeat(caller);
  const seat = await findSeat(cabinet, caller, id);
  if (seat === null) throw missing();
  // "may see the folder, may not write: 403": who may not must see that it exists, or hear that it does not.
  if (!isAllowed(seat, action) && !(await isSeen(cabinet, seat, id, isTrashMeant))) throw missing();
  authorize(caller, action, seat);
  return seat;
}

async function isSeen({ catalog }: Cabinet, { space }: Seat, id: string, isTrashMeant: boolean): Promise<boolean> {
  if ((await catalog.findEntry({ space, id })) !== null) return true;
  return isTrashMeant && (await catalog.isInTrash({ space, id }));
}

/** The space that a request means that names no entry, if the caller may do this there. */
export function takeSeat(caller: Caller, action: Action): Seat {
  authorize(caller, action);
  const seat = chooseSeat(caller);
  authorize(caller, action, seat);
  return seat;
}

async function findSeat({ catalog }: Cabinet, { seats }: Caller, id: string): Promise<Seat | null> {
  if (seats.length <= 1) return seats[0] ?? null;
  const space = await catalog.findSpaceOf({ id, spaces: seats.map((seat) => seat.space) });
  return seats.find((seat) => seat.space === space) ?? null;
}
