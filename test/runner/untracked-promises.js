// Loaded before a test file. To know which test an error without a handler belongs to, node:test follows every promise with a hook,
// which makes `await` thirty times as expensive: most of the time of a service in the process of a test. Without it such an error
// still fails the run, but not in the name of its test.

import hooks from 'node:async_hooks';

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
