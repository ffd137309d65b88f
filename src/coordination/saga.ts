import { assign } from 'xstate';
import { errorData } from '../contracts/error.ts';
import type { ErrorData } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import { atOnce, rulesInForce } from '../machines/rules.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { troubleOf } from './round/reply-text.ts';
import type { Reply } from './round/round.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, teamContext, teamOutcome } from './round/team-context.ts';

/** The name of the function that makes a step's input of the output before it. */
export const sagaStepFunction = (step: number): string => `step-${step}`;

/** The steps in order, and the members that do and undo them. */
export type SagaOptions = {
  readonly steps: readonly { readonly does: string; readonly undoes: string | null }[];
};

/** What became of a step. */
export type SagaStep = {
  readonly step: string;
  readonly output: Json;
  /** `undone`, `notUndone` (its compensation failed, for `reason`) or `kept`: it has no compensation. */
  readonly fate: 'done' | 'undone' | 'notUndone' | 'kept';
  readonly reason: string | null;
};

/** What became of the steps that were done, in order. */
export type SagaState = { readonly steps: readonly SagaStep[] };

type Own = SagaState & {
  /** The step under way; when it is undone, the one that is. */
  readonly at: number;
  /** Why the saga turned back. */
  readonly trouble: { readonly step: string; readonly end: SagaEnd } | null;
};
type SagaEnd = Pick<Reply, 'status' | 'stopReason' | 'error'>;
type Context = TeamContext<Own, SagaOptions>;

/** The next step gets what the one before it left. */
const goForward = (context: Context): Partial<Context> => {
  const { own, options, input } = context;
  const at = own.at + 1;
  const step = options.steps[at];
  if (step === undefined) return {};
  const previous = own.steps.at(-1)?.output ?? input;
  const map = rulesInForce().functions?.[sagaStepFunction(at)];
  try {
    const given = map === undefined ? previous : atOnce(map(previous, input));
    return { own: { ...own, at }, ...beginRound(context, [{ member: step.does, input: given }]) };
  } catch (thrown) {
    const message = `Cannot go on with '${step.does}' as the map of its step threw`;
    return { own: turnedBack(own, step.does, failedBy(errorData(thrown, 'agent.threw', { message }))) };
  }
};

const failedBy = (error: ErrorData): SagaEnd => ({
  status: 'failed',
  stopReason: { kind: 'failed' },
  error,
});

const turnedBack = (own: Own, step: string, end: SagaEnd): Own => ({
  ...own,
  at: own.steps.length,
  trouble: { step, end },
});

/** A step is through: on to the next, the end, or back. */
const stepDone = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const step = options.steps[own.at]?.does ?? '';
  const [reply] = repliesOf(context);
  // An escalation is the failure of the step: what was done is undone all the same.
  if (context.end !== null)
    return { end: null, own: turnedBack(own, step, { ...context.end, error: context.end.error ?? null }) };
  if (reply === undefined) return {};
  if (reply.status !== 'completed') {
    const { status, stopReason, error } = reply;
    return { own: turnedBack(own, step, { status, stopReason, error }) };
  }
  const steps = [...own.steps, { step, output: reply.output, fate: 'done' as const, reason: null }];
  if (steps.length < options.steps.length) return { own: { ...own, steps } };
  return {
    own: { ...own, steps },
    end: { status: 'completed', stopReason: { kind: 'answered' }, output: reply.output },
  };
};

/** The last step that is not undone yet; what has no compensation stays. */
const goBack = (context: Context): Partial<Context> => {
  const { own, options, team } = context;
  const at = own.at - 1;
  const done = own.steps[at];
  if (done === undefined) return { own: { ...own, at }, end: endOf(context) };
  const undoes = options.steps[at]?.undoes ?? null;
  if (undoes === null)
    return goBack({ ...context, own: { ...own, at, steps: withFate(own, at, 'kept', null) } });
  const reason = own.trouble?.end.error?.message ?? own.trouble?.end.stopReason.kind ?? '';
  const task = {
    saga: team.name,
    step: done.step,
    output: done.output,
    failed: own.trouble?.step ?? '',
    reason,
  };
  return { own: { ...own, at }, ...beginRound(context, [{ member: undoes, input: JSON.stringify(task) }]) };
};

const withFate = (
  { steps }: Own,
  at: number,
  fate: SagaStep['fate'],
  reason: string | null,
): readonly SagaStep[] => steps.map((step, index) => (index === at ? { ...step, fate, reason } : step));

/** A compensation is through. One that failed stops nobody: the steps before it have to be undone all the same. */
const stepUndone = (context: Context): Partial<Context> => {
  const { own, end } = context;
  const [reply] = repliesOf(context);
  if (end === null && reply === undefined) return {};
  const reason = end?.error?.message ?? (reply === undefined ? null : troubleOf(reply));
  return {
    end: null,
    own: { ...own, steps: withFate(own, own.at, reason === null ? 'undone' : 'notUndone', reason) },
  };
};

/** It ends as the step did that turned it back; its candidate says what became of the others. */
const endOf = ({ own }: Context): TeamEnd => {
  const { status, stopReason, error } = own.trouble?.end ?? {
    status: 'failed',
    stopReason: { kind: 'failed' },
    error: null,
  };
  return { status, stopReason, ...(error === null ? {} : { error }), candidate: [...own.steps] };
};

/**
 * Steps in a row that change the world, each with what undoes it: when one fails, those before it are undone in the reverse order
 * ("Sagas", Garcia-Molina and Salem, 1987).
 */
export const sagaMachine = onDemand(() =>
  setupTeam<Own, SagaOptions>()
    .extend({
      actions: {
        goForward: assign(({ context }) => goForward(context)),
        stepDone: assign(({ context }) => stepDone(context)),
        goBack: assign(({ context }) => goBack(context)),
        stepUndone: assign(({ context }) => stepUndone(context)),
      },
      guards: {
        turnsBack: ({ context }) => context.own.trouble !== null,
      },
    })
    .createMachine({
      id: 'saga',
      description:
        'Steps that change the world, each with what undoes it; one that fails turns the saga back.',
      context: ({ input }: { input: TeamInput<SagaOptions> | undefined }) =>
        teamContext(input, { at: -1, steps: [], trouble: null }, { steps: [] }),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'goingForward',
      on: teamArrows,
      states: {
        goingForward: {
          description: 'The next step gets what the one before it left.',
          entry: ['goForward', { type: 'entered', params: { phase: 'goingForward' } }],
          always: [{ guard: 'turnsBack', target: 'goingBack' }, { target: 'doing' }],
        },
        doing: {
          description: 'A step is under way.',
          entry: [{ type: 'entered', params: { phase: 'doing' } }, 'engageMembers'],
          ...awaiting('done', 'done'),
        },
        done: {
          description: 'Was the step done, and was it the last?',
          entry: ['stepDone', { type: 'entered', params: { phase: 'done' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'turnsBack', target: 'goingBack' },
            { target: 'goingForward' },
          ],
        },
        goingBack: {
          description: 'The last step that is not undone yet comes next.',
          entry: ['goBack', { type: 'entered', params: { phase: 'goingBack' } }],
          always: [
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isAborted', target: 'aborted' },
            { target: 'undoing' },
          ],
        },
        undoing: {
          description: 'The compensation of a step is under way.',
          entry: [{ type: 'entered', params: { phase: 'undoing' } }, 'engageMembers'],
          ...awaiting('undone', 'undone'),
        },
        undone: {
          description: 'Was it undone? The steps before it are, in any case.',
          entry: ['stepUndone', { type: 'entered', params: { phase: 'undone' } }],
          always: { target: 'goingBack' },
        },
        ...teamEnds,
      },
    }),
);
