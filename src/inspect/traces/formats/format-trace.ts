import { aText, isObject, oneOf, optional, wholeNumber } from '../../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { PageOptions } from './trace-as-html.ts';
import { traceAsHtml } from './trace-as-html.ts';
import type { SequenceOptions } from './trace-as-sequence.ts';
import { traceAsSequence } from './trace-as-sequence.ts';
import { traceAsLines, traceText } from '../trace-text.ts';
import type { Trace } from '../trace.ts';

/** The format of a trace, with its options. */
export type TraceFormat =
  /** The inspector's page with the recording in it, in one file. */
  | ({ readonly as: 'html' } & PageOptions)
  /** A sequence diagram: who said what to whom. */
  | ({ readonly as: 'mermaid' } & SequenceOptions)
  /** Its events, one a line, as `parseEvent` reads them; or a trace as `traceFiles` writes it. */
  | { readonly as: 'ndjson' | 'trace' };

/**
 * A trace as a text: a page, a diagram, lines, or a trace of the events of any run.
 *
 * A page loads nothing and sends nothing: its policy lets no script run but its own, and what models, tools and people said is text in it,
 * whatever they said. Texts in a diagram are one line each, cut to 100 characters.
 *
 * @example
 * const trace = await readTrace('./traces/r1.jsonl');
 * await writeFile('run.html', await formatTrace(trace, { as: 'html' }));
 * await writeFile('run.mmd', await formatTrace(trace, { as: 'mermaid', limit: 50 }));
 * await writeFile('run.jsonl', await formatTrace(traceOf(result.events), { as: 'trace' }));
 *
 * @throws {TroupeError} `inspector.page-missing`; `input.invalid` for what is not a trace, and for options that do not fit.
 */
export const formatTrace = async (trace: Trace, format: TraceFormat): Promise<string> => {
  if (!isObject(trace) || !('events' in trace) || !('account' in trace))
    throw new TroupeError(
      'input.invalid',
      `Cannot format what is not a trace, write formatTrace(await readTrace(file), { as: 'html' }): found ${foundText(trace)}`,
    );
  switch (format?.as) {
    case 'html':
      return traceAsHtml(trace, checkHtml(format));
    case 'mermaid':
      return traceAsSequence(trace, checkMermaid(format));
    default:
      return checkLines(format).as === 'trace' ? traceText(trace) : traceAsLines(trace);
  }
};

const OWNER = { code: 'input.invalid', owner: 'a trace', verb: 'format' } as const;
const as = (): ReturnType<typeof oneOf> => oneOf(['html', 'mermaid', 'ndjson', 'trace']);

const checkHtml = optionsCheck<Extract<TraceFormat, { as: 'html' }>>(OWNER, () => ({
  as: as(),
  page: optional(aText()),
}));

const checkMermaid = optionsCheck<Extract<TraceFormat, { as: 'mermaid' }>>(OWNER, () => ({
  as: as(),
  limit: optional(wholeNumber(1)),
}));

const checkLines = optionsCheck<{ readonly as: 'ndjson' | 'trace' }>(OWNER, () => ({ as: as() }));
