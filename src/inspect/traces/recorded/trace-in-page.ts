import * as z from 'zod';
import type { JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import { eventIn, inOrder } from '../logged-events.ts';
import { stepsIn } from '../step-view.ts';
import type { Trace } from '../trace.ts';
import { accountOf } from '../trace-account.ts';
import type { TraceProblem } from '../trace-problem.ts';
import { traceProblemKinds } from '../trace-problem.ts';

/** The id of the block of a page in which its recording stands. */
export const RECORDING_ID = 'recording';

/** The block, which has no `<` in it. Written so that the page, which has this code in a script of its own, has no such tag in it. */
const BLOCK = new RegExp(
  String.raw`\x3cscript type="application/json" id="${RECORDING_ID}">([^<]*)\x3c/script>`,
);

/** The facts of a trace that its events do not tell; those that do not fit are left out. */
const extras = z.object({
  left: z.object({ events: z.number(), cut: z.number() }).optional().catch(undefined),
  trouble: z.string().optional().catch(undefined),
  writer: z
    .object({ holder: z.string(), node: z.string(), platform: z.string() })
    .optional()
    .catch(undefined),
  facts: z.record(z.string(), z.json()).optional().catch(undefined),
  factsHash: z.string().optional().catch(undefined),
});

const problemSchema = z.object({
  kind: z.enum(traceProblemKinds),
  message: z.string(),
  line: z.number().optional(),
  seq: z.number().optional(),
  raw: z.string().optional(),
});

/**
 * The trace in a page that `traceAsHtml` made. Runs in browsers.
 *
 * Of the page only its events are taken, each by its schema: all else of the run is folded from them anew.
 *
 * @throws {TroupeError} `trace.unreadable` for a page without a run in it.
 */
export const traceInPage = (text: string, name = 'the page'): Trace => {
  const found = blockIn(text, name);
  const entries = listAt(found, 'entries');
  const { events, problems } = eventsIn(entries, listAt(found, 'phases'));
  const account = isJsonObject(found['account']) ? found['account'] : {};
  const ended = account['status'] === 'interrupted' ? 'interrupted' : 'running';
  const damage = listAt(found, 'damage').flatMap((each) => problemSchema.safeParse(each).data ?? []);
  return {
    account: { ...extras.parse(account), ...accountOf(events, ended) },
    events,
    steps: stepsIn(events),
    ...resumptionsIn(entries),
    damage: [...damage, ...beginningLost(entries), ...problems],
  };
};

const blockIn = (text: string, name: string): JsonObject => {
  const json = BLOCK.exec(text)?.[1];
  if (json === undefined)
    throw unreadable(
      name,
      'it is a page without a run in it: give one that troupe trace export RUN --html FILE wrote, or the trace or the journal of the run',
    );
  const found = parseJson(json);
  if (isJsonObject(found) && Array.isArray(found['entries'])) return found;
  const beginning = JSON.stringify(json.trimStart().slice(0, 60));
  throw unreadable(name, `the run in this page is damaged: found ${beginning}. Export the run again`);
};

const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

const listAt = (found: JsonObject, key: string): readonly unknown[] => {
  const list: unknown = found[key];
  return Array.isArray(list) ? list : [];
};

interface Found {
  readonly events: readonly RuntimeEvent[];
  readonly problems: readonly TraceProblem[];
}

/** The events of the run, of which those that entered a phase stand apart: a recording has moves in their place. */
const eventsIn = (entries: readonly unknown[], phases: readonly unknown[]): Found => {
  const given = [
    ...phases,
    ...entries.flatMap((entry) =>
      isJsonObject(entry) && entry['kind'] === 'published' ? [entry['event']] : [],
    ),
  ];
  const events: RuntimeEvent[] = [];
  const problems: TraceProblem[] = [];
  for (const each of given) {
    const found = eventIn(each);
    if ('item' in found) events.push(found.item);
    else problems.push(found);
  }
  const bySeq = inOrder(events.toSorted((one, other) => one.seq - other.seq));
  const runId = bySeq.events[0]?.runId;
  const own = bySeq.events.filter((event) => event.runId === runId);
  const others = bySeq.events.length - own.length;
  const foreign: readonly TraceProblem[] =
    others === 0 ? [] : [{ kind: 'event.foreign', message: `There are ${others} events of other runs` }];
  return { events: own, problems: [...problems, ...bySeq.problems, ...foreign] };
};

/** A long recording has only its last entries: the events before them are lost. */
const beginningLost = ([first]: readonly unknown[]): readonly TraceProblem[] => {
  const before = isJsonObject(first) && typeof first['n'] === 'number' ? first['n'] : 0;
  return before === 0
    ? []
    : [
        {
          kind: 'trace.incomplete',
          message: `The page has no event of the first ${before} entries of its recording`,
        },
      ];
};

const resumptionsIn = (entries: readonly unknown[]): Pick<Trace, 'resumed'> => {
  const found: { seq: number; at: number }[] = [];
  let seq = 0;
  for (const entry of entries) {
    if (!isJsonObject(entry)) continue;
    const { kind, event, at } = entry;
    if (isJsonObject(event) && typeof event['seq'] === 'number') seq = Math.max(seq, event['seq'] + 1);
    if (kind === 'resumed' && typeof at === 'number') found.push({ seq, at });
  }
  return found.length === 0 ? {} : { resumed: found };
};

const unreadable = (name: string, reason: string): TroupeError =>
  new TroupeError('trace.unreadable', `Cannot read ${name} as ${reason}`);
