import type { StoredStatus } from '../../contracts/journals/journal.ts';
import { oneLine, printableJson } from '../../base/text/printable.ts';
import type { LeftStatus } from '../../runtime/journal/resume/left-running.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Session } from '../session.ts';

/** A time as people read it, where they are: `2026-11-20 17:15:12`. */
export const timeWords = (at: number): string => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const two = (count: number): string => String(count).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

/** Cells that an id may take in a list. */
export const WIDEST_ID = 36;

/** On a terminal with fewer columns a start has no seconds, and on one with half as many it is left out. */
export const ROOMY = 100;

/** The start of a run in a list, as precisely as there is room for. */
export const startWords = (at: number, columns: number): string => {
  if (columns < ROOMY / 2) return '';
  return columns < ROOMY ? timeWords(at).replace(/:\d\d$/, '') : timeWords(at);
};

/** Cells that the name of an agent may take in a list. */
export const agentWidth = (columns: number): number => (columns < ROOMY ? 16 : 32);

/** The colour of a status. */
export const statusPaint = (status: StoredStatus | LeftStatus, paint: Paint): ((text: string) => string) => {
  switch (status) {
    case 'completed':
      return paint.green;
    case 'failed':
      return paint.red;
    case 'running':
      return paint.cyan;
    default:
      return paint.yellow;
  }
};

/** A run that a list leaves out, and why. */
export const unreadableLine = (runId: string, why: string, { sidePaint: paint }: Session): string =>
  `${paint.red('✗')} ${oneLine(`Cannot read run ${runId}: ${why}`, 400)}\n`;

/** Data as one line of JSON that a terminal may show. */
export const jsonLine = (data: object): string => `${printableJson(data)}\n`;
