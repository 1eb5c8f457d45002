// `POST /entries/batch` and `GET /jobs/{id}`: the same change to many entries.

import type { Answer } from '../../listener/answer.ts';
import { changeEntries, type EntryBatch } from '../../operations/change-entries.ts';
import { beginEntryJob, showEntryJob } from '../../operations/entry-jobs.ts';
import { json } from '../answer.ts';
import { checkConflictAmong, readConflictHeader, readJsonBody } from '../bodies/json-body.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { ChangeEntries, EntryResults, exampleJob, JobAnswer } from '../openapi/batch-schemas.ts';
import { answerHeaders, header, headers, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { exampleFile, exampleIds, toRefusalExample } from '../openapi/examples.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { prefersAsync } from '../preferences.ts';
import type { CallerExchange, CallerRoute } from '../route.ts';
import { tooManyEntryBatches } from '../slots.ts';
import { renderEntryResults, renderJob } from '../wire-batch.ts';
import { freeNames } from './change-entries.ts';

const checkBody = compileCheck(ChangeEntries);
const example = { Action: 'trash', EntryIds: [exampleIds.file, exampleIds.folder] };

export const changeEntriesRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/entries/batch',
  action: 'write',
  async handle(context, exchange, caller) {
    const behavior = readConflictHeader(exchange, freeNames);
    const fields = checkBody(await readJsonBody(exchange, { example: JSON.stringify(example) }));
    const { Action, EntryIds, ParentFolderId, ConflictBehavior } = fields;
    const batch: EntryBatch = {
      action: Action,
      entryIds: EntryIds,
      parentFolderId: ParentFolderId ?? null,
      conflict: behavior ?? checkConflictAmong(freeNames, ConflictBehavior),
    };
    const release = context.entryBatches.take(caller, tooManyEntryBatches);
    if (prefersAsync(exchange.request)) return await answerLater(context, exchange, batch, release);
    const { renewCaller, requestId } = exchange;
    try {
      const outcomes = await changeEntries(context.cabinet, batch, { renewCaller });
      return json(`{"Results":${renderEntryResults(outcomes, requestId)}}`);
    } finally {
      release();
    }
  },
  describe: {
    operationId: 'EntriesBatchPost',
    tag: 'Entries',
    summary: 'Move, copy, trash, restore or delete many entries',
    description:
      'Each entry succeeds or fails alone, as in a request of its own. The response is 200 with a result for each. ' +
      'With `Prefer: respond-async` the response comes at once, with a job: `GET /jobs/{id}` shows its progress.',
    parameters: [
      headers.conflictBehavior('Fail', 'Rename'),
      header('Prefer', 'respond-async: the work goes on after the answer', 'respond-async'),
      headers.spaceId,
    ],
    requestBody: jsonBody('What to do, and to which entries', ChangeEntries, example),
    responses: {
      200: jsonAnswer('What became of each entry, or the job', {
        schema: EntryResults,
        example: {
          Results: [
            { EntryId: exampleIds.file, Entry: exampleFile },
            { EntryId: exampleIds.folder, ...toRefusalExample('EntryNotFound') },
          ],
        },
        headers: answerHeaders.minimal,
      }),
    },
    refusals: ['InvalidBody', 'InvalidField', 'TooManyRequests'],
  },
};

/** The slot is held until the job has ended. */
async function answerLater(
  { cabinet, onBackgroundError }: EnvironmentContext,
  { renewCaller, requestId }: CallerExchange,
  batch: EntryBatch,
  release: () => void,
): Promise<Answer> {
  try {
    const job = await beginEntryJob(cabinet, await renewCaller(), batch, {
      renewCaller,
      render: (outcomes) => renderEntryResults(outcomes, requestId),
      onEnd: (fault) => {
        release();
        if (fault !== null) onBackgroundError(fault, requestId);
      },
    });
    return json(renderJob(job), { 'Preference-Applied': 'respond-async' });
  } catch (error) {
    release();
    throw error;
  }
}

export const showJobRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/jobs/{id}',
  action: 'read',
  async handle({ cabinet }, { parameters }, caller) {
    return json(renderJob(await showEntryJob(cabinet, caller, parameters.id ?? '')));
  },
  describe: {
    operationId: 'JobsGet',
    tag: 'Entries',
    summary: 'Show the progress of a job',
    description: 'For whoever started it, until an hour after its end. It has `Results` once it is done.',
    parameters: [pathId('The id of a job that you began')],
    responses: { 200: jsonAnswer('How far the job is', { schema: JobAnswer, example: { Job: exampleJob } }) },
    refusals: ['JobNotFound'],
  },
};
