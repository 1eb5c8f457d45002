// The QR code of a link, dark on light in every theme so that cameras read it.

import { encode } from 'uqr';
import './link-qr.css';

/** The empty frame that the standard asks for, in modules. */
const border = 4;

export function LinkQr({ url, label }: { url: string; label: string }) {
  const { size, data } = encode(url, { ecc: 'M', border });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className="link-qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
