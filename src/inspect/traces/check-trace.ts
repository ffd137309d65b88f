import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { readTrace } from './read-trace.ts';
import type { Trace } from './trace.ts';
import type { TraceProblem } from './trace-problem.ts';
import { traceProblemKinds } from './trace-problem.ts';

/**
 * All that is wrong with a trace; nothing for one that is whole. Of a run that goes on, nothing is missing that may still come.
 *
 * It looks at the lines of its file (cut, changed, missing, no event), at the order of events, at what was left out, and at whether all
 * that began has ended.
 *
 * @example
 * for (const { kind, line, message } of await checkTrace('./traces/r1.jsonl')) console.error(kind, line, message);
 *
 * @throws {TroupeError} `trace.unreadable` as {@link readTrace}.
 */
export const checkTrace = async (trace: string | Trace): Promise<readonly TraceProblem[]> => {
  const read = typeof trace === 'string' ? await readTrace(trace) : trace;
  const problems = [...read.damage, ...orderOf(read.events), ...endsOf(read), ...incompleteness(read)];
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
        seq,
        message: `${expected === seq - 1 ? `Event ${expected} is` : `Events ${expected} to ${seq - 1} are`} missing`,
      });
    if (seq < expected)
      problems.push({
        kind: seq === before?.seq ? 'seq.doubled' : 'seq.order',
        seq,
        message: `Event ${seq} stands after event ${before?.seq}`,
      });
    if (before !== undefined && at < before.at)
      problems.push({
        kind: 'time.fell',
        seq,
        message: `Event ${seq} came before event ${before.seq}`,
      });
    if (runId !== events[0]?.runId)
      problems.push({ kind: 'event.foreign', seq, message: `It is of run ${runId}` });
    before = event;
  }
  return problems;
};

const endsOf = ({ account, events }: Trace): readonly TraceProblem[] => {
  const problems: TraceProblem[] = [];
  const [first] = events;
  if (first !== undefined && first.type !== 'run.started')
    problems.push({ kind: 'run.no-start', message: 'The first event is not that it began' });
  const end = events.findIndex(({ type }) => type === 'run.ended');
  if (account.status === 'running') return problems;
  if (end < 0) problems.push({ kind: 'run.no-end', message: 'There is no event that it has ended' });
  else if (end < events.length - 1)
    problems.push({
      kind: 'run.after-end',
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
    seq,
    message: `${tool} of ${path} began, and never came to an end`,
  }));
};

const incompleteness = ({ account: { left, trouble } }: Trace): readonly TraceProblem[] => {
  const messages = [
    ...((left?.events ?? 0) > 0 ? [`${left?.events} events were not written`] : []),
    ...(trouble === undefined ? [] : [trouble]),
  ];
  return messages.map((message) => ({ kind: 'trace.incomplete', message }));
};
