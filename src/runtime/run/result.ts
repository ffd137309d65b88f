import { copyPlain } from '../../contracts/copy-plain.ts';
import { freezeJson } from '../../contracts/freeze-json.ts';
import type { ErrorCode, ErrorData } from '../../contracts/error.ts';
import type { EventBody, RuntimeEvent } from '../../contracts/event.ts';
import type { History } from '../../contracts/history.ts';
import { HistoryView } from '../../contracts/history.ts';
import type { Json } from '../../contracts/json.ts';
import type { EffectRecord, Outcome, RunResult, RunTotals, StepRecord } from '../../contracts/run.ts';
import { emptyTally } from '../../contracts/stop.ts';
import type { Turn } from '../../contracts/transcript.ts';
import type { RunTask } from '../../actors/run-task.ts';
import type { Artifact } from '../../contracts/tool.ts';
import type { Actor } from '../actors/actor.ts';
import type { EventLog } from '../log/event-log.ts';
import type { RunCounter } from '../actors/run-counter.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';

/** Checks whether an actor left an outcome. */
const isOutcome = (output: unknown): output is Outcome =>
  typeof output === 'object' &&
  output !== null &&
  'status' in output &&
  'stopReason' in output &&
  'tally' in output;

/** What an actor left, or that it left nothing. */
export const outcomeOf = (output: unknown, at: number): Outcome =>
  isOutcome(output)
    ? explained(output)
    : outcomeOfFailure('machine.threw', 'Cannot use an actor as it left no outcome', at);

/** A machine may end as failed and leave no error: it has failed all the same, and its run rejects. */
const explained = (outcome: Outcome): Outcome =>
  outcome.status === 'failed' && outcome.error === undefined ? { ...outcome, error: UNEXPLAINED } : outcome;

const UNEXPLAINED: ErrorData = {
  code: 'agent.threw',
  message: 'Cannot go on as a machine ended as failed: it left no error that says why',
  retryable: 'no',
};

/** How the actor of a troubled call ended, as its agent is told of it. */
export const callEnd = (
  output: unknown,
): {
  readonly kind: 'answered' | 'failed';
  readonly content: { readonly output?: unknown; readonly error?: unknown };
} => {
  if (isOutcome(output)) return { kind: 'failed', content: { error: output.error } };
  if (!isCallOutput(output)) return { kind: 'failed', content: {} };
  return output.ok
    ? { kind: 'answered', content: { output: output.output } }
    : { kind: 'failed', content: { error: output.error } };
};

const isCallOutput = (output: unknown): output is { ok: boolean; output?: unknown; error?: unknown } =>
  typeof output === 'object' && output !== null && 'ok' in output && typeof output.ok === 'boolean';

/** The outcome of an actor that broke before it could leave one. */
export const outcomeOfFailure = (code: ErrorCode, message: string, at: number): Outcome => ({
  status: code === 'run.aborted' ? 'aborted' : 'failed',
  stopReason: code === 'run.aborted' ? { kind: 'aborted', reason: message } : { kind: 'failed' },
  error: { code, message, retryable: 'no' },
  steps: 0,
  state: {},
  tally: emptyTally(at),
});

/** An outcome whose error names its place: the actor's, where what broke the actor knew none. */
export const placed = (outcome: Outcome, runId: string, path: string): Outcome =>
  outcome.error === undefined || outcome.error.errorId !== undefined
    ? outcome
    : { ...outcome, error: { runId, path, errorId: `${runId}/${path}#end`, ...outcome.error } };

/** What the last event of a run says. */
export const endedBody = (outcome: Outcome, totals: RunTotals): EventBody => {
  const { status, stopReason, output, autoCompleted, error, report } = outcome;
  return {
    type: 'run.ended',
    status,
    stopReason: { ...stopReason },
    ...(output === undefined ? {} : { output }),
    ...(autoCompleted === undefined ? {} : { autoCompleted }),
    ...(error === undefined ? {} : { error }),
    ...(report === undefined ? {} : { report }),
    totals,
  };
};

/** What a tool made beside its result, and the agent that it was made for. */
export interface KeptArtifact {
  readonly path: string;
  readonly artifact: Artifact;
}

/** A run as its result reports it. */
export interface ReportedRun {
  readonly runId: string;
  readonly root: Actor;
  readonly task: RunTask | undefined;
  readonly log: Pick<EventLog, 'events' | 'records' | 'totals'>;
  readonly artifacts: readonly KeptArtifact[];
  readonly effects: { readonly records: readonly EffectRecord[] };
  readonly secrets: RunSecrets;
}

/** The result of a run, or of the part of one that began at event `since` below `path`. */
export const resultOf = <Output = Json>(
  run: ReportedRun,
  outcome: Outcome,
  path: string,
  since: number,
  actor: Actor,
): RunResult<Output> => {
  const isWhole = path === run.root.path;
  const isOurs = (part: { readonly path: string }): boolean => isWhole || isWithin(part.path, path);
  const { events, records, totals } = run.log;
  const plain: ReadNow<Output> = {
    runId: run.runId,
    ...(isWhole && run.task?.task !== undefined ? { task: run.task.task } : {}),
    status: outcome.status,
    // The schema of the agent's answer was checked when the answer was decided.
    output: copyPlain(outcome.output) as Output | undefined,
    candidate: copyPlain(outcome.candidate),
    ...(isWhole || outcome.conversation === undefined
      ? {}
      : { conversation: freezeJson(outcome.conversation) }),
    ...(outcome.autoCompleted === true ? { autoCompleted: true } : {}),
    stopReason: freezeJson(outcome.stopReason),
    error: freezeJson(outcome.error),
    ...(outcome.report === undefined ? {} : { report: freezeJson(outcome.report) }),
    state: freezeJson(outcome.state),
    artifacts: run.artifacts.filter(isOurs).map(({ artifact }) => ({ ...artifact })),
    totals: isWhole ? totals : partTotals(outcome, actor.counter),
  };
  // What is read later is held by itself: a result that is kept does not keep its run.
  const history = actor.said?.history;
  const { secrets } = run;
  const kept: Kept = {
    events,
    records,
    effects: run.effects.records,
    secrets,
    history,
    path,
    since,
    isWhole,
  };
  return Object.defineProperties(plain, { ...readLater, [KEPT]: { value: kept } }) as RunResult<Output>;
};

type ReadNow<Output> = Omit<RunResult<Output>, 'events' | 'records' | 'effects' | 'transcript'>;

/** What the parts of a result that few read are made of. */
interface Kept {
  readonly events: { slice(start?: number): readonly RuntimeEvent[] };
  readonly records: readonly StepRecord[];
  readonly effects: readonly EffectRecord[];
  readonly path: string;
  readonly since: number;
  readonly isWhole: boolean;
  readonly secrets: RunSecrets;
  builtRecords?: readonly StepRecord[];
  builtEvents?: readonly RuntimeEvent[];
  readonly history: History<Turn> | undefined;
  builtTranscript?: readonly Turn[];
}

const KEPT = Symbol('troupe.kept');

type Keeping = { readonly [KEPT]: Kept };

const eventsOf = (kept: Kept): readonly RuntimeEvent[] => {
  const { events, isWhole, since, path } = kept;
  return (kept.builtEvents ??= Object.freeze(
    isWhole ? events.slice() : events.slice(since).filter((event) => isWithin(event.path, path)),
  ));
};

/** One set of getters for all results: getters in a literal give each result a shape of its own, which lives for long. */
const readLater = {
  records: {
    enumerable: true,
    get(this: Keeping) {
      const kept = this[KEPT];
      if (kept.isWhole) return (kept.builtRecords ??= freezeJson([...kept.secrets.value(kept.records)]));
      return stepsOf(eventsOf(kept), kept.path);
    },
  },
  events: {
    enumerable: true,
    get(this: Keeping) {
      return eventsOf(this[KEPT]);
    },
  },
  transcript: {
    enumerable: true,
    get(this: Keeping) {
      const kept = this[KEPT];
      return (kept.builtTranscript ??=
        kept.history === undefined
          ? []
          : freezeJson([...kept.secrets.value(new HistoryView(kept.history).toArray())]));
    },
  },
  effects: {
    enumerable: true,
    get(this: Keeping) {
      const kept = this[KEPT];
      const { isWhole, effects, path } = kept;
      const ours = isWhole ? effects : effects.filter((effect) => isWithin(effect.path, path));
      // As they are by now: what comes too late is noted later on.
      return Object.freeze(ours.map((effect) => freezeJson(kept.secrets.value({ ...effect }))));
    },
  },
};

const stepsOf = (events: readonly RuntimeEvent[], path: string): readonly StepRecord[] =>
  events.flatMap((event) => (event.type === 'step.ended' && event.path === path ? [event.record] : []));

const isWithin = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);

const partTotals = ({ steps, tally }: Outcome, counter?: RunCounter): RunResult['totals'] => ({
  ...counter?.cost,
  steps,
  modelCalls: tally.modelCalls,
  toolCalls: tally.toolCalls,
  inputTokens: tally.inputTokens,
  outputTokens: tally.outputTokens,
  cachedTokens: tally.cachedTokens,
  retries: tally.retries,
  durationMs: tally.now - tally.startedAt,
});
