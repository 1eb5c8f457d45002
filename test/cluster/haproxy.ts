// A real proxy before the nodes: Debian's HAProxy with the project's own configuration, `deploy/haproxy.cfg`, in which only the
// addresses are exchanged.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../service/programs.ts';
import { eventually } from '../service/service.ts';

export interface Proxy {
  stop(): Promise<void>;
}

/** Null, and a line that nobody can overlook, where there is none. */
export async function startProxy(port: number, nodePorts: readonly number[]): Promise<Proxy | null> {
  if (!hasProgram('haproxy')) return null;
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-haproxy-'));
  const path = join(folder, 'haproxy.cfg');
  writeFileSync(path, toConfiguration(port, nodePorts));
  const child = spawn('haproxy', ['-db', '-f', path], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  await eventually('HAProxy listens', async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy does not start: ${said}`);
    return await canConnect(port);
  });
  return {
    async stop() {
      await end(child);
      rmSync(folder, { recursive: true });
    },
  };
}

function toConfiguration(port: number, nodePorts: readonly number[]): string {
  const servers = nodePorts.map((nodePort, index) => `  server node${index + 1} 127.0.0.1:${nodePort}`);
  return `${settings.replace('PORT', String(port))}\n${servers.join('\n')}\n`;
}

const settings = `defaults
  mode http
  option redispatch
  option forwardfor
  retries 3
  timeout connect 2s
  timeout client 120s
  timeout server 120s

frontend cabinet
  bind 127.0.0.1:PORT
  default_backend nodes

backend nodes
  balance leastconn
  option httpchk GET /health/ready
  http-check expect status 200
  default-server check inter 500ms fall 1 rise 1`;

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
