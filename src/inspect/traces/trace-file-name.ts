import { createHash } from 'node:crypto';

/** The longest name that every file system takes, with room for a number and an ending. */
const LONGEST = 120;

/** Names that Windows keeps for devices, with or without an ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * The file of a run's trace: one name, whatever the id is, so that no id leads out of the folder of all traces. Runs of one id that ended
 * one after the other have a `number`.
 *
 * Lower-case letters, digits, `_`, `-` and single inner dots stay; all else is `%` and its code, so that two ids are two files also
 * where the file system takes `A` for `a`.
 *
 * @example
 * traceFileName('../etc/passwd') // => '%2e%2e%2fetc%2fpasswd.jsonl'
 */
export const traceFileName = (runId: string, number = 1): string =>
  `${plainName(runId)}${number === 1 ? '' : `~${number}`}.jsonl`;

const plainName = (runId: string): string => {
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
