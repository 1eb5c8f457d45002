// The parts of `node:http` that the running service uses. An `import` evaluates every export of the module, and `WebSocket`
// loads Node's whole HTTP client: a tenth of the start-up time, in every thread. Types cost nothing and are imported as usual.

export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
