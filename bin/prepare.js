// What comes before the command line: plain JavaScript, so that compiled code is kept from the first line of TypeScript on. Without
// it every start would load the parts of Node that strip types, which take longer than anything else that a command does.

import { lstatSync, mkdirSync } from 'node:fs';
import { constants, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Whoever reads the output has had enough: `cabinet ls | head`.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

keepCompiled();

/** In a folder that only this user can write to, where nobody else can put code for us. */
function keepCompiled() {
  try {
    const folder = join(homedir(), '.cache', 'cabinet');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    if (uid !== (process.getuid?.() ?? uid) || (mode & 0o022) !== 0) return;
    const { status } = enableCompileCache(folder);
    // Threads read it from here. A folder that somebody has named in it stays the one.
    if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = folder;
  } catch {
    // No home, or not ours: everything works without, only slower.
  }
}
