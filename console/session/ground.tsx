// The ground that every page stands on: who is signed in, the spaces they are in, the one that is open, and the connection
// to it. The address may name the space (`?space=`), for those who are in several.

import { type Cabinet, connect, type Operations } from '@cabinet/client';
import { call } from '@cabinet/client/requests';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { Empty, Skeleton, Trouble } from '../parts/states.tsx';
import { usePlace } from '../routing/router.ts';
import { prefer } from '../shell/preferences.ts';
import { usePreferences } from '../shell/use-preferences.ts';
import { useWords } from '../words/words.tsx';
import { appKey, type Session } from './session.ts';

export type Space = Operations['GET /spaces']['answer']['Spaces'][number];

export interface Ground {
  session: Session;
  spaces: readonly Space[];
  space: Space;
  /** Asks in the open space. */
  cabinet: Cabinet;
  canWrite: boolean;
  canManage: boolean;
}

const GroundContext = createContext<Ground | null>(null);

export function useGround(): Ground {
  const ground = useContext(GroundContext);
  if (ground === null) throw new Error('used outside of a sign-in');
  return ground;
}

export function connectTo(session: Session, spaceId?: string): Cabinet {
  const token = ({ refused }: { refused: string | null }) => session.token(refused);
  return connect({ url: window.location.origin, appKey, token, spaceId });
}

export function GroundProvider({ session, children }: { session: Session; children: ReactNode }) {
  const words = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['spaces'],
    queryFn: ({ signal }) => call(connectTo(session), 'GET /spaces', { signal }),
  });
  if (error !== null && data === undefined) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton label={words.files.loading} />;
  if (data.Spaces.length === 0) return <NoSpace session={session} />;
  return (
    <Grounded session={session} spaces={data.Spaces}>
      {children}
    </Grounded>
  );
}

function Grounded({ session, spaces, children }: { session: Session; spaces: readonly Space[]; children: ReactNode }) {
  const named = usePlace().params.space;
  const { spaceId } = usePreferences();
  const isIn = (id: string | null | undefined) => spaces.find((space) => space.Id === id);
  const space = (isIn(named) ?? isIn(spaceId) ?? spaces[0]) as Space;
  useEffect(() => {
    if (spaceId !== space.Id) prefer({ spaceId: space.Id });
  }, [spaceId, space.Id]);
  const ground = useMemo(
    () => ({
      session,
      spaces,
      space,
      cabinet: connectTo(session, space.Id),
      canWrite: space.Role !== 'viewer',
      canManage: space.Role === 'manager',
    }),
    [session, spaces, space],
  );
  return <GroundContext value={ground}>{children}</GroundContext>;
}

function NoSpace({ session }: { session: Session }) {
  const words = useWords();
  return (
    <main>
      <Empty icon="folder" title={words.shell.noSpace}>
        <p>{words.shell.noSpaceHelp}</p>
        <code>cabinet user role {session.person.id} editor --space NAME</code>
      </Empty>
    </main>
  );
}

/** The parameters that keep an address in the open space. */
export function useSpaceParams(): Record<string, string> {
  const { spaces, space } = useGround();
  return spaces.length > 1 ? { space: space.Id } : {};
}
