// One link: its address, its state with the reason, how it was used, and what can be done with it.

import type { ShareFields } from '@cabinet/client';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Badge } from '../manage/page-head.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { showActor } from '../words/actor.ts';
import { formatMinute, formatWhen } from '../words/format.ts';
import type { LinksWords } from '../words/links-en.ts';
import { useWords } from '../words/words.tsx';
import { LinkActions } from './link-actions.tsx';
import { useSharingWords } from './use-sharing-words.ts';
import './link-card.css';

const QrCode = lazy(async () => ({ default: (await import('../parts/qr-code.tsx')).QrCode }));

interface LinkCardProps {
  link: ShareFields;
  /** The name where it leads to what is shared; by default the name alone. */
  title?: ReactNode;
}

export function LinkCard({ link, title }: LinkCardProps) {
  const { links: words } = useSharingWords();
  const common = useWords();
  const { locale } = common;
  const CreatedBy = showActor(link.CreatedBy, common);
  const { Access, Name, Note, State, Url } = link;
  const reason = toReason({ ...link, CreatedBy }, words, locale);
  const isUsable = State === 'active' || State === 'suspended';
  return (
    <li className="link" data-state={State}>
      <div className="link-head">
        <Icon name={Access === 'upload' ? 'upload' : 'link'} />
        <strong className="link-name">{title ?? <bdi>{Name}</bdi>}</strong>
        <span className="link-badges">
          <Badge>{words.kinds[Access]}</Badge>
          <Badge look={State === 'active' ? 'good' : 'bad'}>{words.states[State]}</Badge>
        </span>
        <LinkActions link={link} />
      </div>
      {isUsable && Url !== null && <Address url={Url} name={Name} />}
      {isUsable && Url === null && <p className="link-more">{words.noAddress(CreatedBy)}</p>}
      {reason !== null && <p className="link-reason">{reason}</p>}
      <p className="link-more">{listFacts({ ...link, CreatedBy }, words, locale).join(' · ')}</p>
      {Note !== null && <p className="link-note">{Note}</p>}
    </li>
  );
}

function toReason(link: ShareFields, { reasons }: LinksWords, locale: string): string | null {
  switch (link.State) {
    case 'expired':
      return reasons.expired(formatMinute(link.ExpiresAt, locale));
    case 'exhausted':
      return reasons.exhausted(link.MaxDownloads ?? link.Downloads);
    case 'suspended':
      return reasons.suspended(link.CreatedBy);
    case 'revoked':
      return reasons.revoked;
    case 'active':
      return null;
  }
}

function listFacts(link: ShareFields, words: LinksWords, locale: string): string[] {
  const { Access, State, ExpiresAt, HasPassword, MaxDownloads, Downloads, Uploads, LastUsedAt, CreatedBy, Url } = link;
  const downloads = MaxDownloads === null ? words.downloads(Downloads) : words.downloadsOf(Downloads, MaxDownloads);
  return [
    ...(State === 'active' || State === 'suspended' ? [words.until(formatMinute(ExpiresAt, locale))] : []),
    ...(HasPassword ? [words.withPassword] : []),
    Access === 'upload' ? words.uploads(Uploads) : downloads,
    LastUsedAt === null ? words.unused : words.lastUsed(formatWhen(LastUsedAt, locale)),
    ...(Url === null ? [words.by(CreatedBy)] : []),
  ];
}

function Address({ url, name }: { url: string; name: string }) {
  const { links: words } = useSharingWords();
  const [isQrShown, setQrShown] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(url).then(
      () => notify({ key: 'link', text: words.copied }),
      () => notify({ key: 'link', text: words.notCopied, isBad: true }),
    );
  return (
    <>
      <div className="link-address">
        <input
          className="input"
          dir="ltr"
          readOnly
          aria-label={words.address(name)}
          value={url}
          onFocus={(event) => event.target.select()}
        />
        <Button icon="copy" aria-label={words.copy(name)} onPress={copy}>
          {words.copyShort}
        </Button>
        <IconButton icon="qr" label={words.qr(name)} isPressed={isQrShown} onPress={() => setQrShown(!isQrShown)} />
      </div>
      {isQrShown && (
        <Suspense>
          <QrCode text={url} label={words.qr(name)} />
        </Suspense>
      )}
    </>
  );
}
