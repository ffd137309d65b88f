import type { Agent } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import type { SagaState, SagaStep } from '../../coordination/saga.ts';
import { sagaMachine, sagaStepFunction } from '../../coordination/saga.ts';
import { textOf } from '../../coordination/round/said-json.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { Member, TeamSetup } from '../define/team.ts';
import { memberOf, setupOf, team } from '../define/team.ts';
import { isRecord } from '../define/is-record.ts';
import { checkSetup } from './setup/check-setup.ts';

export type { SagaState, SagaStep };

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
export const saga = <Input = string, Output = string>(
  setup: SagaSetup,
): EmbeddableAgent<Input, Output, SagaState> => {
  const check = checkSetup(setup);
  const { name } = setup;
  check.asked('steps', setup.steps, {});
  const steps = Object.entries(setup.steps);
  const members: Record<string, Member> = {};
  const functions: Record<string, (...values: readonly Json[]) => Json> = {};
  for (const [index, [step, given]] of steps.entries()) {
    if (!isRecord(given) || !('does' in given))
      check.refuse(`its step '${step}' does not say who does it`, given);
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
  return team({
    ...setupOf(setup),
    machine: sagaMachine,
    members,
    functions,
    options: {
      steps: steps.map(([step, { undoes }]) => ({
        does: step,
        undoes: undoes === undefined ? null : undoing(step),
      })),
    },
  });
};

const undoing = (step: string): string => `undo-${step}`;
