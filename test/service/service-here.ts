// The real service in the process of the test, which costs a third of a process of its own. For tests that use HTTP and stop it in
// order. What is killed, traced or measured, and tests of exit codes and logs, need `startService`.

import { readConfig } from '../../src/config/config.ts';
import { start } from '../../src/main.ts';
import { hashPasswordsCheaply } from '../../src/operations/passwords-for-tests.ts';
import { MovableClock } from '../../src/runtime/clock-for-tests.ts';
import { type Environment, type Started, type StartedWithClock, toVariables } from './service.ts';

export interface StartedHere extends Pick<Started, 'production' | 'test' | 'mutualTls'> {
  /** Resolves to what would be the exit code. */
  stop(): Promise<number | null>;
}

export interface StartHereOptions {
  environment?: Environment;
  /** Whether an empty environment gets its first application and person, as by `cabinet serve`. Their password takes its time. */
  hasInitialAccounts?: boolean;
  /** Whether `advance` moves its clock. */
  hasClock?: boolean;
}

const faultExitCode = 70;

hashPasswordsCheaply();

export async function startServiceHere(
  dataFolder: string,
  { environment = {}, hasInitialAccounts = false, hasClock = false }: StartHereOptions = {},
): Promise<StartedHere & Pick<StartedWithClock, 'advance'> & AsyncDisposable> {
  const clock = hasClock ? new MovableClock({ isRunning: true }) : null;
  let exitCode = 0;
  let stopping: Promise<void> | null = null;
  const service = await start(readConfig(toVariables(dataFolder, { CABINET_HTTP_THREADS: '1', ...environment })), {
    hasInitialAccounts,
    hasConsole: true,
    ...(clock !== null && { clock }),
    onFatal() {
      exitCode = faultExitCode;
    },
  });
  const { production, test, mutualTls } = service;
  /** Before its folder is removed: what looks at the folder now and then would fail. */
  const stop = async () => {
    stopping ??= service.close();
    await stopping;
    return exitCode;
  };
  return {
    production,
    test,
    mutualTls,
    async advance(ms) {
      if (clock === null) throw new Error('it was started without a clock that can be moved');
      await clock.advance(ms);
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}
