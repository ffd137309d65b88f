import { canonical } from '../../base/json/canonical.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { toJson } from '../../base/json/json.ts';
import { readTrace } from './read-trace.ts';
import type { TraceOnDisk } from './read-trace.ts';
import type { Trace } from './trace.ts';
import { traceOf } from './trace.ts';
import type { TraceProblem } from './trace-problem.ts';
import { traceProblemKinds } from './trace-problem.ts';

/**
 * All that is wrong with a trace; nothing for one that is whole. Of a run that goes on, nothing is missing that may still come.
 *
 * It looks at the files (lines that are no JSON, no event, of another run), at the order of events, at the manifest beside them, and at
 * whether all that began has ended.
 *
 * @example
 * for (const { kind, file, line, message } of await checkTrace('./traces/r1')) console.error(kind, file, line, message);
 *
 * @throws {TroupeError} `trace.unreadable` as {@link readTrace}.
 */
export const checkTrace = async (trace: string | Trace): Promise<readonly TraceProblem[]> => {
  const read = typeof trace === 'string' ? await readTrace(trace) : trace;
  const problems = [
    ...read.damage,
    ...orderOf(read.events),
    ...endsOf(read),
    ...('files' in read ? contradictions(read as TraceOnDisk) : []),
    ...incompleteness(read),
    ...stepsOf(read),
  ];
  const rank = (problem: TraceProblem): number => traceProblemKinds.indexOf(problem.kind);
  return problems.toSorted((a, b) => rank(a) - rank(b));
};

const orderOf = (events: readonly RuntimeEvent[]): readonly TraceProblem[] => {
  const problems: TraceProblem[] = [];
  let before: RuntimeEvent | undefined;
  for (const event of events) {
    const { seq, at, runId } = event;
    const expected = before === undefined ? 0 : before.seq + 1;
    if (seq > expected)
      problems.push({
        kind: 'seq.gap',
        file: 'events',
        seq,
        message: `${expected === seq - 1 ? `Event ${expected} is` : `Events ${expected} to ${seq - 1} are`} missing`,
      });
    if (seq < expected)
      problems.push({
        kind: seq === before?.seq ? 'seq.doubled' : 'seq.order',
        file: 'events',
        seq,
        message: `Event ${seq} stands after event ${before?.seq}`,
      });
    if (before !== undefined && at < before.at)
      problems.push({
        kind: 'time.fell',
        file: 'events',
        seq,
        message: `Event ${seq} came before event ${before.seq}`,
      });
    if (runId !== events[0]?.runId)
      problems.push({ kind: 'event.foreign', file: 'events', seq, message: `It is of run ${runId}` });
    before = event;
  }
  return problems;
};

const endsOf = ({ manifest, events }: Trace): readonly TraceProblem[] => {
  const problems: TraceProblem[] = [];
  const [first] = events;
  if (first !== undefined && first.type !== 'run.started')
    problems.push({ kind: 'run.no-start', file: 'events', message: 'The first event is not that it began' });
  const end = events.findIndex(({ type }) => type === 'run.ended');
  if (manifest.status === 'running') return problems;
  if (end < 0)
    problems.push({ kind: 'run.no-end', file: 'events', message: 'There is no event that it has ended' });
  else if (end < events.length - 1)
    problems.push({
      kind: 'run.after-end',
      file: 'events',
      seq: events[end + 1]?.seq,
      message: `${events.length - 1 - end} events stand after the end`,
    });
  return [...problems, ...openTools(events)];
};

const openTools = (events: readonly RuntimeEvent[]): readonly TraceProblem[] => {
  const open = new Map<string, Extract<RuntimeEvent, { type: 'tool.started' }>>();
  for (const event of events) {
    if (event.type === 'tool.started') open.set(`${event.path} ${event.callId}`, event);
    if (event.type === 'tool.finished') open.delete(`${event.path} ${event.callId}`);
  }
  return [...open.values()].map(({ seq, tool, path }) => ({
    kind: 'tool.unfinished',
    file: 'events',
    seq,
    message: `${tool} of ${path} began, and never came to an end`,
  }));
};

/** What a manifest says that follows from the events. */
const FROM_EVENTS = [
  'runId',
  'agent',
  'status',
  'startedAt',
  'endedAt',
  'stopReason',
  'output',
  'error',
  'totals',
  'counts',
] as const;

const contradictions = ({ manifest, events, files, damage }: TraceOnDisk): readonly TraceProblem[] => {
  // Of a run that goes on it is as old as it is; one that was made of the events cannot contradict them.
  if (manifest.status === 'running' || manifest.files === undefined) return [];
  const isWhole = (manifest.left?.events ?? 0) === 0 && damage.length === 0;
  const told = traceOf(events).manifest;
  const words = FROM_EVENTS.filter((key) => isWhole || key === 'runId' || key === 'status').flatMap((key) => {
    const [said, is] = [canonical(toJson(manifest[key] ?? null)), canonical(toJson(told[key] ?? null))];
    return said === is ? [] : [`its ${key} is ${brief(said)}, by the events ${brief(is)}`];
  });
  const sums = (['events', 'steps'] as const).flatMap((name) => {
    const [said, is] = [manifest.files?.[name], files[name]];
    if (said === undefined || said.sha256 === (is?.sha256 ?? EMPTY)) return [];
    return [
      `${said.name} held ${said.bytes} bytes when it was written, and now holds ${is?.bytes ?? 0} others`,
    ];
  });
  return [...words, ...sums].map((message) => ({ kind: 'manifest.contradicts', file: 'manifest', message }));
};

/** The SHA-256 of nothing. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const brief = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

const incompleteness = ({ manifest: { left, trouble } }: Trace): readonly TraceProblem[] => {
  const messages = [
    ...((left?.events ?? 0) > 0 ? [`${left?.events} events were not written`] : []),
    ...(trouble === undefined ? [] : [trouble]),
  ];
  return messages.map((message) => ({ kind: 'trace.incomplete', file: 'manifest', message }));
};

const stepsOf = ({ manifest, events, steps }: Trace): readonly TraceProblem[] => {
  if (manifest.status === 'running') return [];
  const name = ({ path, step }: { readonly path: string; readonly step: number }) =>
    `step ${step} of ${path}`;
  const told = new Map(
    events.flatMap((event) =>
      event.type === 'step.ended' ? [[name(event.record), event.seq] as const] : [],
    ),
  );
  const there = new Set(steps.map(name));
  return [
    ...[...told]
      .filter(([step]) => !there.has(step))
      .map(([step, seq]) => ({ seq, message: `There is no line of ${step}` })),
    ...[...there].filter((step) => !told.has(step)).map((step) => ({ message: `No event tells of ${step}` })),
  ].map((found) => ({ kind: 'step.missing', file: 'steps', ...found }));
};
