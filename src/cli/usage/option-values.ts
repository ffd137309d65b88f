import type { StoredStatus } from '../../contracts/journals/journal.ts';
import type { CommandName } from './command-shapes.ts';
import { wrong } from './wrong-usage.ts';

/** US dollars, as a number. */
export const dollarsOf = (given: string | undefined, about: CommandName): number | undefined => {
  if (given === undefined) return undefined;
  if (/^-\.?\d/.test(given))
    throw wrong(`--budget is negative: '${given}'. Give US dollars from 0 on`, about);
  if (!/^(?:\d+|\d*\.\d+)$/.test(given))
    throw wrong(`--budget is not a number of US dollars: '${given}'`, about);
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
  if (!/^\d{1,9}$/.test(given)) throw wrong(`${option} is not a whole number: '${given}'`, about);
  return Number(given);
};

/** Parses a folder. */
export const folderOf = (
  given: string | undefined,
  option: string,
  about: CommandName,
): string | undefined => {
  if (given?.trim() === '') throw wrong(`${option} names no folder`, about);
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
    throw wrong(`${option} is not a duration: '${given}' (such as 90s, 15m, 12h, 30d, 4w)`, about);
  return Number(count) * unitMs;
};

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const STATUSES = [
  'running',
  'waiting',
  'completed',
  'stopped',
  'aborted',
  'failed',
] as const satisfies readonly StoredStatus[];

/** Parses one or several statuses of a run, separated by commas. */
export const statusesOf = (
  given: string | undefined,
  about: CommandName,
): readonly StoredStatus[] | undefined =>
  given?.split(',').map((word) => {
    const status = STATUSES.find((known) => known === word.trim());
    if (status === undefined)
      throw wrong(`no run is '${word.trim()}': a status is one of ${STATUSES.join(', ')}`, about);
    return status;
  });
