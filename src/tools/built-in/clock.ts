import * as z from 'zod';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { packageTool } from '../define/define-tool.ts';
import { dual } from '../calls/tool-result.ts';

/** The result of the tool `clock` for the program. */
export interface ClockReading {
  /** UTC, as ISO 8601. */
  readonly iso: string;
  /** Ms since 1970. */
  readonly at: number;
  /** IANA name. */
  readonly timeZone: string;
}

/**
 * The tool `clock`: date, weekday and time by the run's clock, in UTC or in a time zone.
 *
 * A simulated run sees simulated time.
 *
 * @example
 * agent({ name: 'planner', tools: [clock] }); // the model reads: Thursday, 1 January 1970, 01:00:00 (Europe/Berlin)
 */
export const clock = packageTool({
  name: 'clock',
  description: 'Tells the current date, weekday and time, in UTC or in a time zone.',
  category: 'time',
  input: () =>
    z.object({
      timeZone: z.string().optional().describe('IANA name, such as "Europe/Berlin". Default: UTC.'),
    }),
  describe: ({ timeZone }) =>
    timeZone === undefined ? 'Looking at the clock' : `Looking at the clock of ${timeZone}`,
  // A time zone that is unknown now stays unknown.
  retry: false,
  execute: ({ timeZone = 'UTC' }, context) => {
    const at = context.now();
    const value: ClockReading = { iso: new Date(at).toISOString(), at, timeZone };
    return dual({ text: `${inZone(at, timeZone)} (${timeZone})`, value });
  },
});

const inZone = (at: number, timeZone: string): string => {
  try {
    const format = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
    const date = new Intl.DateTimeFormat('en-GB', { ...format, timeZone }).formatToParts(at);
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone }).format(at);
    const part = (type: string): string => date.find((each) => each.type === type)?.value ?? '';
    return `${part('weekday')}, ${part('day')} ${part('month')} ${part('year')}, ${time}`;
  } catch (thrown) {
    throw new TroupeError(
      'tool.input-invalid',
      `Cannot tell the time in '${timeZone.slice(0, 60)}' as it is not an IANA time zone: ${messageOf(thrown).slice(0, 100)}`,
      { tool: 'clock', retryable: 'maybe' },
    );
  }
};
