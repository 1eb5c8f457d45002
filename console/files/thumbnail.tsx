// The thumbnail of an entry, or its icon where there is none.

import { type Entry, hasCode, readThumbnail } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../parts/icon.tsx';
import { useObjectUrl } from '../parts/object-url.ts';
import { useSession } from '../session/session-context.tsx';
import { iconOf, kindOf } from './kind.ts';

interface ThumbnailProps {
  entry: Entry;
  size: 64 | 256;
  iconSize: number;
}

/** Most entries have none: no row of a long list watches a query for nothing. */
export function Thumbnail(props: ThumbnailProps) {
  const kind = kindOf(props.entry);
  if (kind === 'picture' || kind === 'pdf') return <Fetched {...props} />;
  return <Icon name={iconOf(props.entry)} size={props.iconSize} />;
}

function Fetched({ entry, size, iconSize }: ThumbnailProps) {
  const { cabinet } = useSession();
  const { data } = useQuery({
    queryKey: ['thumbnail', entry.Id, entry.ModifiedAt, size],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      try {
        return await readThumbnail(cabinet, entry.Id, { size, signal });
      } catch (error) {
        if (hasCode(error, 'NoThumbnail')) return null;
        throw error;
      }
    },
  });
  const url = useObjectUrl(data);
  if (url === null) return <Icon name={iconOf(entry)} size={iconSize} />;
  return <img className="thumbnail" src={url} alt="" draggable={false} />;
}
