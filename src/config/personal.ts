// Settings of the commands that people use over HTTP.

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { processVariables, readSettings, type Variables } from './config.ts';

export interface Personal {
  profilesPath: string;
  /** Null: the last one signed in to. */
  profile: string | null;
  /** The program that opens URLs; null: the system's default. */
  browser: string | null;
  /** Whether a browser can be opened on this machine, as far as the environment tells. */
  hasBrowser: boolean;
}

export function readPersonal(environment: Variables = processVariables()): Personal {
  const { CABINET_PROFILES: path, CABINET_PROFILE: profile } = readSettings(environment);
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
  return {
    profilesPath: path === '' ? join(folder, 'cabinet', 'profiles.json') : resolve(path),
    profile: profile === '' ? null : profile,
    browser: environment.BROWSER || null,
    hasBrowser: hasBrowser(environment),
  };
}

/** Over SSH, a browser would open where nobody sits. On Linux, it needs a display. */
function hasBrowser(environment: Variables, platform: NodeJS.Platform = process.platform): boolean {
  if (environment.BROWSER) return true;
  if (environment.SSH_CONNECTION || environment.SSH_TTY) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
}
