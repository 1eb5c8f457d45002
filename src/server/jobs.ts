// The periodic background jobs of an environment, as the service runs them. They start when it serves, not when it is opened:
// commands that open an environment for a moment do without them.

import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { toAnchorJournalJob } from '../jobs/anchor-journal.ts';
import { toArchiveJournalJob } from '../jobs/archive-journal.ts';
import type { Job } from '../jobs/job.ts';
import { toScrubJob } from '../jobs/scrub.ts';
import { toSweepJob } from '../jobs/sweep.ts';
import { toWebhooksJob } from '../jobs/webhooks.ts';
import { verifyEnvironment } from '../maintenance/maintenance.ts';
import { renderWebhookEvent } from '../rest/wire-webhooks.ts';
import type { EnvironmentMetrics } from '../telemetry/environment-metrics.ts';
import { folderOf } from './storage.ts';

export interface JobsContext {
  /** Of the environment, without a slash at the end. */
  publicUrl: string;
  log: Logger;
  metrics: EnvironmentMetrics;
}

export function toJobs(config: Config, name: EnvironmentName, { log, metrics, publicUrl }: JobsContext): Job[] {
  const webhooks = toWebhooksJob({
    render: (event) => renderWebhookEvent(publicUrl, event),
    onError: (error) =>
      log.error({ environment: name, job: 'webhooks', err: error }, 'cannot deliver webhooks; retrying'),
  });
  const jobs = [toSweepJob(log, metrics), toArchiveJournalJob(metrics), toAnchorJournalJob(log), webhooks];
  const { scrub, catalog } = config;
  // PostgreSQL and S3 verify their own data.
  if (scrub === null || catalog.kind !== 'sqlite') return jobs;
  const { days, bytesPerSecond } = scrub;
  const verify = (signal: AbortSignal) =>
    verifyEnvironment({ storage: config, name, observer: { progress: () => undefined, signal } }, bytesPerSecond);
  const createdAt = () => statSync(folderOf(config, name)).birthtimeMs;
  return [...jobs, toScrubJob({ days, createdAt, verify, log, metrics })];
}
