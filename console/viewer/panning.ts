// Moving and zooming by pointer: a mouse drags, a wheel with Ctrl and two fingers zoom.

import { useEffect, useRef } from 'react';

/** On the screen. */
export interface Point {
  x: number;
  y: number;
}

export function useDragging(scroller: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let from: { pointer: Point; left: number; top: number } | null = null;
    const begin = ({ pointerType, button, clientX: x, clientY: y }: PointerEvent) => {
      const { scrollLeft: left, scrollTop: top } = element;
      if (pointerType === 'mouse' && button === 0) from = { pointer: { x, y }, left, top };
    };
    const move = ({ clientX, clientY, buttons }: PointerEvent) => {
      if (from === null || buttons === 0) return;
      element.scrollLeft = from.left - (clientX - from.pointer.x);
      element.scrollTop = from.top - (clientY - from.pointer.y);
    };
    const end = () => {
      from = null;
    };
    element.addEventListener('pointerdown', begin);
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
    return () => {
      element.removeEventListener('pointerdown', begin);
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
    };
  }, [scroller]);
}

/** `onZoom`: by how much, and around which point. */
export function usePinch(
  scroller: React.RefObject<HTMLElement | null>,
  onZoom: (by: number, point: Point) => void,
): void {
  const latest = useRef(onZoom);
  latest.current = onZoom;
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let distance = 0;
    const begin = ({ touches }: TouchEvent) => {
      distance = touches.length === 2 ? measure(touches).distance : 0;
    };
    const pinch = (event: TouchEvent) => {
      if (event.touches.length !== 2 || distance === 0) return;
      event.preventDefault();
      const now = measure(event.touches);
      latest.current(now.distance / distance, now.middle);
      distance = now.distance;
    };
    const wheel = (event: WheelEvent) => {
      // A touchpad says so too, when two fingers pinch on it.
      if (!event.ctrlKey) return;
      event.preventDefault();
      latest.current(Math.exp(-event.deltaY / 300), { x: event.clientX, y: event.clientY });
    };
    // React's own listeners are passive: the page would zoom as well.
    element.addEventListener('touchstart', begin, { passive: true });
    element.addEventListener('touchmove', pinch, { passive: false });
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      element.removeEventListener('touchstart', begin);
      element.removeEventListener('touchmove', pinch);
      element.removeEventListener('wheel', wheel);
    };
  }, [scroller]);
}

function measure([one, other]: TouchList): { distance: number; middle: Point } {
  if (one === undefined || other === undefined) return { distance: 0, middle: { x: 0, y: 0 } };
  return {
    distance: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY),
    middle: { x: (one.clientX + other.clientX) / 2, y: (one.clientY + other.clientY) / 2 },
  };
}
