// The command line for people without the service: `cabinet COMMAND` of the package @cabinet/cli.

import { runProgram } from '../program.ts';
import { userGroups } from './groups.ts';

/** Runs the arguments after `cabinet`, and sets `process.exitCode`. */
export async function run(typed: readonly string[]): Promise<void> {
  await runProgram([...typed], {
    description: 'Work with files and folders of a Cabinet service.',
    groups: userGroups,
    learnMore: 'README.md of the package describes how to begin.',
  });
}
