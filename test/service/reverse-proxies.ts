// nginx, Caddy and Apache in front of the service, each with its lines of docs/reverse-proxy.md, around which there is only as much
// configuration as it needs to start.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './service.ts';

export const proxyNames = ['nginx', 'caddy', 'apache2'] as const;
export type ProxyName = (typeof proxyNames)[number];

export interface ProxyOptions {
  port: number;
  /** The service. */
  target: string;
  /** More lines, such as a `location` of nginx. */
  more?: string;
}

const guide = readFileSync(join(import.meta.dirname, '../../docs/reverse-proxy.md'), 'utf8');
const modules = '/usr/lib/apache2/modules';

/** The example of the documentation, in front of this service. */
export function readExample(language: 'nginx' | 'caddyfile' | 'apache', target: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide) ?? [];
  if (text === undefined) throw new Error(`docs/reverse-proxy.md has no example for ${language}`);
  return text.replaceAll('127.0.0.1:8080', new URL(target).host);
}

const proxies: Record<ProxyName, (folder: string, options: ProxyOptions) => { args: string[]; configuration: string }> =
  {
    nginx: (folder, { port, target, more = '' }) => ({
      args: ['-e', `${folder}/errors`, '-c', `${folder}/configuration`],
      configuration: `daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/errors;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    ${readExample('nginx', target)}
    ${more}
  }
}
`,
    }),
    caddy: (folder, { port, target }) => ({
      args: ['run', '--adapter', 'caddyfile', '--config', `${folder}/configuration`],
      configuration: `{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
	bind 127.0.0.1
${readExample('caddyfile', target)}
}
`,
    }),
    apache2: (folder, { port, target }) => ({
      args: ['-D', 'FOREGROUND', '-f', `${folder}/configuration`],
      configuration: `ServerRoot ${folder}
ServerName 127.0.0.1
PidFile ${folder}/pid
ErrorLog ${folder}/errors
Listen 127.0.0.1:${port}
User www-data
Group www-data
DefaultRuntimeDir ${folder}
${['mpm_event', 'authz_core', 'headers', 'proxy', 'proxy_http']
  .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  .join('\n')}
<VirtualHost 127.0.0.1:${port}>
${readExample('apache', target)}
</VirtualHost>
`,
    }),
  };

/** Resolves to the function that stops it. */
export async function startReverseProxy(name: ProxyName, options: ProxyOptions): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-proxy-'));
  const { args, configuration } = proxies[name](folder, options);
  writeFileSync(join(folder, 'configuration'), configuration);
  const environment = { ...process.env, HOME: folder };
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(`${name} listens`, async () => {
      if (child.exitCode !== null) throw new Error(`${name} does not start: ${output}`);
      return await canConnect(options.port);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
