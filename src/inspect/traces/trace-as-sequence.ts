import { Cast, sequenceLine } from './sequence-lines.ts';
import type { Trace } from './trace.ts';

/** What a sequence diagram shows. */
export interface SequenceOptions {
  /** Arrows and notes; what comes then is counted in a last note. Default 300, as a browser draws no thousands. */
  readonly limit?: number | undefined;
}

/**
 * A run as a Mermaid sequence diagram: who said what to whom, of agents, models, tools and people.
 *
 * Texts are one line each, cut to 100 characters, and safe in a diagram whatever they say.
 *
 * @example
 * await writeFile('run.mmd', traceAsSequence(await readTrace('./traces/r1.jsonl')));
 */
export const traceAsSequence = (
  { events }: Pick<Trace, 'events'>,
  { limit = 300 }: SequenceOptions = {},
): string => {
  const cast = new Cast();
  const lines: string[] = [];
  let more = 0;
  for (const event of events) {
    if (lines.length < limit) {
      const line = sequenceLine(event, cast);
      if (line !== undefined) lines.push(line);
      // It brings nobody else on stage: only whether there is a line counts.
    } else if (sequenceLine(event, new Cast()) !== undefined) more += 1;
  }
  const [first] = events;
  const rest =
    more === 0 || first === undefined ? [] : [`Note over ${cast.id('agent', first.path)}: and ${more} more`];
  return ['sequenceDiagram', ...[...cast.lines, ...lines, ...rest].map((line) => `  ${line}`), ''].join('\n');
};
