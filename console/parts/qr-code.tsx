// A QR code, dark on light in every theme so that cameras read it. Load it when it is shown: its library is large.

import { encode } from 'uqr';
import './qr-code.css';

/** The empty frame that the standard asks for, in modules. */
const border = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
