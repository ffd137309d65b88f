import type { AgentOptions, AgentView } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import type { Described } from '../../contracts/signature.ts';
import { writeOutStop } from '../../contracts/ending.ts';
import type { Choice, Strategy } from '../../contracts/strategy.ts';

/**
 * Applies a strategy to an agent's options: its `decide`, critics and stop rules. (Models are wrapped where they are resolved, as they may
 * be swapped during a run; reviews happen where decisions are read.)
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
  const { conversation, limits } = options;
  const given = writeOutStop(options.stop);
  return {
    ...options,
    ...(choose === undefined
      ? {}
      : {
          // A strategy is untyped: it passes on the view that it was given, and the schema parses the answer.
          decide: around(choose, own as PlainDecide | undefined) as typeof own,
        }),
    conversation: { ...conversation, fragments: [...(conversation?.fragments ?? []), ...fragments] },
    critics: [...(options.critics ?? []), ...critics],
    limits: { ...limits, maxRejections: limits?.maxRejections ?? maxRejections },
    stop: { ...given, rules: [...given.rules, ...stop] },
  };
};

type PlainDecide = (view: AgentView) => Choice;

const around =
  (choose: NonNullable<Strategy['decide']>, own: PlainDecide | undefined): PlainDecide =>
  (view) =>
    choose(view, (same) => own?.(same));
