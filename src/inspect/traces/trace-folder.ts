import { createHash } from 'node:crypto';

/** The files of a trace. */
export const traceFileNames = {
  manifest: 'manifest.json',
  events: 'events.jsonl',
  steps: 'steps.jsonl',
} as const;

/** One of the two files that hold lines. */
export type LinesFile = 'events' | 'steps';

/** The longest name that every file system takes, with room for a number and a draft's ending. */
const LONGEST = 120;

/** Names that Windows keeps for devices, with or without an ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * The folder of a run's trace: one name, whatever the id is, so that no id leads out of the folder of all traces.
 *
 * Lower-case letters, digits, `_`, `-` and single inner dots stay; all else is `%` and its code, so that two ids are two folders also
 * where the file system takes `A` for `a`.
 *
 * @example
 * traceFolderName('../etc/passwd') // => '%2e%2e%2fetc%2fpasswd'
 */
export const traceFolderName = (runId: string): string => {
  const plain = [...new TextEncoder().encode(runId)]
    .map((byte, index, all) => {
      const character = String.fromCharCode(byte);
      const isInner = character === '.' && index > 0 && index < all.length - 1 && all[index - 1] !== DOT;
      return /[a-z0-9_-]/.test(character) || isInner ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  if (plain === '') return '%';
  const named = DEVICE.test(plain) ? `%${plain.charCodeAt(0).toString(16)}${plain.slice(1)}` : plain;
  if (named.length <= LONGEST) return named;
  const ending = createHash('sha256').update(runId).digest('hex').slice(0, 32);
  return `${named.slice(0, LONGEST - 33)}%${ending}`;
};

const DOT = 0x2e;
