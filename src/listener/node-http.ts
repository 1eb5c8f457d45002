// What is used of `node:http` while the service runs. An import of it reads every name that it has, and behind `WebSocket` Node loads
// its whole HTTP client: a tenth of what a start takes, in every thread. Types cost nothing and are imported as usual.

export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
