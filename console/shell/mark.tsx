// The logo: a cabinet with a folder in its upper drawer.

export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <rect x="4" y="3" width="24" height="26" rx="4" fill="#17594a" />
      <path d="M8 7h7l1.5 2H24v6H8z" fill="#f2c66d" />
      <rect x="8" y="17" width="16" height="8" rx="1.5" fill="#fffdf8" />
      <rect x="13" y="20" width="6" height="2" rx="1" fill="#17594a" />
    </svg>
  );
}
