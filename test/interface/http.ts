// Node's `http` for the suite's client, without what an import of it brings along: a module that is imported has all of its names
// looked at, and for `WebSocket` that loads the whole of undici, which takes twice as long as Node takes to start.

export const { Agent, request } = process.getBuiltinModule('node:http');
