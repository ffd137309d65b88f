import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { PRIVATE, PRIVATE_FOLDER } from '../../persistence/private-files.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import { unreadable } from './read-chain.ts';

/** The head of a chain as it is anchored. */
export interface AuditHead {
  /** The name of its chain: of a run's own file the name of that. */
  readonly chain: string;
  /** Its entries so far, and the hash of the last one. */
  readonly count: number;
  readonly head: string;
  /** The time of the last entry, in ms since 1970. */
  readonly at: number;
}

/** Receives heads, to be kept apart from the log. */
export type Anchor = (head: AuditHead) => void;

/** An anchor that adds each head to a file, as a line of JSON. */
export const fileAnchor =
  (file: string): Anchor =>
  ({ chain, count, head, at }) => {
    mkdirSync(dirname(file), PRIVATE_FOLDER);
    appendFileSync(file, `${JSON.stringify({ chain, count, head, at })}\n`, { mode: PRIVATE });
  };

const headSchema = z.object({
  chain: z.string(),
  count: z.number().int().positive(),
  head: z.string(),
  at: z.number(),
});

/**
 * The heads in an anchor's file. A last line that was cut off is skipped.
 *
 * @throws {TroupeError} `trace.unreadable` for a file that is not there, or has other lines.
 */
export const readAnchor = (file: string): readonly AuditHead[] => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw unreadable(file, `its anchor cannot be read: ${messageOf(thrown)}`, thrown);
  }
  const lines = text.split('\n');
  lines.pop();
  return lines.map((line, index) => {
    const head = parseHead(line);
    if (head === undefined) throw unreadable(file, `line ${index + 1} is no anchored head`);
    return head;
  });
};

const parseHead = (line: string): AuditHead | undefined => {
  try {
    return headSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};
