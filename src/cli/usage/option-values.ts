import type { StoredStatus } from '../../contracts/journals/journal.ts';
import type { LeftStatus } from '../../runtime/journal/resume/left-running.ts';
import { INTERRUPTED, QUEUED } from '../../runtime/journal/resume/left-running.ts';
import type { CommandName } from './command-shapes.ts';
import { wrong } from './wrong-usage.ts';

/** US dollars, as a number. */
export const dollarsOf = (given: string | undefined, about: CommandName): number | undefined => {
  if (given === undefined) return undefined;
  if (/^-\.?\d/.test(given))
    throw wrong(`--budget is negative: '${given}'. Give US dollars from 0 on`, about);
  if (!/^(?:\d+|\d*\.\d+)$/.test(given))
    throw wrong(`--budget is not a number of US dollars: '${given}'. Give one such as 0.50`, about);
  return Number(given);
};

/** A whole number from 0 on. */
export const countOf = (
  given: string | undefined,
  option: string,
  about: CommandName,
): number | undefined => {
  if (given === undefined) return undefined;
  if (/^-\d/.test(given))
    throw wrong(`${option} is negative: '${given}'. Give a whole number from 0 on`, about);
  if (!/^\d{1,9}$/.test(given))
    throw wrong(`${option} is not a whole number: '${given}'. Give one from 0 on`, about);
  return Number(given);
};

/** A whole number from 1 on. */
export const atLeastOne = (
  given: string | undefined,
  option: string,
  about: CommandName,
): number | undefined => {
  const count = countOf(given, option, about);
  if (count === 0) throw wrong(`${option} is too few: '0'. Give one from 1 on`, about);
  return count;
};

/** Parses a folder. */
export const folderOf = (
  given: string | undefined,
  option: string,
  about: CommandName,
): string | undefined => {
  if (given?.trim() === '') throw wrong(`${option} names no folder: '${given}'. Give the path of one`, about);
  return given;
};

/** Parses a duration such as `30d`, `12h`, `15m` or `90s` to ms. */
export const durationOf = (
  given: string | undefined,
  option: string,
  about: CommandName,
): number | undefined => {
  if (given === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(given) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs === undefined)
    throw wrong(`${option} is not a duration: '${given}'. Give one such as 90s, 15m, 12h, 30d or 4w`, about);
  return Number(count) * unitMs;
};

/** Parses a moment to ms since 1970: a date or a time such as `2026-11-20` or `2026-11-20T17:15:00Z`, or a duration before `now`. */
export const timeOf = (
  given: string | undefined,
  option: string,
  about: CommandName,
  now: number,
): number | undefined => {
  if (given === undefined) return undefined;
  if (/^\d+[smhdw]$/.test(given)) return now - (durationOf(given, option, about) ?? 0);
  const at = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(at))
    throw wrong(
      `${option} is not a time: '${given}'. Give one such as 2026-11-20, 2026-11-20T17:15:00Z or, for 30 days ago, 30d`,
      about,
    );
  return at;
};

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const END_STATUSES = ['completed', 'stopped', 'aborted', 'failed'] as const satisfies readonly StoredStatus[];

const STATUSES = [
  'running',
  'waiting',
  ...END_STATUSES,
  'arriving',
  'moved',
  QUEUED,
  INTERRUPTED,
  'held',
] as const satisfies readonly ListedStatus[];

/** A status that runs are listed by: as it is on record, or as it is shown of a run that no process has. */
export type ListedStatus = StoredStatus | LeftStatus | 'held';

/** Parses one or several statuses of a run, separated by commas. */
export const statusesOf = (
  given: string | undefined,
  about: CommandName,
): readonly ListedStatus[] | undefined => statusesAmong(STATUSES, given, about);

/** Parses one or several statuses of a run that has ended, separated by commas. */
export const endStatusesOf = (
  given: string | undefined,
  about: CommandName,
): readonly StoredStatus[] | undefined => statusesAmong(END_STATUSES, given, about);

/** Parses one or several of the words that `known` lists, separated by commas. */
export const statusesAmong = <Status extends string>(
  known: readonly Status[],
  given: string | undefined,
  about: CommandName,
): readonly Status[] | undefined =>
  given?.split(',').map((word) => {
    const status = known.find((each) => each === word.trim());
    if (status === undefined)
      throw wrong(`--status has no '${word.trim()}': give one or several of ${known.join(',')}`, about);
    return status;
  });

/** Checks that an option has a text. */
export const textOf = (given: string | undefined, option: string, about: CommandName): string | undefined => {
  if (given?.trim() === '')
    throw wrong(`${option} is empty: '${given}'. Give a value or leave it out`, about);
  return given;
};
