import type { AgentOptions } from '../../contracts/agents/agent.ts';
import type { AgentView } from '../../contracts/agents/agent-view.ts';
import { refusedOptions } from '../../contracts/errors/check-options.ts';
import type { Json } from '../../base/json/json.ts';
import type { Described } from '../../contracts/agents/signature.ts';
import { writeOutStop } from '../../contracts/agents/ending.ts';
import type { Choice, Strategy } from '../../contracts/agents/strategy.ts';

/**
 * Applies strategies, the first outermost, to an agent's options: `decide`, critics, stop rules, retries and the system prompt. (Models are
 * wrapped where they are resolved, as they may be swapped during a run; reviews happen where decisions are read.)
 *
 * @throws {TroupeError} `agent.invalid` for options that a strategy would have to ignore, and for strategies that exclude each other.
 */
export const applyStrategies = <
  Input extends Described,
  Output extends Described,
  State extends Json,
  Observation extends Json,
>(
  options: AgentOptions<Input, Output, State, Observation>,
  strategies: readonly Strategy[],
): AgentOptions<Input, Output, State, Observation> => {
  assertTogether(options, strategies);
  return strategies.reduceRight(applyStrategy, options);
};

/** Applies one strategy around what the others made of the options. */
const applyStrategy = <
  Input extends Described,
  Output extends Described,
  State extends Json,
  Observation extends Json,
>(
  options: AgentOptions<Input, Output, State, Observation>,
  strategy: Strategy,
): AgentOptions<Input, Output, State, Observation> => {
  const { decide: choose, critics = [], maxRejections, stop = [], fragments = [], retry } = strategy;
  const { decide: own, conversation, limits, failures } = options;
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
    ...(retry === undefined ? {} : { failures: { ...failures, retry: { ...retry, ...failures?.retry } } }),
    stop: { ...given, rules: [...given.rules, ...stop] },
  };
};

/** Refuses what would be ignored: an engine replaces the models, and may replace the tools; answers have one form. */
const assertTogether = (
  { name, model = [], tools = [] }: Pick<AgentOptions, 'name' | 'model' | 'tools'>,
  strategies: readonly Strategy[],
): void => {
  const engines = strategies.filter(({ engine }) => engine !== undefined);
  const forms = strategies.filter(({ answer }) => answer !== undefined);
  const taught = strategies.find(({ hasOwnTools }) => hasOwnTools === true);
  const problems = [
    engines.length > 1 && `several of its strategies have an engine: ${namesOf(engines)}`,
    forms.length > 1 && `several of its strategies ask for a form of the answer: ${namesOf(forms)}`,
    engines[0] !== undefined &&
      [model].flat().length > 0 &&
      `its strategy '${engines[0].name}' has its own model: one was given`,
    taught !== undefined &&
      tools.length > 0 &&
      `its strategy '${taught.name}' has its own tools: ${tools.length} were given`,
  ].filter((problem) => problem !== false);
  if (problems.length > 0)
    throw refusedOptions(problems, { code: 'agent.invalid', owner: `the agent '${name}'` });
};

const namesOf = (strategies: readonly Strategy[]): string =>
  strategies.map(({ name }) => `'${name}'`).join(', ');

type PlainDecide = (view: AgentView) => Choice;

const around =
  (choose: NonNullable<Strategy['decide']>, own: PlainDecide | undefined): PlainDecide =>
  (view) =>
    choose(view, (same) => own?.(same));
