// Commands of operators in this process, as `bin/cabinet` carries them out: by the service that holds the folder or, when none runs, here.

import { carryOutHere } from '../../src/cli/carry-out-here.ts';
import { readConfig } from '../../src/config.ts';
import { askService } from '../../src/control/ask.ts';
import { nobody } from '../../src/control/command.ts';

export async function carryOut<Result extends object>(
  dataFolder: string,
  name: string,
  input: Record<string, unknown> = {},
): Promise<Result> {
  const config = readConfig({ CABINET_DATA: dataFolder, CABINET_ALLOW_ANY_DISK: 'yes' });
  const command = { name, input };
  return ((await askService(config, command)) ?? (await carryOutHere(config, command, nobody))) as Result;
}
