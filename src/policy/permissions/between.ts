import type { Between } from './rule.ts';

/** The days of the week, as rules name them. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** A day and a time of day in a time zone: each a text that sorts. */
interface LocalTime {
  readonly date: string;
  readonly time: string;
  readonly day: string;
}

/** A test of times, in ms since 1970. */
export const betweenTest = ({ from = '00:00', to = '24:00', days, since, until, zone }: Between) => {
  const localTime = clockOf(zone);
  return (at: number): boolean => {
    const { date, time, day } = localTime(at);
    if (days !== undefined && !days.includes(day)) return false;
    if ((since !== undefined && date < since) || (until !== undefined && date > until)) return false;
    return from <= to ? time >= from && time < to : time >= from || time < to;
  };
};

type LocalClock = (at: number) => LocalTime;

/** One clock for each zone, so that all rules of a zone share what it read last: there are as many as zones. */
const clocks = new Map<string, LocalClock>();

const clockOf = (zone = 'UTC'): LocalClock => {
  const name = zone.toLowerCase();
  const known = clocks.get(name) ?? rememberingSecond(localClock(zone));
  clocks.set(name, known);
  return known;
};

/** Formatting takes longer than all else that a rule does. Offsets of zones are whole seconds, so no local time changes within one. */
const rememberingSecond = (clock: LocalClock): LocalClock => {
  let last = Number.NaN;
  let found: LocalTime | undefined;
  return (at) => {
    const second = Math.floor(at / 1_000);
    if (found === undefined || second !== last) found = clock(at);
    last = second;
    return found;
  };
};

const localClock = (zone: string): LocalClock => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (at) => {
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(at)) part[type] = value;
    const { year = '', month = '', day = '', hour = '', minute = '', weekday = '' } = part;
    return {
      date: `${year.padStart(4, '0')}-${month}-${day}`,
      time: `${hour}:${minute}`,
      day: weekday.toLowerCase(),
    };
  };
};

/** True for a time zone that is known here. */
export const isZone = (given: unknown): boolean => {
  try {
    return (
      typeof given === 'string' && new Intl.DateTimeFormat('en-US', { timeZone: given }).format(0) !== ''
    );
  } catch {
    return false;
  }
};

/** True for a day of the calendar, `YYYY-MM-DD`. */
export const isDate = (given: unknown): boolean => {
  if (typeof given !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(given)) return false;
  const at = Date.parse(`${given}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(given);
};

/** True for a time of day, `HH:MM`. */
export const isTimeOfDay = (given: unknown): boolean =>
  typeof given === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(given);
