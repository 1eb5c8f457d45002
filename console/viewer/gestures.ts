// Keys and swipes of the viewer. Both leave alone what scrolls sideways, what is typed into, and players.

import { useEffect, useRef } from 'react';

/** By `KeyboardEvent.key`. */
export type Keys = Readonly<Record<string, () => void>>;

const own = 'input, textarea, select, audio, video, [role=tablist], .look';

/** Keys anywhere in the viewer, but not in a dialog or menu above it. */
export function useViewerKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target, key } = event;
      const act = latest.current[key.length === 1 ? key.toLowerCase() : key];
      if (act === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(target instanceof Element)) return;
      const viewer = target.closest('[role=dialog]')?.matches('.viewer') ? target.closest('.viewer') : null;
      if (viewer === null || target.closest(own) !== null) return;
      if (key.startsWith('Arrow') && scrollsSideways(target, viewer)) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Whether anything from `target` up to `root` can be scrolled sideways. */
function scrollsSideways(target: Element, root: Element): boolean {
  for (let one: Element | null = target; one !== null && one !== root; one = one.parentElement) {
    if (one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX)) return true;
  }
  return false;
}

/** As far as a finger goes for a swipe, in pixels. */
const swipe = 60;

interface Swipes {
  onLeft(): void;
  onRight(): void;
}

export function useSwipe(stage: React.RefObject<HTMLElement | null>, swipes: Swipes): void {
  const latest = useRef(swipes);
  latest.current = swipes;
  useEffect(() => {
    const element = stage.current;
    if (element === null) return;
    let start: Touch | null = null;
    const begin = ({ touches, target }: TouchEvent) => {
      const isFree = target instanceof Element && target.closest(own) === null && !scrollsSideways(target, element);
      start = touches.length === 1 && isFree ? (touches[0] ?? null) : null;
    };
    const end = ({ changedTouches: [last] }: TouchEvent) => {
      if (start === null || last === undefined) return;
      const [x, y] = [last.clientX - start.clientX, last.clientY - start.clientY];
      start = null;
      if (Math.abs(x) < swipe || Math.abs(x) < 2 * Math.abs(y)) return;
      if (x < 0) latest.current.onLeft();
      else latest.current.onRight();
    };
    element.addEventListener('touchstart', begin, { passive: true });
    element.addEventListener('touchend', end, { passive: true });
    return () => {
      element.removeEventListener('touchstart', begin);
      element.removeEventListener('touchend', end);
    };
  }, [stage]);
}
