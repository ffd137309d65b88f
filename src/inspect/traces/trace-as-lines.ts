import { serialiseEvent } from '../../events/parse-event.ts';
import type { Trace } from './trace.ts';

/**
 * The events of a trace as NDJSON, one a line, in order: what `parseEvent` reads, and a terminal may show.
 *
 * @example
 * process.stdout.write(traceAsLines(await readTrace('./traces/r1')));
 */
export const traceAsLines = ({ events }: Pick<Trace, 'events'>): string =>
  events.map(serialiseEvent).join('');
