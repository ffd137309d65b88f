import { oddValueIn } from '../../base/json/odd-value.ts';
import type { OptionSchema } from '../../base/schemas/option-schemas.ts';
import {
  aFunction,
  aText,
  anything,
  byName,
  formOr,
  fulfilling,
  oneOrMore,
  optional,
  optionsSchema,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import type { ChartState, TeamChart } from '../../coordination/round/team-chart.ts';
import { teamEnds } from '../../coordination/round/setup-team.ts';

/** A chart, and what makes teams of it. */
interface Parts extends TeamChart<null, null, string, string, string, string> {
  readonly options: unknown;
  readonly setup: unknown;
  readonly team: unknown;
}
type State = ChartState<string, string, string, string>;

/**
 * Checks the parts of a pattern; JavaScript callers have no types.
 *
 * @throws {TroupeError} `machine.invalid` with all that is wrong: an option that there is not, in a state too, or an arrow to nowhere.
 */
export const checkPattern = (given: { readonly name: string; readonly states: object }): void => {
  const { name, states } = given;
  const owner = `the pattern '${name}'`;
  const known = typeof states === 'object' && states !== null ? Object.keys(states) : [];
  checkOptions(patternSchema(known), given, { code: 'machine.invalid', owner });
};

const patternSchema = (states: readonly string[]): OptionSchema =>
  optionsSchema<Parts>({
    name: anything(),
    description: aText(),
    options: anything(),
    defaults: anything(),
    setup: optional(aFunction()),
    team: optional(aFunction()),
    own: fulfilling(
      (own) => typeof own === 'function' || oddValueIn(own, 'own') === undefined,
      'not plain JSON',
    ),
    handsOnTo: optional(aFunction()),
    actions: byName(aFunction()),
    tells: optional(byName(aFunction())),
    guards: optional(byName(aFunction())),
    maxIterations: optional(wholeNumber(1)),
    maxRounds: optional(wholeNumber(1)),
    initial: stateOf(states),
    states: byName(stateSchema([...states, ...Object.keys(teamEnds)])),
  });

const stateSchema = (targets: readonly string[]): OptionSchema => {
  const target = stateOf(targets);
  const arrow = optionsSchema<{ guard: string; target: string; actions: string }>({
    guard: anything(),
    target,
    actions: anything(),
  });
  return optionsSchema<State>({
    description: optional(aText()),
    entry: anything(),
    awaits: optional(target),
    escalates: optional(target),
    afterEach: anything(),
    always: optional(oneOrMore(formOr((given) => typeof given === 'string', target, arrow))),
  });
};

/** The name of a state that there is. */
const stateOf = (states: readonly string[]): OptionSchema =>
  fulfilling(
    (given) => typeof given === 'string' && states.includes(given),
    `not a state of it: write one of ${states.join(', ')}`,
  );
