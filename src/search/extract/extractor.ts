// Extracts text from documents in a guarded process: whatever a document does to it, only that process ends. `extractor-process.ts` is
// the other side, and watches time and memory.

import { join } from 'node:path';
import { GuardedProcess } from '../../runtime/guarded-process.ts';
import type { FromProcess, ToProcess } from './extractor-process.ts';
import type { FromExtractor, ToExtractor } from './extractor-thread.ts';

export const maxDocumentBytes = 32 * 1024 * 1024;
const extractorProgram = join(import.meta.dirname, './extractor-process.ts');

/** Null when extracting was interrupted for reasons outside the document. */
type ExtractResult = FromExtractor | null;

export class Extractor {
  readonly #timeoutMs: number;
  readonly #process: GuardedProcess<ToProcess, FromProcess>;

  /** `program` is for tests. */
  constructor(timeoutMs: number, program = extractorProgram) {
    this.#timeoutMs = timeoutMs;
    this.#process = new GuardedProcess({ program });
  }

  /** One at a time. Never rejects: a document that cannot be read has a reason. */
  async extract(request: ToExtractor): Promise<ExtractResult> {
    const result = await this.#process.run({ ...request, timeoutMs: this.#timeoutMs });
    if (result.reply === null) return result.ended === 'stopped' ? null : { reason: 'reading it ended the process' };
    if (result.reply.isOver) await this.#process.close();
    return result.reply.outcome;
  }

  async close(): Promise<void> {
    await this.#process.close();
  }
}
