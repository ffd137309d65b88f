import type { AnyStateMachine } from 'xstate';
import { assign, createMachine } from 'xstate';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { MAX_ITERATIONS } from './bounded-machine.ts';
import { checkChange } from './check-change.ts';
import { MAX_ROUNDS } from './round-count.ts';
import { awaiting, engageMembers, setupTeam, teamArrows, teamEnds, tell } from './setup-team.ts';
import type { TeamContext, TeamInput } from './team-context.ts';
import { teamContext, teamOutcome } from './team-context.ts';

/** The ends that every team has. */
export type TeamEndState = keyof typeof teamEnds;

/**
 * An arrow out of a state, taken at once. The name of a state alone is an arrow that is always taken, but an end that is not the last
 * of the arrows is for a team that has ended so: `['completed', 'failed', 'drafting']`.
 */
export type ChartArrow<State extends string, Guard extends string, Change extends string> =
  | State
  | TeamEndState
  | {
      readonly guard: Guard;
      readonly target: State | TeamEndState;
      readonly actions?: Change | readonly Change[] | undefined;
    };

/** A state of a team's chart: it waits for its members, or decides at once where to go. */
export interface ChartState<
  State extends string,
  Change extends string,
  Tell extends string,
  Guard extends string,
> {
  /** Its label in diagrams and inspectors: one sentence. */
  readonly description: string;
  /** Actions on entry, by name, after the state was announced; in a list, `entered` marks the announcement. */
  readonly entry?: Change | Tell | readonly (Change | Tell | 'entered')[] | undefined;
  /** Engages the members of the round, and waits: on to this state with the last reply. */
  readonly awaits?: State | TeamEndState | undefined;
  /** Of a state that waits: the target of an escalated failure. Default `failed`. */
  readonly escalates?: State | TeamEndState | undefined;
  /** Of a state that waits: an action after each reply, before the next tasks start. */
  readonly afterEach?: Change | undefined;
  /** Of a state that decides: the first arrow whose guard holds. Of one that waits: what else may end the wait. */
  readonly always?:
    | ChartArrow<State, Guard, Change>
    | readonly ChartArrow<State, Guard, Change>[]
    | undefined;
}

/** A team's chart, with all that is its own: what is the same in all of them is added. */
export interface TeamChart<
  Own extends Json,
  Options extends Json,
  State extends string,
  Change extends string,
  Tell extends string,
  Guard extends string,
> {
  /** The machine's id. */
  readonly name: string;
  readonly description: string;
  /** The machine's options where none were given, as in a diagram. */
  readonly defaults: Options;
  /** The pattern's state at the start (`context.own`), and the state of a run's result. */
  readonly own: Own | ((options: Options, at: number) => Own);
  /** The members that a task may be handed on to. Default: every other member. */
  readonly handsOnTo?: ((options: Options) => readonly string[]) | undefined;
  /** Actions of states, by name: pure changes of the context. */
  readonly actions: Readonly<
    Record<Change, (context: TeamContext<Own, Options>) => Partial<TeamContext<Own, Options>>>
  >;
  /** Events that states publish on entry, by name: pure. */
  readonly tells?:
    | Readonly<Record<Tell, (context: TeamContext<Own, Options>) => readonly EventBody[]>>
    | undefined;
  readonly guards?: Readonly<Record<Guard, (context: TeamContext<Own, Options>) => boolean>> | undefined;
  /** Arrows that are taken at once in a row, at the most: more are a loop. Default 1,000. */
  readonly maxIterations?: number | undefined;
  /** Rounds of members in all, at the most: more are a loop. Default 10,000. */
  readonly maxRounds?: number | undefined;
  readonly initial: NoInfer<State>;
  readonly states: {
    readonly [Key in State]: ChartState<NoInfer<State>, NoInfer<Change>, NoInfer<Tell>, NoInfer<Guard>>;
  };
}

const END_GUARDS: Readonly<Record<TeamEndState, string>> = {
  completed: 'isCompleted',
  stopped: 'isStopped',
  aborted: 'isAborted',
  failed: 'hasFailed',
};

/**
 * The machine of a team's chart: its states as they stand there, with what is the same in every team.
 *
 * Each state is announced as it is entered; one that `awaits` engages its members and collects their replies; an abort, an expired time limit
 * and a failure end it from anywhere, in one of the four ends.
 */
export const teamMachine = <
  Own extends Json,
  Options extends Json,
  State extends string,
  Change extends string,
  Tell extends string,
  Guard extends string,
>(
  chart: TeamChart<Own, Options, State, Change, Tell, Guard>,
): AnyStateMachine => {
  type Context = TeamContext<Own, Options>;
  const { actions, tells = {}, guards = {}, handsOnTo, maxRounds = MAX_ROUNDS } = chart;
  const begin = (options: Options, at: number): Own =>
    typeof chart.own === 'function' ? chart.own(options, at) : chart.own;
  const changed = (name: string, change: (context: Context) => Partial<Context>, context: Context) => {
    const { team, options, tally } = context;
    const made = underName('action', name, context, change);
    checkChange(name, context, made, {
      begun: begin(options, tally.startedAt),
      maxRounds,
      // A chart with a rule for handoffs knows its other members itself.
      members: handsOnTo === undefined ? team.members : undefined,
    });
    return made;
  };
  const changes = Object.entries<(context: Context) => Partial<Context>>(actions).map(
    ([name, change]) =>
      [name, assign(({ context }: { context: Context }) => changed(name, change, context))] as const,
  );
  const telling = Object.entries<(context: Context) => readonly EventBody[]>(tells).map(
    ([name, bodies]) => [name, tellAll(name, bodies)] as const,
  );
  const asking = Object.entries<(context: Context) => boolean>(guards).map(
    ([name, holds]) =>
      [name, ({ context }: { context: Context }) => underName('guard', name, context, holds)] as const,
  );
  const states = Object.entries<ChartState<string, string, string, string>>(chart.states).map(
    ([phase, state]) => [phase, stateOf(phase, state, Object.keys(tells))] as const,
  );
  const machine: AnyStateMachine = createMachine({
    id: chart.name,
    description: chart.description,
    context: ({ input }: { input: TeamInput<Options> | undefined }) => {
      const options = input?.options ?? chart.defaults;
      const begun = begin(options, input?.at ?? 0);
      const members = handsOnTo === undefined ? input?.members : handsOnTo(options);
      return teamContext(input && { ...input, members }, begun, options);
    },
    output: teamOutcome,
    options: { maxIterations: chart.maxIterations ?? MAX_ITERATIONS },
    initial: chart.initial,
    on: teamArrows,
    states: { ...Object.fromEntries(states), ...teamEnds },
  });
  const holds = (guard: string | undefined, context: Context): boolean => {
    const ended = Object.entries(END_GUARDS).find(([, name]) => name === guard)?.[0];
    if (ended !== undefined) return context.end?.status === ended;
    return Object.entries<(context: Context) => boolean>(guards).some(
      ([name, isSo]) => name === guard && underName('guard', name, context, isSo),
    );
  };
  const waitingStates = new Map<string, AnyState>(Object.entries(chart.states));
  /** Engages members; a state that has nobody to wait for, and no other way on, would wait for ever. */
  const engage = ({ context }: { context: Context }, params: { phase: string } | undefined): void => {
    const { round, team } = context;
    const state = params && waitingStates.get(params.phase);
    const isIdle = state !== undefined && round.standing === 'begun' && round.open === 0;
    if (isIdle && !arrowsOf(listOf(state.always)).some(({ guard }) => holds(guard, context)))
      throw nobodyAtWork(team.name, params?.phase ?? '', state);
    engageMembers(context);
  };
  return machine.provide(vocabulary()).provide({
    actions: { ...Object.fromEntries([...changes, ...telling]), engageMembers: engage },
    guards: Object.fromEntries(asking),
  });
};

/**
 * Calls a function of a pattern; what it throws names the function and its team.
 *
 * @throws {TroupeError} `machine.threw`; `machine.invalid` for a promise; an error of troupe passes as it is.
 */
const underName = <Context extends TeamContext, Made>(
  kind: 'action' | 'guard' | 'tell',
  name: string,
  context: Context,
  call: (context: Context) => Made,
): Made => {
  try {
    const made = call(context);
    if (!isThenable(made)) return made;
    // Its rejection is ignored, as the team fails anyway.
    Promise.resolve(made).catch(() => undefined);
    throw new TroupeError(
      'machine.invalid',
      `Cannot continue the team '${context.team.name}' as its ${kind} '${name}' returned a promise, and has to answer at once: have a member do what takes time`,
    );
  } catch (thrown) {
    if (isTroupeError(thrown)) throw thrown;
    const message = `Cannot continue the team '${context.team.name}' as its ${kind} '${name}' threw: ${messageOf(thrown)}`;
    throw new TroupeError('machine.threw', message, { cause: thrown });
  }
};

/** The actions and guards that all teams share. */
const vocabulary = onDemand(
  () =>
    setupTeam<Json, Json>().createMachine({ context: () => teamContext(undefined, null, null) })
      .implementations,
);

/** Publishes the events of a state, in its phase. */
const tellAll =
  <Context extends TeamContext>(name: string, bodies: (context: Context) => readonly EventBody[]) =>
  ({ context }: { context: Context }, { phase }: { phase: string }): void => {
    for (const body of underName('tell', name, context, bodies)) tell(body, context, phase);
  };

/** A state as XState has it. */
const stateOf = (
  phase: string,
  { description, entry, awaits, escalates, afterEach, always }: ChartState<string, string, string, string>,
  tells: readonly string[],
) => {
  const named = listOf(entry);
  const entered = (named.includes('entered') ? named : ['entered', ...named]).map((name) =>
    name === 'entered' || tells.includes(name) ? { type: name, params: { phase } } : name,
  );
  const arrows = arrowsOf(listOf(always));
  if (awaits === undefined) return { description, entry: entered, always: arrows };
  const waiting = awaiting(awaits, escalates, afterEach);
  return {
    description,
    entry: [...entered, { type: 'engageMembers', params: { phase } }],
    on: waiting.on,
    always: [...waiting.always, ...arrows],
  };
};

/** A state waits for replies that nobody was asked for. */
const nobodyAtWork = (team: string, phase: string, { entry }: AnyState): TroupeError => {
  const names = listOf(entry).filter((name) => name !== 'entered');
  const by = names.length === 0 ? 'nothing before it' : `its entry '${names.join("', '")}'`;
  return new TroupeError(
    'machine.invalid',
    `Cannot go on with '${team}' as its state '${phase}' awaits replies, but ${by} gave ${names.length === 0 ? 'anybody' : 'nobody'} work: give some by beginRound(context, tasks), or decide in a state before it`,
  );
};

type AnyState = ChartState<string, string, string, string>;

const arrowsOf = (arrows: readonly ChartArrow<string, string, string>[]) =>
  arrows.map((arrow, index): Exclude<ChartArrow<string, string, string>, string> | UnguardedArrow => {
    if (typeof arrow !== 'string') return arrow;
    const isLast = index === arrows.length - 1;
    return isEnd(arrow) && !isLast ? { guard: END_GUARDS[arrow], target: arrow } : { target: arrow };
  });

/** An arrow that is always taken. */
interface UnguardedArrow {
  readonly guard?: undefined;
  readonly target: string;
}

const isEnd = (state: string): state is TeamEndState => Object.hasOwn(END_GUARDS, state);

const listOf = <Item extends string | object>(given: Item | readonly Item[] | undefined): readonly Item[] =>
  given === undefined ? [] : isList(given) ? given : [given];

const isList = <Item extends string | object>(given: Item | readonly Item[]): given is readonly Item[] =>
  Array.isArray(given);
