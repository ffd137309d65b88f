import { systemClock } from '../../base/clock.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { Json } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Property, Violation } from '../../contracts/properties/property.ts';
import { initialStates, PropertyMonitor } from '../../policy/properties/property-monitor.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { CallDesk } from './call-desk.ts';
import { Cast } from './cast.ts';
import { Coverage } from './coverage.ts';
import type { Move } from './environment.ts';
import type { Deviation } from './genuine-run.ts';
import { GenuineRun } from './genuine-run.ts';
import type { Counterexample, Proof, Story, Told } from './proof.ts';
import type { Found, Searched } from './search.ts';
import { Memory } from './memory.ts';
import { search, wayTo } from './search.ts';
import { sequenceDiagram } from './sequence-diagram.ts';
import type { Theatre } from './stage.ts';
import { Stage } from './stage.ts';
import type { ProofOptions } from './verify-options.ts';
import { faults } from './verify-options.ts';
import type { World } from './world.ts';
import { WorldKeys } from './world-key.ts';
import { worstCaseOf } from './worst-case.ts';

/** Dead ends and livelocks that a report shows. */
const SHOWN = 5;

/** Proves properties of a run by reaching all of its states. */
export const prove = async (definition: Definition, options: ProofOptions): Promise<Proof> => {
  const { properties = [], safety, input = 'go' } = options;
  await assertInput(definition, input);
  const enforced = propertiesOf(safety);
  const coverage = new Coverage();
  const theatre: Theatre = {
    cast: new Cast(options),
    properties: [...properties, ...enforced],
    asserted: properties.length,
    calls: new CallDesk(safety),
    noteOf: (each) => coverage.noteOf(each),
  };
  const begin = (memory?: Memory): Stage => {
    const stage = new Stage(theatre, emptyWorld(theatre), memory);
    stage.begin(definition, input);
    return stage;
  };
  const startedAt = systemClock.now();
  const memory = new Memory(new WorldKeys(options.steps !== undefined));
  const searched = await search({ theatre, memory, start: begin(memory) }, options);
  const elapsedMs = Math.max(1, systemClock.now() - startedAt);
  const tell = (moves: readonly Move[], note?: Violation): Story => tellStory(theatre, begin(), moves, note);
  const violations: Counterexample[] = [];
  for (const { violation, at } of searched.violations.values()) {
    const moves = wayTo(at);
    const confirmed = await confirm({ definition, input, moves, violation }, theatre, options);
    violations.push({ ...violation, story: tell(moves, violation), ...confirmed });
  }
  return {
    ...reportOf(definition, theatre, { searched, violations }, options, tell),
    violations,
    coverage: coverage.reached,
    elapsedMs,
    statesPerSecond: Math.round((searched.found.length * 1_000) / elapsedMs),
    transitionsPerSecond: Math.round((searched.steps.length * 1_000) / elapsedMs),
  };
};

const reportOf = (
  definition: Definition,
  { cast, properties, asserted }: Theatre,
  { searched, violations }: { readonly searched: Searched; readonly violations: readonly Counterexample[] },
  { faults: given, depth, steps, states = 100_000 }: ProofOptions,
  tell: (moves: readonly Move[]) => Story,
): Omit<Proof, 'violations' | 'coverage' | 'elapsedMs' | 'statesPerSecond' | 'transitionsPerSecond'> => {
  const { found, graph, steps: transitions, cut, isAborted } = searched;
  const isComplete = cut === 0 && !isAborted;
  const dead = new Set(isComplete ? graph.deadEnds() : []);
  const verdictOn = ({ name }: Property): Proof['properties'][number]['verdict'] => {
    const story = violations.find(({ rule }) => rule === name);
    if (story !== undefined) return story.confirmed === 'otherwise' ? 'unclear' : 'violated';
    return isComplete ? 'holds' : 'bounded';
  };
  const verdicts = properties
    .slice(0, asserted)
    .map((each) => ({ name: each.name, verdict: verdictOn(each) }));
  const worst = (['violated', 'unclear'] as const).find((each) =>
    verdicts.some(({ verdict }) => verdict === each),
  );
  return {
    verdict: worst ?? (isAborted ? 'stopped' : 'holds'),
    agent: definition.name,
    properties: verdicts,
    states: found.length,
    transitions: transitions.length,
    depth: found.reduce((most, each) => Math.max(most, each.depth), 0),
    isComplete,
    bounds: {
      states,
      ...(depth === undefined ? {} : { depth }),
      ...(steps === undefined ? {} : { steps }),
      cut,
    },
    faults: given ?? faults.filter((fault) => fault !== 'abort'),
    assumptions: [...ASSUMPTIONS, ...(steps === undefined ? [ANY_STEPS] : []), ...cast.assumptions],
    // Those behind a dead end are a part of it.
    deadEnds: found
      .filter((each) => dead.has(each.name) && !isBehind(each, dead))
      .slice(0, SHOWN)
      .map((each) => tell(wayTo(each))),
    livelocks: graph
      .loops(({ states: entered }) => !entered.includes('CHECK_STOP'))
      .slice(0, SHOWN)
      .map((round) => movesAround(round, searched)),
    ends: [...new Set(found.flatMap(({ world }) => world.ended ?? []))].toSorted((a, b) =>
      a.localeCompare(b),
    ),
    worstCase: worstCaseOf(definition, searched),
  };
};

const ASSUMPTIONS = [
  'a run has one process: what comes in, comes in one after the other, in any order, when all actors are at rest',
  'what a model says does not depend on the conversation, so it may say anything that it can say, at any time',
  'states that differ in conversations, times, tokens and ids alone are one state',
  'no agent decides to wait, or to hand its task over',
  'a retry of a model or a tool is a part of its call; loops are not watched for; no time limit expires but those of teams',
];

const ANY_STEPS =
  'the number of a step makes no difference but that a limit may be reached at each, unless an agent has a limit of 20 or fewer';

const isBehind = ({ before }: Found, dead: ReadonlySet<string>): boolean =>
  before !== undefined && dead.has(before.name);

const movesAround = (round: readonly string[], { steps }: Searched): readonly string[] =>
  round
    .slice(1)
    .flatMap(
      (to, index) =>
        steps.find(({ from, to: next }) => from.name === round[index] && next.name === to)?.event ?? [],
    );

const emptyWorld = ({ properties }: Theatre): World => ({
  players: new Map(),
  properties: initialStates(properties),
  now: 0,
  seq: 0,
});

/** The properties that the run's policy enforces, by its own account. */
const propertiesOf = (safety: ProofOptions['safety']): readonly Property[] => {
  const properties: unknown = safety === undefined ? [] : Reflect.get(safety, 'properties');
  return Array.isArray(properties) ? properties : [];
};

const tellStory = (theatre: Theatre, start: Stage, moves: readonly Move[], note?: Violation): Story => {
  let world = start.settle();
  const { events } = start.audience;
  const root = events[0]?.path ?? '';
  const told: Told[] = [{ path: root, by: 'caller', does: 'starts the run', events }];
  for (const move of moves) {
    const { path, by, does } = move;
    const stage = new Stage(theatre, world);
    stage.make(move);
    world = stage.settle();
    told.push({ path, by, does, events: stage.audience.events });
  }
  const text = note === undefined ? undefined : { path: note.path, text: `${note.rule}: ${note.reason}` };
  return { moves: told, diagram: sequenceDiagram(told, text) };
};

interface Claim {
  readonly definition: Definition;
  readonly input: Json;
  readonly moves: readonly Move[];
  readonly violation: Violation;
}

/** A run has ended when all that it loads on first use is there: the next one waits for nothing. */
const ATTEMPTS = 3;

const NOTHING_VIOLATED: Deviation = {
  kind: 'otherwise',
  why: 'the genuine run did all of it, and violated nothing',
};

/** Has a genuine run do what a story says: a violation that it does not come to is a mistake of the proof, or of what it assumes. */
const confirm = async (
  { definition, input, moves, violation }: Claim,
  { properties }: Theatre,
  options: ProofOptions,
): Promise<Pick<Counterexample, 'confirmed' | 'unconfirmed' | 'journal'>> => {
  if (options.confirm === false) return { confirmed: 'not tried', unconfirmed: 'it was not asked for' };
  const inUse = findUse(definition);
  if (inUse !== undefined) return { confirmed: 'not tried', unconfirmed: inUse };
  let deviation: Deviation | undefined;
  for (let attempt = 0; attempt < ATTEMPTS && deviation?.kind !== 'not tried'; attempt += 1) {
    const run = new GenuineRun(definition, input, options);
    deviation = await run.follow(moves);
    const monitor = new PropertyMonitor(properties.filter(({ name }) => name === violation.rule));
    const isSeen = run.events.some((event) => monitor.take(event).length > 0);
    await run.end();
    if (isSeen) return { confirmed: 'genuine', journal: run.store };
  }
  const { kind, why } = deviation ?? NOTHING_VIOLATED;
  return { confirmed: kind, unconfirmed: why };
};

/** The facilities of an agent or a member that a genuine run would use: none of them may be touched by a proof. */
const findUse = (definition: Definition, seen = new Set<Definition>()): string | undefined => {
  if (seen.has(definition)) return undefined;
  seen.add(definition);
  const { name, agent, hooks } = definition;
  const used = [
    ...(hooks.length === 0 ? [] : ['hooks']),
    ...(agent?.environment === undefined && agent?.observe === undefined ? [] : ['an environment']),
    ...((agent?.memories.length ?? 0) === 0 ? [] : ['memories']),
    ...((agent?.critics.length ?? 0) === 0 ? [] : ['critics']),
    ...(agent?.recovery === undefined ? [] : ['a recovery policy']),
  ];
  if (used[0] !== undefined) return `'${name}' has ${used.join(' and ')}, which a genuine run would use`;
  for (const member of definition.members.values()) {
    const found = findUse(member, seen);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Refuses an input that no run would begin with. */
const assertInput = async ({ name, agent }: Definition, input: Json): Promise<void> => {
  if (agent === undefined) return;
  const given = agent.checkInput(input);
  const checked = isThenable(given) ? await given : given;
  if (checked.ok) return;
  const found = checked.issues
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
  throw new TroupeError(
    'input.invalid',
    `Cannot make the proof as the input does not fit the schema of '${name}': ${found}. Give one by \`input\``,
  );
};
