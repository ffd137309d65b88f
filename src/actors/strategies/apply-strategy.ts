import type { AgentOptions, AgentView } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import type { Described } from '../../contracts/signature.ts';
import type { StopRule } from '../../contracts/stop.ts';
import type { Choice, Strategy } from '../../contracts/strategy.ts';

/**
 * What a strategy makes of an agent's options: its `decide`, critics and stop rules. (Models are wrapped where they are
 * resolved, as an agent may be given another one while it runs; reviews take place where decisions are read.)
 */
export const applyStrategy = <
  Input extends Described,
  Output extends Described,
  State extends Json,
  Observation extends Json,
>(
  options: AgentOptions<Input, Output, State, Observation>,
  strategy: Strategy,
): AgentOptions<Input, Output, State, Observation> => {
  const { decide: choose, critics = [], maxRejections, stop = [], fragments = [] } = strategy;
  const { decide: own } = options;
  const rules: readonly StopRule[] = options.stop === undefined ? [] : [options.stop].flat();
  return {
    ...options,
    ...(choose === undefined
      ? {}
      : {
          // A strategy knows no agent's types. It hands on the view that it was given, and the answer is parsed by the schema.
          decide: around(choose, own as PlainDecide | undefined) as typeof own,
        }),
    fragments: [...(options.fragments ?? []), ...fragments],
    critics: [...(options.critics ?? []), ...critics],
    maxRejections: options.maxRejections ?? maxRejections,
    stop: [...rules, ...stop],
  };
};

type PlainDecide = (view: AgentView) => Choice;

const around =
  (choose: NonNullable<Strategy['decide']>, own: PlainDecide | undefined): PlainDecide =>
  (view) =>
    choose(view, (same) => own?.(same));
