import type { LiveEvent } from '../../contracts/events/event.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';

/** The first place in a run at which the words that are looked for were said. */
export interface SaidInRun {
  readonly run: string;
  readonly who: string;
  /** The words with what stands around them. */
  readonly text: string;
}

/** A part of the runs, searched. */
export interface SaidPart {
  readonly found: readonly SaidInRun[];
  /** The run behind which the next part begins; absent where there is none. */
  readonly next?: string | undefined;
}

/** Fields of events with what was said in a run, by people, models, tools and the runtime; with all that is within them. */
const SAID: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'input',
  'output',
  'answer',
  'question',
  'note',
  'reason',
  'message',
  'body',
  'value',
  'partial',
]);

/** Fields that repeat what other events say. */
const REPEATED: ReadonlySet<string> = new Set(['record', 'request', 'raw', 'report']);

/** Finds the texts in an event that somebody said. */
export const findSaid = (event: LiveEvent): readonly string[] => {
  const found: string[] = [];
  collect(event, false, found);
  return found;
};

const collect = (value: unknown, isSaid: boolean, found: string[]): void => {
  if (typeof value === 'string') {
    if (isSaid) found.push(value);
  } else if (Array.isArray(value)) for (const each of value) collect(each, isSaid, found);
  else if (isObject(value))
    for (const [name, each] of Object.entries(value))
      if (!REPEATED.has(name)) collect(each, isSaid || SAID.has(name), found);
};
