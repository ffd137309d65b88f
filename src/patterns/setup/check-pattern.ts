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
import { TroupeError } from '../../contracts/errors/error.ts';
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
  for (const [state, parts] of Object.entries<State>({ ...states })) checkWait(owner, state, parts);
};

/** A state that waits has no arrow that is always taken: its round would be skipped. */
const checkWait = (owner: string, state: string, { awaits, always = [] }: State): void => {
  if (awaits === undefined) return;
  const skipping = [always].flat().findIndex((arrow, index, arrows) => {
    if (typeof arrow !== 'string') return arrow.guard === undefined;
    return !Object.hasOwn(teamEnds, arrow) || index === arrows.length - 1;
  });
  if (skipping === -1) return;
  const message = `Cannot define ${owner} as its states.${state} awaits replies and has an arrow (always) that is taken in any case, so nobody would be waited for: leave that out, or give it a guard`;
  throw new TroupeError('machine.invalid', message);
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
