import { EVENT_VERSION, eventTypes } from '../../contracts/events/event.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { parseEvent } from '../../events/parse-event.ts';
import * as z from 'zod';
import type { LinesFile } from './trace-folder.ts';
import type { TraceProblem } from './trace-problem.ts';
import type { TraceStep } from './trace-schema.ts';
import { traceStepSchema } from './trace-schema.ts';

/** What stands in a file of lines: what could be read, and what could not, as it is. */
export interface Lines<Item> {
  readonly items: readonly Item[];
  readonly problems: readonly TraceProblem[];
}

/** The events of `events.jsonl`; a line that is no event is kept raw in its problem. Pure. */
export const readEventLines = (text: string): Lines<RuntimeEvent> => readLines('events', text, eventIn);

/** The steps of `steps.jsonl`. Pure. */
export const readStepLines = (text: string): Lines<TraceStep> => readLines('steps', text, stepIn);

/** Of a line that cannot be read, so many characters are kept. */
const RAW = 2_000;

type Read<Item> = { readonly item: Item } | Pick<TraceProblem, 'kind' | 'message'>;

const readLines = <Item>(
  file: LinesFile,
  text: string,
  read: (value: unknown) => Read<Item>,
): Lines<Item> => {
  const items: Item[] = [];
  const problems: TraceProblem[] = [];
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  const note = (line: number, raw: string, found: Pick<TraceProblem, 'kind' | 'message'>): void => {
    problems.push({ ...found, file, line, raw: raw.slice(0, RAW) });
  };
  lines.forEach((line, index) => {
    // What a crash left of a line, and then the next writer ended.
    if (line === '') return;
    const found = readLine(line, read);
    if ('item' in found) items.push(found.item);
    else note(index + 1, line, found);
  });
  if (rest === '') return { items, problems };
  // A whole line without its line feed is all there: only its end was lost.
  const last = readLine(rest, read);
  if ('item' in last) items.push(last.item);
  const message = 'The last line is not ended: its writer was cut off';
  note(lines.length + 1, rest, { kind: 'line.cut', message });
  return { items, problems };
};

const readLine = <Item>(line: string, read: (value: unknown) => Read<Item>): Read<Item> => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'line.broken', message: 'It is no JSON' };
  }
  return read(value);
};

const eventIn = (value: unknown): Read<RuntimeEvent> => {
  try {
    return { item: parseEvent(value) };
  } catch (thrown) {
    if (!isTroupeError(thrown)) throw thrown;
    const isStranger =
      isJsonObject(value) && (value['v'] !== EVENT_VERSION || !eventTypes().has(value['type'] ?? null));
    return { kind: isStranger ? 'event.unknown' : 'event.invalid', message: thrown.message };
  }
};

const stepIn = (value: unknown): Read<TraceStep> => {
  const parsed = traceStepSchema.safeParse(value);
  return parsed.success
    ? { item: parsed.data }
    : { kind: 'step.invalid', message: z.prettifyError(parsed.error) };
};
