import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isProcessGone } from '../../persistence/process-holder.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { eventIn, inOrder } from './logged-events.ts';
import { stepsIn } from './step-view.ts';
import type { Trace } from './trace.ts';
import { accountOf } from './trace-account.ts';
import type { TraceProblem } from './trace-problem.ts';

/** Facts that 0.1 wrote beside the events and that do not follow from them. */
const manifestSchema = z.looseObject({
  v: z.literal(1),
  runId: z.string(),
  status: z.string(),
  writer: z.object({ holder: z.string(), node: z.string(), platform: z.string() }),
  left: z.object({ events: z.number(), cut: z.number() }),
  trouble: z.string().optional(),
  factsHash: z.string().optional(),
});

/** Checks whether a folder is a trace of 0.1: `manifest.json`, `events.jsonl` and `steps.jsonl`. */
export const isOldTrace = async (folder: string): Promise<boolean> =>
  (await textIn(folder, 'events.jsonl')) !== undefined ||
  (await textIn(folder, 'manifest.json')) !== undefined;

/** Reads a trace of 0.1: all that it says of its run follows from the events. `formatTrace` makes one of this release of it. */
export const readOldTrace = async (folder: string): Promise<Trace> => {
  const lines = ((await textIn(folder, 'events.jsonl')) ?? '').split('\n');
  const found: RuntimeEvent[] = [];
  const problems: TraceProblem[] = [];
  lines.forEach((raw, index) => {
    if (raw === '') return;
    const read = eventIn(parseJson(raw));
    if ('item' in read) found.push(read.item);
    else
      problems.push({
        ...read,
        kind: parseJson(raw) === undefined ? 'line.broken' : read.kind,
        line: index + 1,
        raw,
      });
  });
  const { events, problems: disorder } = inOrder(found);
  const manifest = manifestSchema.safeParse(parseJson((await textIn(folder, 'manifest.json')) ?? '')).data;
  const isGoingOn = manifest?.status === 'running' && !isProcessGone(manifest.writer.holder);
  const { left, trouble, writer, factsHash } = manifest ?? {};
  return {
    account: {
      ...accountOf(events, isGoingOn ? 'running' : 'interrupted', manifest?.runId),
      left,
      trouble,
      writer,
      factsHash,
    },
    events,
    steps: stepsIn(events),
    damage: [...problems, ...disorder],
  };
};

const textIn = (folder: string, file: string): Promise<string | undefined> =>
  readFile(join(folder, file), 'utf8').catch(() => undefined);

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
