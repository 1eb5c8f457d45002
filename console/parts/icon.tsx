// The icons, drawn with one stroke on a grid of 20. They are decorative: the meaning is always in text too.

const paths = {
  folder:
    'M2.5 6a1.5 1.5 0 0 1 1.5-1.5h3.6l1.8 2H16A1.5 1.5 0 0 1 17.5 8v6.5A1.5 1.5 0 0 1 16 16H4a1.5 1.5 0 0 1-1.5-1.5z',
  file: 'M5.5 2.5h6l3.5 3.5v11.5h-9.5zM11.5 2.5V6H15',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4.5 4.5',
  star: 'M10 3l2.1 4.4 4.8.6-3.5 3.3.9 4.8-4.3-2.4-4.3 2.4.9-4.8L3.1 8l4.8-.6z',
  trash: 'M3.5 5.5h13M8 5.5V3.5h4v2M5 5.5l.8 11h8.4l.8-11M8.3 8.5v5M11.7 8.5v5',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.8 1.8',
  gear: 'M10 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM10 2.5v2.2M10 15.3v2.2M2.5 10h2.2M15.3 10h2.2M4.7 4.7l1.6 1.6M13.7 13.7l1.6 1.6M15.3 4.7l-1.6 1.6M6.3 13.7l-1.6 1.6',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  rotate: 'M14.6 6.2A6.2 6.2 0 1 0 16.2 10M15.2 2.5v4h-4',
  expand: 'M3.5 8V3.5H8M12 3.5h4.5V8M16.5 12v4.5H12M8 16.5H3.5V12',
  previous: 'M12 5l-5 5 5 5',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  close: 'M5 5l10 10M15 5L5 15',
  down: 'M5 8l5 5 5-5',
  next: 'M8 5l5 5-5 5',
  up: 'M10 16V5M5 9.5L10 4.5l5 5',
  list: 'M3.5 5.5h.01M3.5 10h.01M3.5 14.5h.01M7 5.5h9.5M7 10h9.5M7 14.5h9.5',
  grid: 'M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM11.5 11.5h5v5h-5z',
  sort: 'M6 4v12M3 13l3 3 3-3M14 16V4M11 7l3-3 3 3',
  upload: 'M10 13V4M6 7.5L10 3.5l4 4M3.5 13v3.5h13V13',
  download: 'M10 3.5v9M6 9l4 4 4-4M3.5 13v3.5h13V13',
  copy: 'M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7',
  move: 'M2.5 6A1.5 1.5 0 0 1 4 4.5h3.6l1.8 2H16A1.5 1.5 0 0 1 17.5 8v6.5A1.5 1.5 0 0 1 16 16H4a1.5 1.5 0 0 1-1.5-1.5zM7 11.2h5.6M10.4 9l2.2 2.2-2.2 2.2',
  pencil: 'M4 16l.8-3.4L13.6 3.8l2.6 2.6-8.8 8.8zM11.8 5.6l2.6 2.6',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9.2v4.3M10 6.6h.01',
  check: 'M4 10.5l4 4 8-9',
  pause: 'M7 4.5v11M13 4.5v11',
  play: 'M6.5 4.5v11l9-5.5z',
  again: 'M15.8 8A6.2 6.2 0 1 0 16 12M16 3.8V8h-4.2',
  user: 'M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM3.8 17c.6-3.2 3-5 6.2-5s5.6 1.8 6.2 5',
  picture: 'M3.5 4.5h13v11h-13zM3.5 13l3.8-3.8 3 3 2.4-2.4 3.8 3.8M12.8 7.6h.01',
  sound:
    'M8 14.5V5l8-1.5v9.5M8 14.5a2.2 2.2 0 1 1-4.4 0 2.2 2.2 0 0 1 4.4 0zM16 13a2.2 2.2 0 1 1-4.4 0 2.2 2.2 0 0 1 4.4 0z',
  film: 'M3.5 4.5h13v11h-13zM7 4.5v11M13 4.5v11M3.5 8H7M3.5 12H7M13 8h3.5M13 12h3.5',
  text: 'M5.5 2.5h6l3.5 3.5v11.5h-9.5zM11.5 2.5V6H15M8 9.5h4.5M8 12h4.5M8 14.5h3',
  code: 'M5.5 2.5h6l3.5 3.5v11.5h-9.5zM11.5 2.5V6H15M9 10l-1.7 1.8L9 13.6M11.6 10l1.7 1.8-1.7 1.8',
  table: 'M3.5 4.5h13v11h-13zM3.5 8h13M3.5 11.7h13M8 4.5v11',
  warning: 'M10 3.5l7 12.5H3zM10 8.5v3.5M10 14h.01',
  key: 'M7 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10.5 10h6.5M14 10v3M17 10v2',
  hook: 'M13.5 7v4.5a3.5 3.5 0 0 1-7 0V8.5l-2.5 2.5M6.5 8.5l2.5 2.5M13.5 7a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z',
  chart: 'M3.5 16.5h13M6 16.5v-6M10 16.5v-11M14 16.5v-8',
  pulse: 'M2.5 10.5h3.6l2-6 3.8 11 2-5h3.6',
  link: 'M8.3 11.7l3.4-3.4M9.2 6l1.6-1.6a3.3 3.3 0 0 1 4.7 4.7L13.9 10.7M10.8 14l-1.6 1.6a3.3 3.3 0 0 1-4.7-4.7L6.1 9.3',
  qr: 'M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM11.5 11.5h2v2h-2zM14.5 14.5h2v2h-2zM16.5 11.5h.01M11.5 16.5h.01M6 6h.01M14 6h.01M6 14h.01',
  lock: 'M4.5 9h11v7.5h-11zM7 9V6.5a3 3 0 0 1 6 0V9',
  scroll: 'M5 3.5h9v13H7.5A2.5 2.5 0 0 1 5 14zM8 7h3.5M8 10h3.5M14 8h2.5v6a2.5 2.5 0 0 1-2.5 2.5',
} as const;

/** Those that point the way that one reads. */
const ahead: ReadonlySet<string> = new Set(['next', 'previous', 'move', 'list']);

export type IconName = keyof typeof paths;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  const isHeavy = name === 'more' || name === 'list';
  return (
    <svg
      className="icon"
      viewBox="0 0 20 20"
      width={size}
      height={size}
      aria-hidden="true"
      focusable="false"
      data-ahead={ahead.has(name)}
    >
      <path
        d={paths[name]}
        fill={name === 'folder' ? 'var(--icon-fill, none)' : 'none'}
        stroke="currentColor"
        strokeWidth={isHeavy ? 1.9 : 1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
