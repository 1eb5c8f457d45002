// A link inside the console: an ordinary address, so that it can be copied or opened in another tab, without a reload.

import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { goTo, type Page, type Route, toAddress } from './router.ts';

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { to: Partial<Route> & { page: Page } };

export function Link({ to, onClick, ...rest }: LinkProps) {
  const href = toAddress({ id: null, more: null, params: {}, ...to });
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain) return;
    event.preventDefault();
    goTo(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}
