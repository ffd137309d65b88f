import { isTroupeError, messageOf } from '../../contracts/errors/error.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import type { Paint } from '../terminal/paint.ts';

/** No message has to be longer, in characters. */
const LONGEST = 1_000;

/** Formats an error on one printable line; with `isDebug` also its stack. */
export const failureLine = (thrown: unknown, paint: Paint, isDebug: boolean): string => {
  const mark = isTroupeError(thrown, 'run.aborted') ? paint.yellow('■') : paint.red('✗');
  const line = `${mark} ${oneLine(messageOf(thrown), LONGEST)}\n`;
  if (!isDebug) return line;
  const code = isTroupeError(thrown) ? `code: ${thrown.code}\n` : '';
  return `${line}${paint.dim(printable(`${code}${stackOf(thrown)}`))}\n`;
};

const stackOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return '';
  const cause = thrown.cause === undefined ? '' : `\ncaused by: ${stackOf(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
};
