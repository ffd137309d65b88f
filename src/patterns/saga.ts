import type { Agent } from '../contracts/agents/agent.ts';
import { errorData } from '../contracts/errors/error.ts';
import type { Json } from '../base/json/json.ts';
import { anything } from '../base/schemas/option-schemas.ts';
import { answeredWith } from '../coordination/round/ends.ts';
import { troubleOf } from '../coordination/round/reply-text.ts';
import type { Reply } from '../coordination/round/round.ts';
import { textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext, TeamEnd } from '../coordination/round/team-context.ts';
import { repliesOf } from '../coordination/round/team-context.ts';
import type { FlowArrow } from '../machines/diagrams/composition.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import { atOnce } from '../machines/rules.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import { isRecord } from '../base/json/is-record.ts';
import type { Member, TeamSetup } from '../runtime/define/team.ts';
import { memberOf } from '../runtime/define/team.ts';
import { checkKeys } from './setup/member-with.ts';
import { pattern } from './setup/pattern.ts';
import { setupShape } from './setup/setup-schema.ts';
import { rulesInForce } from '../machines/in-force.ts';

/** A step of a saga: who does it, and who undoes it. */
export interface SagaStepSetup {
  readonly does: Member;
  /**
   * Gets, as JSON in a text, the step, its output, and why it is to be undone. Without it the step stays as it is.
   *
   * It may be asked again after a crash: let it be no harm to undo twice.
   */
  readonly undoes?: Agent<string, unknown> | undefined;
  /** Pure: the output before, and the input of the whole saga, make the input of this step. */
  readonly map?: ((previous: Json, first: Json) => Json) | undefined;
}

/** Steps that change the world. */
export interface SagaSetup extends TeamSetup {
  /** By name, in order; at least one. */
  readonly steps: Readonly<Record<string, SagaStepSetup>>;
}

/** The name of the function that makes a step's input of the output before it. */
const sagaStepFunction = (step: number): string => `step-${step}`;

/** The steps in order, and the members that do and undo them. */
export type SagaOptions = {
  readonly steps: readonly { readonly does: string; readonly undoes: string | null }[];
};

/** The fate of a step. */
export type SagaStep = {
  readonly step: string;
  readonly output: Json;
  /** `undone`, `notUndone` (its compensation failed, for `reason`) or `kept`: it has no compensation. */
  readonly fate: 'done' | 'undone' | 'notUndone' | 'kept';
  readonly reason: string | null;
};

/** The fates of the steps that were done, in order. */
export type SagaState = { readonly steps: readonly SagaStep[] };

type Own = SagaState & {
  /** The step under way; when it is undone, the one that is. */
  readonly at: number;
  /** The reason for which the saga turned back. */
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
    return {
      own: turnBack(own, step.does, {
        status: 'failed',
        stopReason: { kind: 'failed' },
        error: errorData(thrown, 'agent.threw', { message }),
      }),
    };
  }
};

const turnBack = (own: Own, step: string, end: SagaEnd): Own => ({
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
    return { end: null, own: turnBack(own, step, { ...context.end, error: context.end.error ?? null }) };
  if (reply === undefined) return {};
  if (reply.status !== 'completed') {
    const { status, stopReason, error } = reply;
    return { own: turnBack(own, step, { status, stopReason, error }) };
  }
  const steps = [...own.steps, { step, output: reply.output, fate: 'done' as const, reason: null }];
  if (steps.length < options.steps.length) return { own: { ...own, steps } };
  return {
    own: { ...own, steps },
    end: answeredWith(reply.output),
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

const undoing = (step: string): string => `undo-${step}`;

/** From step to step; what is done is undone in the reverse order once a later one fails. */
const flowOf = (
  steps: readonly (readonly [does: string, undoes: string | undefined])[],
): readonly FlowArrow[] => {
  const arrows: FlowArrow[] = [];
  let before: string = OUTSIDE;
  let undone: string | undefined;
  for (const [does, undoes] of steps) {
    arrows.push([before, does]);
    if (undone !== undefined) arrows.push([does, undone, 'if it fails']);
    if (undoes !== undefined && undone !== undefined) arrows.push([undoes, undone]);
    before = does;
    undone = undoes ?? undone;
  }
  return [...arrows, [before, OUTSIDE]];
};

/**
 * Steps in a row that change the world, each with what undoes it: when one fails, those before it are undone, the last first.
 *
 * It ends as the step did that failed, with the fate of every step as its candidate: `undone`, `kept` (nothing undoes it), or `notUndone`,
 * and why: a compensation that fails stops nobody, as the others have to be undone all the same. An abort undoes nothing: it is at once, and
 * `result.state.steps` says what was done.
 *
 * Not for steps that only read: a `pipeline` is less. Not where all has to happen or nothing: that is a transaction, and belongs into the
 * tool that makes it.
 *
 * @example
 * const trip = saga({
 *   name: 'trip',
 *   steps: { flight: { does: bookFlight, undoes: cancelFlight }, hotel: { does: bookHotel, undoes: cancelHotel } },
 * });
 * const { status, candidate } = await trip.run('Lima, in May').catch(({ result }) => result);
 *
 * @throws {TroupeError} `team.invalid` without a step, or for a member that is no agent.
 */
export const saga = pattern({
  name: 'saga',
  description: 'Steps that change the world, each with what undoes it; one that fails turns the saga back.',
  setup: () => setupShape<SagaSetup>({ steps: anything() }),
  defaults: { steps: [] },
  own: { at: -1, steps: [], trouble: null },
  actions: { goForward, stepDone, goBack, stepUndone },
  guards: { turnsBack: ({ own }) => own.trouble !== null },
  initial: 'goingForward',
  states: {
    goingForward: {
      description: 'The next step gets what the one before it left.',
      entry: 'goForward',
      always: [{ guard: 'turnsBack', target: 'goingBack' }, 'doing'],
    },
    doing: {
      description: 'A step is under way.',

      awaits: 'done',
      escalates: 'done',
    },
    done: {
      description: 'Was the step done, and was it the last?',
      entry: 'stepDone',
      always: ['completed', { guard: 'turnsBack', target: 'goingBack' }, 'goingForward'],
    },
    goingBack: {
      description: 'The last step that is not undone yet comes next.',
      entry: 'goBack',
      always: ['failed', 'stopped', 'aborted', 'undoing'],
    },
    undoing: {
      description: 'The compensation of a step is under way.',

      awaits: 'undone',
      escalates: 'undone',
    },
    undone: {
      description: 'Was it undone? The steps before it are, in any case.',
      entry: 'stepUndone',
      always: 'goingBack',
    },
  },
  team:
    (open) =>
    <Input = string, Output = string>(setup: SagaSetup): EmbeddableAgent<Input, Output, SagaState> => {
      const { check, make } = open(setup);
      const { name } = setup;
      check.asked('steps', setup.steps, {});
      const steps = Object.entries(setup.steps);
      const members: Record<string, Member> = {};
      const functions: Record<string, (...values: readonly Json[]) => Json> = {};
      for (const [index, [step, given]] of steps.entries()) {
        if (!isRecord(given) || !('does' in given))
          check.refuse(`its step '${step}' does not say who does it`, given);
        checkKeys(given, ['does', 'undoes', 'map'], `the step '${step}' of the team '${name}'`);
        const { does, undoes, map } = given;
        const takesText = memberOf(name, step, does).agent?.takesText === true;
        members[step] = does;
        if (undoes !== undefined) members[undoing(step)] = undoes;
        check.rule(`map of '${step}'`, map);
        if (map !== undefined)
          functions[sagaStepFunction(index)] = (previous = null, first = null) => map(previous, first);
        else if (index > 0 && takesText)
          functions[sagaStepFunction(index)] = (previous = null) => textOf(previous);
      }
      return make({
        flow: flowOf(
          steps.map(([step, { undoes }]) => [step, undoes === undefined ? undefined : undoing(step)]),
        ),
        members,
        functions,
        options: {
          steps: steps.map(([step, { undoes }]) => ({
            does: step,
            undoes: undoes === undefined ? null : undoing(step),
          })),
        },
      });
    },
});
