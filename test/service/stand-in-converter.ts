// A program that stands in for LibreOffice in tests of previews: `$document` is what it is to convert, `$out` the folder for the PDF.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface StandInConverter {
  path: string;
  /** Where the program is. */
  folder: string;
  remove(): void;
}

/** Fails for a document that contains "fail"; for others it runs `script`. */
export function makeConverter(script: string): StandInConverter {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-converter-'));
  const path = join(folder, 'soffice');
  const program = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in --outdir) out=$2; shift ;; --convert-to) shift ;; -*) ;; *) document=$1 ;; esac
  shift
done
grep -q fail "$document" && exit 1
${script}
`;
  writeFileSync(path, program);
  chmodSync(path, 0o755);
  return { path, folder, remove: () => rmSync(folder, { recursive: true }) };
}
