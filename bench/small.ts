// The scenario `small`, which is also the default: what a durable save of few bytes costs beside the
// emptiest possible Node server.

import { measureAll } from './measure.ts';
import { toMarkdown, toReport } from './report.ts';
import type { Scenario } from './scenario.ts';

export const small: Scenario = {
  what: 'durable saves of small files beside the emptiest server (the default)',
  size: null,
  async run(children, options) {
    const samples = await measureAll(children, options);
    const report = toReport(samples, options);
    const isHeld = report.bars.every((bar) => bar.holds);
    return { markdown: toMarkdown(report), isHeld, figures: { ...report, samples } };
  },
};
