// The context of every signed-in page: the session, the user's spaces, the open space and a connection to it. The address may name the
// space (`?space=`), for users of several.

import { type Cabinet, connect, listSharedWithMe, type Operations } from '@cabinet/client';
import { call } from '@cabinet/client/requests';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { serviceUrl } from '../routing/base-path.ts';
import { useRoute } from '../routing/router.ts';
import { prefer } from '../shell/preferences.ts';
import { usePreferences } from '../shell/use-preferences.ts';
import { useWords } from '../words/words.tsx';
import { appKey, type Session } from './session.ts';

export type Space = Operations['GET /spaces']['answer']['Spaces'][number];

interface SessionState {
  session: Session;
  spaces: readonly Space[];
  space: Space;
  /** The connection to the open space. */
  cabinet: Cabinet;
  canWrite: boolean;
  canManage: boolean;
  /** The person has no role in the open space: something in it is shared with them. */
  isGuest: boolean;
}

const SessionContext = createContext<SessionState | null>(null);

export function useSession(): SessionState {
  const state = useContext(SessionContext);
  if (state === null) throw new Error('used outside of a sign-in');
  return state;
}

export function connectTo(session: Session, spaceId?: string): Cabinet {
  const token = ({ refused }: { refused: string | null }) => session.token(refused);
  return connect({ url: serviceUrl, appKey, token, spaceId });
}

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const words = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['spaces'],
    queryFn: ({ signal }) => listOpenSpaces(connectTo(session), signal),
  });
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton label={words.files.loading} />;
  if (data.length === 0) return <NoSpace session={session} />;
  return (
    <SpaceProvider session={session} spaces={data}>
      {children}
    </SpaceProvider>
  );
}

/** The root folder of a space in which one is a guest: nobody shows it to them. */
const noRoot = '';

/** Those in which the person has a role, then those of which something is shared with them. */
async function listOpenSpaces(cabinet: Cabinet, signal: AbortSignal): Promise<readonly Space[]> {
  const [{ Spaces }, sharedWithMe] = await Promise.all([
    call(cabinet, 'GET /spaces', { signal }),
    Array.fromAsync(listSharedWithMe(cabinet, { signal })),
  ]);
  const open = new Map<string, Space>(Spaces.map((space) => [space.Id, space]));
  for (const { Space: shared, Role } of sharedWithMe) {
    const known = open.get(shared.Id);
    if (known !== undefined && known.RootFolderId !== noRoot) continue;
    const role = known?.Role === 'editor' ? known.Role : Role;
    open.set(shared.Id, { ...shared, RootFolderId: noRoot, Role: role });
  }
  return [...open.values()];
}

function SpaceProvider({
  session,
  spaces,
  children,
}: {
  session: Session;
  spaces: readonly Space[];
  children: ReactNode;
}) {
  const wanted = useRoute().params.space;
  const { spaceId } = usePreferences();
  const findSpace = (id: string | null | undefined) => spaces.find((space) => space.Id === id);
  const space = (findSpace(wanted) ?? findSpace(spaceId) ?? spaces[0]) as Space;
  useEffect(() => {
    if (spaceId !== space.Id) prefer({ spaceId: space.Id });
  }, [spaceId, space.Id]);
  const state = useMemo(
    () => ({
      session,
      spaces,
      space,
      cabinet: connectTo(session, space.Id),
      canWrite: space.Role !== 'viewer',
      canManage: space.Role === 'manager',
      isGuest: space.RootFolderId === noRoot,
    }),
    [session, spaces, space],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
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
  const { spaces, space } = useSession();
  return spaces.length > 1 ? { space: space.Id } : {};
}
