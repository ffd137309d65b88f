import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { copyPlain } from '../../base/json/copy-plain.ts';
import { freezeJson } from '../../base/json/freeze-json.ts';
import type { ErrorCode, ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody, RuntimeEvent } from '../../contracts/events/event.ts';
import type { History } from '../../base/collections/history.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { Json } from '../../base/json/json.ts';
import type { EffectRecord, RunResult } from '../../contracts/runs/run-result.ts';
import type { RunTotals } from '../../contracts/runs/run-totals.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { StepRecord } from '../../contracts/runs/step-record.ts';
import { emptyTally } from '../../contracts/agents/tally.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { RunTask } from '../../actors/preparing/run-task.ts';
import type { Artifact } from '../../contracts/tools/tool-result.ts';
import type { Actor } from '../actors/actor.ts';
import type { EventLog } from '../log/event-log.ts';
import { withMemoryFailures } from './memory-failures.ts';
import type { RunCounter } from '../actors/run-counter.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';

/** Checks whether the output of an actor is an outcome. */
const isOutcome = (output: unknown): output is Outcome =>
  typeof output === 'object' &&
  output !== null &&
  'status' in output &&
  'stopReason' in output &&
  'tally' in output;

/** The outcome of an actor; a failure if its output is not one. */
export const outcomeOf = (output: unknown, at: number): Outcome =>
  isOutcome(output)
    ? explainFailure(output)
    : outcomeOfFailure('machine.threw', 'Cannot use an actor as it left no outcome', at);

/** Adds an error to a machine's failure without one, so that the run rejects. */
const explainFailure = (outcome: Outcome): Outcome =>
  outcome.status === 'failed' && outcome.error === undefined ? { ...outcome, error: UNEXPLAINED } : outcome;

const UNEXPLAINED: ErrorData = {
  code: 'agent.threw',
  message: 'Cannot go on as a machine ended as failed: it left no error that says why',
  retryable: 'no',
};

/** The end of a call's actor, as an answer to its agent. */
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

/** The outcome of an actor that threw before it produced one. */
export const outcomeOfFailure = (code: ErrorCode, message: string, at: number): Outcome => ({
  status: code === 'run.aborted' ? 'aborted' : 'failed',
  stopReason: code === 'run.aborted' ? { kind: 'aborted', reason: message } : { kind: 'failed' },
  error: { code, message, retryable: 'no' },
  steps: 0,
  state: {},
  tally: emptyTally(at),
});

/** Adds run, address and id to the outcome's error, unless it has them. */
export const placeError = (outcome: Outcome, runId: string, path: string): Outcome =>
  outcome.error === undefined || outcome.error.errorId !== undefined
    ? outcome
    : { ...outcome, error: { runId, path, errorId: `${runId}/${path}#end`, ...outcome.error } };

/** The body of `run.ended`. */
export const endedBody = (outcome: Outcome, totals: RunTotals): EventBody => {
  const { status, stopReason, output, autoCompleted, error, report } = outcome;
  return {
    type: 'run.ended',
    status,
    stopReason: { ...stopReason },
    ...withoutUndefined({ output, autoCompleted, error, report }),
    totals,
  };
};

/** An artifact of a tool, and the address of the agent that it was made for. */
export interface KeptArtifact {
  readonly path: string;
  readonly artifact: Artifact;
}

/** The parts of a run that its result reads. */
export interface ReportedRun {
  readonly runId: string;
  readonly root: Actor;
  readonly task: RunTask | undefined;
  readonly log: Pick<EventLog, 'events' | 'records' | 'totals'>;
  readonly artifacts: readonly KeptArtifact[];
  readonly effects: { readonly records: readonly EffectRecord[] };
  readonly secrets: RunSecrets;
}

/** The result of a run, or of its part below `path` from event `since` on. */
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
  // The report of the whole run has them already.
  const { report } = isWhole ? outcome : withMemoryFailures(outcome, events, isOurs, since);
  const plain: ReadNow<Output> = {
    runId: run.runId,
    ...(isWhole && run.task?.task !== undefined ? { task: run.task.task } : {}),
    status: outcome.status,
    // The output was validated against the agent's schema when it was decided.
    output: copyPlain(outcome.output) as Output | undefined,
    candidate: copyPlain(outcome.candidate),
    ...(isWhole || outcome.conversation === undefined
      ? {}
      : { conversation: freezeJson(outcome.conversation) }),
    ...(outcome.autoCompleted === true ? { autoCompleted: true } : {}),
    stopReason: freezeJson(outcome.stopReason),
    error: freezeJson(outcome.error),
    ...(report === undefined ? {} : { report: freezeJson(report) }),
    state: freezeJson(outcome.state),
    artifacts: run.artifacts.filter(isOurs).map(({ artifact }) => ({ ...artifact })),
    totals: isWhole ? totals : partTotals(outcome, actor.counter),
  };
  // Lazy parts reference their sources only: a retained result does not retain its run.
  const history = actor.endedConversation?.history;
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

/** Sources of the lazy parts of a result. */
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

/** Getters shared by all results: getters in a literal would give each result a long-lived shape of its own. */
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
      // Read now, as late effects are added to their records.
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
