// What the suite runs against: two addresses and the applications it may act as. `run.ts` hands it to the test files as
// JSON in the environment variable CABINET_TARGET; the shape of `Applications` is described at the head of `run.ts`.

export type Application = {
  Name: string;
  AppKey: string;
  Secret: string;
  Space: string;
  RootFolderId: string;
};

export type Applications = {
  Main: Application;
  Neighbour: Application;
  Reader: Application;
  Stranger: Application;
  Administrator: Application;
  Tester: Application;
  /** One test file alone writes to its space. */
  Solo: Application;
  Disabled?: Application & { Token: string };
};

export type Target = { Production: string; Test: string; Applications: Applications };

export function target(): Target {
  const text = process.env.CABINET_TARGET;
  if (text === undefined) throw new Error('CABINET_TARGET is not set: start the suite with `npm run test:interface`');
  return JSON.parse(text) as Target;
}
