// A thread that answers requests beside the main one, on the same addresses: the kernel hands each connection to one of them.

import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import type { AnonymousSessions } from '../auth/anonymous-sessions.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { systemClock } from '../runtime/clock.ts';
import { openShared } from '../runtime/shared-counters.ts';
import { type Port, WorkerCalls } from '../runtime/worker-calls.ts';
import type { HttpThreadData, MainFunctions, WorkerFunctions } from './http-thread-calls.ts';
import { Observability } from './observability.ts';
import { Serving } from './serving.ts';
import { attachEnvironment, type WorkerEnvironment } from './worker-environment.ts';

function serve({ config, urls, shared: buffers, ticketKeys, startedAt }: HttpThreadData, port: Port): void {
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const observability = new Observability(config, log, systemClock);
  const shared = openShared(buffers);
  const environments = new Map<EnvironmentName, WorkerEnvironment>();
  const main: WorkerCalls<MainFunctions> = new WorkerCalls(port, {
    async open(bootstrap) {
      const { name } = bootstrap;
      const environment = await attachEnvironment(bootstrap, {
        config,
        main,
        shared,
        onBackgroundError: (error) => log.error({ environment: name, err: error }, 'work in the background failed'),
        observed: { metrics: observability.metrics[name], tracer: observability.tracer },
      });
      observability.metrics[name].watchUploads(environment.cabinet.uploadMemory);
      environments.set(name, environment);
      serving.serve(environment);
      environment.onNewKeys(() => {
        if (environments.get(name) === environment && serving.contextOf(name) !== null) serving.serve(environment);
      });
      // Last: whoever is connected to us is answered as the main thread would.
      if (!serving.isListening(name)) await serving.listen(name);
    },
    async close({ name }) {
      serving.stopServing(name);
      const environment = environments.get(name);
      environments.delete(name);
      await environment?.close();
    },
    async reload({ name }) {
      serving.invalidate(name);
      await environments.get(name)?.reload();
    },
    fail({ name, ...fault }) {
      serving.stopServing(name);
      environments.get(name)?.fail(fault);
    },
    endUpload: ({ name, turn }) => environments.get(name)?.endUpload(turn),
    beginClosing() {
      serving.isClosing = true;
    },
    drain: () => serving.drain(),
    renderMetrics: ({ name }) => observability.metrics[name].registry.render(),
    finish: () => observability.close(),
  } satisfies WorkerFunctions);
  const serving = new Serving({
    config,
    log,
    observability,
    shared,
    ticketKeys: Buffer.from(ticketKeys),
    sessions: { production: toSessions(main, 'production'), test: toSessions(main, 'test') },
    startedAt,
    // A thread cannot share the main one's.
    clock: systemClock,
    urls,
    onAdminChange: (name) => main.call('adminChanged', { name }),
    renderMetrics: (name) => main.call('renderMetrics', { name }),
  });
}

/** Any thread may have the next request of a browser. */
function toSessions(main: WorkerCalls<MainFunctions>, name: EnvironmentName): AnonymousSessions {
  return {
    set: (id, payload) => main.call('setSession', { name, id, payload }),
    get: (id) => main.call('getSession', { name, id }),
    delete: (id) => main.call('deleteSession', { name, id }),
  };
}

serve(workerData as HttpThreadData, parentPort as Port);
