import type { AnyStateMachine } from 'xstate';
import type * as z from 'zod';
import type { Agent } from '../../contracts/agents/agent.ts';
import type { OptionsOwner } from '../../contracts/errors/check-options.ts';
import { optionProblems, refusedOptions } from '../../contracts/errors/check-options.ts';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import { anything } from '../../base/schemas/option-schemas.ts';
import type { TeamChart } from '../../coordination/round/team-chart.ts';
import { teamMachine } from '../../coordination/round/team-chart.ts';
import { checkName } from '../../runtime/define/define-agent.ts';
import type { EmbeddableAgent } from '../../runtime/define/embeddable-agent.ts';
import type { TeamOptions, TeamSetup } from '../../runtime/define/team.ts';
import { setupOf, team } from '../../runtime/define/team.ts';
import { checkPattern } from './check-pattern.ts';
import type { SetupCheck } from './check-setup.ts';
import { checkSetup } from './check-setup.ts';
import { setupSchema } from './setup-schema.ts';

/** The name, description and chart of a pattern. */
export interface PatternFacts<Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  /** Its chart; made when it is asked for. */
  readonly machine: () => AnyStateMachine;
}

/** The parts of a team whose setup is valid. */
export type TeamParts<Options extends Json> = Pick<TeamOptions, 'members' | 'functions' | 'flow'> & {
  /** The machine's `context.options`. */
  readonly options: Options;
  /** In place of those that it was given. */
  readonly hooks?: TeamSetup['hooks'];
};

/** A setup that was found to be one: looks at what more there is in it, and makes the team. */
export interface Opened<Options extends Json> {
  readonly check: SetupCheck;
  readonly make: <Input, Output, State>(parts: TeamParts<Options>) => EmbeddableAgent<Input, Output, State>;
}

/** The options of a pattern; of a schema without any (`z.object({})`) none, which would forbid the members, too. */
type OptionsIn<Given extends object> = Given extends Readonly<Record<string, never>> ? object : Given;

/** The face of a pattern that has none of its own: makes a team of members by name, and of the options. */
export type PlainFace<Own, Given extends object> = <Input = string, Output = Json>(
  setup: TeamSetup & { readonly members: Readonly<Record<string, Agent<Input, unknown>>> } & OptionsIn<Given>,
) => EmbeddableAgent<Input, Output, Own>;

/** The parts of a pattern: its chart, and its face. */
export interface PatternParts<
  Name extends string,
  Own extends Json,
  Options extends Json,
  State extends string,
  Change extends string,
  Tell extends string,
  Guard extends string,
  Given extends object,
  Face,
> extends Omit<TeamChart<Own, Options, State, Change, Tell, Guard>, 'defaults'> {
  /** 1 to 64 letters, digits, `-` or `_`; the machine's id, too. */
  readonly name: Name;
  /** A zod object: what a team is given beside its members, and what of it is the chart's `context.options`. Default: nothing. */
  readonly options?: z.ZodType<Options, Given> | undefined;
  /** The chart's options where nobody gave any, as somebody only looks at it. Default: what `options` makes of nothing. */
  readonly defaults?: Options | undefined;
  /** With a face: a schema for each option that it is given; each may be left out, and one that there is not is refused, with the nearest name. */
  readonly setup?: (() => Readonly<Record<string, z.core.$ZodType>>) | undefined;
  /**
   * The face: a function of your own, with its own type parameters, that says who is in a team and what the chart knows of them. Default: a
   * team is given its `members` by name, one at least, and the options.
   */
  readonly team?: ((open: (setup: TeamSetup) => Opened<NoInfer<Options>>) => Face) | undefined;
}

/**
 * Makes a pattern: its chart, in which every state stands as it is drawn, and what makes a team by it.
 *
 * A state either `awaits` the members whom its `entry` gave work (`beginRound`), or goes on `always`: by the first arrow whose guard
 * holds. The name of an end (`completed`, `stopped`, `aborted`, `failed`) before the last arrow is for a team that has ended so (`context.end`).
 * Actions, guards and tells are pure functions of the context, named where they are defined. What is the same in all teams is added:
 * each state is announced, replies are collected, an abort, a time that is up and a failure end it from anywhere.
 *
 * Not for a composition of what is there: nest patterns (`definePattern` gives that a name).
 *
 * @example
 * const poll = pattern({
 *   name: 'poll',
 *   description: 'Everybody is asked once.',
 *   own: { answers: 0 },
 *   actions: {
 *     ask: (context) => beginRound(context, context.team.members.map((member) => ({ member, input: context.input }))),
 *     count: (context) => ({ own: { answers: repliesOf(context).length }, end: spentEnd(context) ?? answeredWith('done') }),
 *   },
 *   initial: 'asking',
 *   states: {
 *     asking: { description: 'All are at work.', entry: 'ask', awaits: 'counting' },
 *     counting: { description: 'How many have answered?', entry: 'count', always: ['completed', 'stopped'] },
 *   },
 * });
 * const team = poll({ name: 'street', members: { ann, bob } });
 *
 * @throws {TroupeError} `agent.invalid` for a name that is none. By what it makes: `team.invalid` for a setup that is none, `machine.invalid` for a chart
 * that cannot be run, with every problem.
 */
export const pattern = /* @__NO_SIDE_EFFECTS__ */ <
  const Name extends string,
  Own extends Json,
  State extends string,
  Change extends string,
  Options extends Json = Readonly<Record<string, never>>,
  Tell extends string = never,
  Guard extends string = never,
  Given extends object = object,
  Face extends (setup: never) => unknown = PlainFace<Own, Given>,
>(
  given: PatternParts<Name, Own, Options, State, Change, Tell, Guard, Given, Face>,
): Face & PatternFacts<Name> => {
  const { name, description } = given;
  checkName(name, 'a pattern');
  const chart: TeamChart<Own, Options, State, Change, Tell, Guard> = {
    ...given,
    get defaults() {
      return (
        given.defaults ??
        optionsOf(given.options, {}, { code: 'machine.invalid', owner: `'${name}'`, verb: 'look at' })
      );
    },
  };
  const machine = onDemand(() => {
    checkPattern(given);
    return teamMachine(chart);
  });
  const schema = onDemand(() => setupSchema(given.setup?.() ?? plainShape(given.options)));
  const open = (setup: TeamSetup): Opened<Options> => ({
    check: checkSetup(setup, schema()),
    make: ({ hooks = setup.hooks, ...parts }) => team({ ...setupOf(setup), hooks, ...parts, machine }),
  });
  const plain: PlainFace<Own, object> = (setup) => {
    const { check, make } = open(setup);
    check.asked('members', setup.members, {});
    const about = { code: 'team.invalid', owner: `the team '${setup.name}'` } as const;
    return make({ members: setup.members, options: optionsOf(given.options, setup, about) });
  };
  const face = given.team?.(open) ?? plain;
  Object.defineProperties(face, {
    name: { value: name },
    description: { value: description },
    machine: { value: machine },
  });
  // Without a face of its own it is the plain one, as the type's default says.
  return face as Face & PatternFacts<Name>;
};

/** The options that a zod object has. */
const fieldsOf = (options: z.ZodType | undefined): readonly string[] =>
  options !== undefined && 'shape' in options ? Object.keys(Object(options.shape)) : [];

/** The shape of what a team without a face of its own is given; what each option takes the pattern's own schema says. */
const plainShape = (options: z.ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> =>
  Object.fromEntries(['members', ...fieldsOf(options)].map((option) => [option, anything()] as const));

/** Reads the options by the pattern's schema. */
const optionsOf = <Options extends Json>(
  options: z.ZodType<Options> | undefined,
  given: object,
  about: OptionsOwner,
): Options => {
  // A pattern without a schema has no options: its type is the default then.
  if (options === undefined) return {} as Options;
  const fields = fieldsOf(options);
  const own = Object.fromEntries(Object.entries(given).filter(([option]) => fields.includes(option)));
  const read = options.safeParse(own);
  if (read.success) return read.data;
  throw refusedOptions(optionProblems(options, own), about);
};
