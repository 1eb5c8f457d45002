// Stands in for node:test while several files of one process are loaded. What a file registers is kept until all of them are loaded, and
// then registered in a suite with the name of the file, so that its hooks apply to its own tests only.

import * as nodeTest from 'node:test';

/** Registrations of the file that is being loaded; null: nothing is loaded, everything goes to node:test at once. */
let collected = null;

/** Loads a file and returns what registers its tests. */
export async function collect(load) {
  const registrations = [];
  collected = registrations;
  try {
    await load();
  } finally {
    collected = null;
  }
  return () => {
    for (const register of registrations) register();
  };
}

function later(register) {
  return (...parameters) => {
    if (collected === null) return register(...parameters);
    collected.push(() => register(...parameters));
  };
}

function withVariants(register) {
  const { skip, todo, only } = register;
  return Object.assign(later(register), { skip: later(skip), todo: later(todo), only: later(only) });
}

export const test = withVariants(nodeTest.test);
export const it = test;
export const describe = withVariants(nodeTest.describe);
export const suite = describe;
export const before = later(nodeTest.before);
export const after = later(nodeTest.after);
export const beforeEach = later(nodeTest.beforeEach);
export const afterEach = later(nodeTest.afterEach);
export const { mock } = nodeTest;
