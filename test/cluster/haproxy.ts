// A real proxy before three nodes: Debian's HAProxy with the project's own configuration, `deploy/haproxy.cfg`, as it is. Only the
// addresses are given, by its variables.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { hasProgram } from '../service/programs.ts';
import { eventually } from '../service/service.ts';

export interface StartedProxy {
  stop(): Promise<void>;
}

const configuration = join(import.meta.dirname, '../../deploy/haproxy.cfg');

/** Where there is none, a line that nobody can overlook. */
export function canProxy(): boolean {
  return hasProgram('haproxy');
}

/** Before nodes that are ready: it believes in them at once, and for a second in none that was not there when it looked first. */
export async function startProxy(port: number, nodePorts: readonly number[]): Promise<StartedProxy> {
  const addresses = nodePorts.map((nodePort, index) => [`CABINET_NODE_${index + 1}`, `127.0.0.1:${nodePort}`]);
  const child = spawn('haproxy', ['-db', '-f', configuration], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CABINET_BIND: `127.0.0.1:${port}`, ...Object.fromEntries(addresses) },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  try {
    await eventually('HAProxy listens', async () => {
      if (child.exitCode !== null) throw new Error(`HAProxy does not start: ${said}`);
      return await canConnect(port);
    });
  } catch (error) {
    await end(child);
    throw error;
  }
  return { stop: () => end(child) };
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
