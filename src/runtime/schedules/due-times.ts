import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';

/** A rule of due times as it is stored; a one-time delay is stored as its time. */
export type TimeRule =
  | { readonly cron: string; readonly zone: string }
  | { readonly everyMs: number }
  | { readonly at: number };

/** The due times of a schedule, in ms since 1970: the same ones in each process, at any time. */
export interface DueTimes {
  /** The first one after a time; undefined if there is none. */
  next(after: number): number | undefined;
  /** The latest ones, at most `most`, after a time and up to another, oldest first. */
  latest(after: number, upTo: number, most: number): readonly number[];
}

/** The due times of a rule. @throws {TroupeError} `schedule.invalid`, `schedule.package-missing` */
export const dueTimesOf = async (rule: TimeRule | undefined): Promise<DueTimes> => {
  if (rule === undefined) return listedTimes([]);
  if ('at' in rule) return listedTimes([rule.at]);
  return 'everyMs' in rule ? multiplesOf(rule.everyMs) : cronTimes(rule.cron, rule.zone);
};

const listedTimes = (times: readonly number[]): DueTimes => ({
  next: (after) => times.find((time) => time > after),
  latest: (after, upTo, most) => times.filter((time) => time > after && time <= upTo).slice(-most),
});

const multiplesOf = (everyMs: number): DueTimes => ({
  next: (after) => (Math.floor(after / everyMs) + 1) * everyMs,
  latest: (after, upTo, most) => {
    const last = Math.floor(upTo / everyMs);
    const first = Math.max(Math.floor(after / everyMs), last - most) + 1;
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * everyMs);
  },
});

/** The first stretch of time that is searched from its end, in ms. */
const FIRST_STRETCH_MS = 60_000;

const cronTimes = async (expression: string, zone: string): Promise<DueTimes> => {
  const { Cron } = await loadPackage(
    'croner',
    () => import('croner').catch(rethrow),
    'schedule.package-missing',
  );
  const invalid = (why: string, cause?: unknown): TroupeError =>
    new TroupeError(
      'schedule.invalid',
      `Cannot read the cron expression '${expression}' in the zone '${zone}' as ${why}`,
      { cause },
    );
  // `?` stands for the time at which an expression is read, and a date for itself: neither is the same in each process, or a rule.
  const words = expression.trim();
  if (words.includes('?') || !/^@\w+$|\s/.test(words)) throw invalid('it is none');
  const nextOf = (after: number): number | undefined => cron.nextRun(new Date(after))?.getTime();
  let cron: InstanceType<typeof Cron>;
  try {
    cron = new Cron(expression, { timezone: zone, paused: true });
    if (nextOf(0) === undefined) throw invalid('there is no such time');
  } catch (thrown) {
    if (thrown instanceof TroupeError) throw thrown;
    throw invalid(messageOf(thrown), thrown);
  }
  /** All times from `after`, where one is known to be, up to the end; the last ones of them. */
  const listFrom = (after: number, upTo: number, most: number): readonly number[] => {
    const found: number[] = [];
    for (let time = nextOf(after); time !== undefined && time <= upTo; time = nextOf(time)) {
      found.push(time);
      if (found.length > most) found.shift();
    }
    return found;
  };
  return {
    next: nextOf,
    // Searched from the end, in stretches that grow: after an outage of years, few of its times are wanted.
    latest: (after, upTo, most) => {
      for (let stretch = FIRST_STRETCH_MS; ; stretch *= 4) {
        const from = Math.max(after, upTo - stretch);
        const found = listFrom(from, upTo, most);
        if (found.length >= most || from <= after) return found;
      }
    },
  };
};
