import type { ReduceView } from '../../contracts/agents/agent.ts';
import type { Json } from '../../base/json/json.ts';
import type { Actor } from './actor.ts';

/** A state that an agent has after a step. */
interface StateAfter {
  readonly step: number;
  readonly state: Json;
}

/** Gives an actor that state after that step, whatever its rules make of the step. */
export const reduceTo = (actor: Actor, { step, state }: StateAfter): void => {
  const { definition } = actor;
  const { rules } = definition;
  const { reduce = (view: ReduceView) => view.state } = rules;
  actor.definition = {
    ...definition,
    rules: { ...rules, reduce: (view) => (view.step === step ? state : reduce(view)) },
  };
};
