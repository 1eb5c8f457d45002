// nginx, Apache and rclone as WebDAV servers: PUT writes the file. None of them syncs or authenticates.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasProgram } from '../../test/service/programs.ts';
import { type Peer, readPackageVersion, status, type Target } from './peer.ts';

const promises = { synced: 'no', authenticated: 'no', versions: 'no' };
const modules = '/usr/lib/apache2/modules';

export const nginx: Peer = {
  name: 'nginx WebDAV',
  promises,
  version: () => `nginx ${readPackageVersion('nginx')}`,
  async start({ children, folder, port }) {
    if (!hasProgram('nginx')) return null;
    const file = join(folder, 'nginx.conf');
    mkdirSync(join(folder, 'files'));
    writeFileSync(file, toNginx(folder, port));
    const args = ['-c', file, '-e', join(folder, 'error.log')];
    return toTarget(port, await children.listen({ program: 'nginx', args }, port));
  },
};

export const apache: Peer = {
  name: 'Apache WebDAV',
  promises,
  version: () => `Apache ${readPackageVersion('apache2-bin')}`,
  async start({ children, folder, port }) {
    if (!hasProgram('apache2')) return null;
    const file = join(folder, 'apache.conf');
    mkdirSync(join(folder, 'files'));
    writeFileSync(file, toApache(folder, port));
    // It serves as a user of its own, never as root.
    chmodSync(dirname(folder), 0o711);
    spawnSync('chown', ['-R', 'www-data', folder]);
    const args = ['-D', 'FOREGROUND', '-f', file];
    return toTarget(port, await children.listen({ program: 'apache2', args }, port));
  },
};

export const rclone: Peer = {
  name: 'rclone serve webdav',
  promises,
  version: () => `rclone ${readPackageVersion('rclone')}`,
  async start({ children, folder, port }) {
    if (!hasProgram('rclone')) return null;
    const args = ['serve', 'webdav', folder, '--addr', `127.0.0.1:${port}`, '--config', join(folder, 'none.conf')];
    return toTarget(port, await children.listen({ program: 'rclone', args }, port));
  },
};

function toTarget(port: number, pid: number): Target {
  return { port, method: 'PUT', path: '/{name}', headers: {}, expect: status(201), serverPids: [pid] };
}

function toNginx(folder: string, port: number): string {
  return `daemon off;
user root;
worker_processes auto;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  client_max_body_size 0;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    root ${folder}/files;
    location / { dav_methods PUT DELETE; }
  }
}
`;
}

function toApache(folder: string, port: number): string {
  const loaded = ['mpm_worker', 'authz_core', 'dav', 'dav_fs'];
  return `${loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
Mutex pthread
ErrorLog ${folder}/error.log
User www-data
Group www-data
StartServers 4
ServerLimit 24
ThreadsPerChild 25
MaxRequestWorkers 600
KeepAlive On
MaxKeepAliveRequests 0
DocumentRoot ${folder}/files
DavLockDB ${folder}/locks
<Directory ${folder}/files>
  Dav On
  Require all granted
</Directory>
`;
}
