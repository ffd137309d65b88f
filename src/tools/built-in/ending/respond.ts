import * as z from 'zod';
import { packageTool } from '../../define/define-tool.ts';
import { dual } from '../../calls/tool-result.ts';

/**
 * The control tool `respond`: ends the run with a report of what was done, once the other calls of its step are done.
 *
 * A report without a summary is refused and ends nothing. The answer is the report as text; its parts are the value of
 * the call.
 *
 * @example
 * agent({ name: 'coder', tools: [respond] }); // respond({ summary: 'Mended it.', filesChanged: ['a.ts'] })
 */
export const respond = packageTool({
  name: 'respond',
  description: 'Ends the task with a report: what was done, which files changed, what comes next.',
  category: 'control',
  input: () => {
    const line = z.string().trim().min(1);
    return z.object({
      summary: line.describe('What was done, and its result; it must not be empty.'),
      filesChanged: z.array(line).default([]).describe('Paths of files that were changed.'),
      nextSteps: z.array(line).default([]).describe('What should be done next, if anything.'),
    });
  },
  describe: () => 'Reporting',
  execute: (report) => {
    const answer = [
      report.summary,
      ...formatList('Files changed', report.filesChanged),
      ...formatList('Next steps', report.nextSteps),
    ].join('\n\n');
    return dual({
      text: answer,
      value: report,
      control: { type: 'complete', answer, summary: report.summary },
    });
  },
});

const formatList = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${title}:\n${lines.map((each) => `- ${each}`).join('\n')}`];
