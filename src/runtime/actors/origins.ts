import type { Arrival } from '../../contracts/journals/journal-record.ts';
import { areOrigins, FROM_MEMORY, FROM_OBSERVATION, withOrigins } from '../../contracts/tools/origins.ts';
import type { Scope } from '../journal/write/scope.ts';
import type { Envelope } from '../turn/envelope.ts';

const NONE: readonly never[] = [];

/** The calls that the origins of an actor need of its run. */
export interface OriginsRun {
  /** True if a strategy judges its calls that may ask what they were made from. */
  readonly keepsOrigins: boolean;
  readonly journal: {
    arrive(scope: Scope, arrival: Arrival): number;
    aside(work: () => void): void;
  };
}

/** The origins of what an actor has read. They only grow, and begin with those of the actor that engaged it. */
export interface Origins {
  readonly names: readonly string[];
  /** Adds those of what reaches the actor again in a replay; true if one is new. */
  add(more: readonly string[] | undefined): boolean;
  /** Adds those of what an effect brings beside its answer: they are recorded, as an answered effect is not replayed. */
  feed(more: readonly string[] | undefined): void;
  /** Adds those of a conversation that it continues. */
  addTurns(turns: readonly unknown[] | undefined): void;
}

/** The origins of a new actor; in a run that keeps none, those that stay empty. */
export const originsIn = (
  run: OriginsRun,
  place: { readonly path: string; readonly scope: Scope },
  before: Origins | undefined,
): Origins => (run.keepsOrigins ? new KeptOrigins(run, place, before?.names ?? NONE) : NO_ORIGINS);

class KeptOrigins implements Origins {
  /** The same list until one is new; shared with the actors that it engages. */
  names: readonly string[];
  readonly #run: OriginsRun;
  readonly #place: { readonly path: string; readonly scope: Scope };

  constructor(
    run: OriginsRun,
    place: { readonly path: string; readonly scope: Scope },
    names: readonly string[],
  ) {
    this.#run = run;
    this.#place = place;
    this.names = names;
  }

  add(more: readonly string[] = NONE): boolean {
    const before = this.names;
    this.names = withOrigins(before, more);
    return this.names !== before;
  }

  feed(more: readonly string[] = NONE): void {
    if (!this.add(more)) return;
    const { path, scope } = this.#place;
    const { journal } = this.#run;
    // After the turn of the child that ends, in which nothing arrives.
    journal.aside(() => journal.arrive(scope, { type: 'fed', path, origins: more }));
  }

  addTurns(turns: readonly unknown[] = NONE): void {
    this.add(originsOfTurns(turns));
  }
}

const NO_ORIGINS: Origins = {
  names: NONE,
  add: () => false,
  feed: () => undefined,
  addTurns: () => undefined,
};

/** Origins of the text that an envelope brings to an agent: the tool of a result, and what was recalled and observed. */
export const originsOf = ({ type, output }: Envelope): readonly string[] => {
  if (type === 'answered.act') return isRecord(output) ? originsOfResult(output['result']) : NONE;
  if (type !== 'answered.observe' || !isRecord(output)) return NONE;
  const { observation, memory } = output;
  const recalled = isRecord(memory) && Array.isArray(memory['records']) ? memory['records'] : NONE;
  return [
    ...(observation === undefined ? NONE : [FROM_OBSERVATION]),
    ...(recalled.length === 0 ? NONE : [FROM_MEMORY, ...recalled.flatMap(ownOrigins)]),
  ];
};

/** Origins of a conversation: those that its turns name, and the tools that answered in it. Invalid turns have none, and are refused elsewhere. */
const originsOfTurns = (turns: readonly unknown[]): readonly string[] => [
  ...new Set(turns.flatMap((turn) => [...ownOrigins(turn), ...speakerOf(turn)])),
];

const speakerOf = (turn: unknown): readonly string[] => {
  if (!isRecord(turn)) return NONE;
  const { role, tool, from } = turn;
  if (role === 'tool') return typeof tool === 'string' ? [tool] : NONE;
  return from === FROM_MEMORY || from === FROM_OBSERVATION ? [from] : NONE;
};

const ownOrigins = (value: unknown): readonly string[] =>
  isRecord(value) && areOrigins(value['origins']) ? value['origins'] : NONE;

/** A call that was not made brought nothing: its text is the runtime's own. */
const originsOfResult = (result: unknown): readonly string[] => {
  if (!isRecord(result) || typeof result['tool'] !== 'string') return NONE;
  return result['kind'] === 'denied' || result['kind'] === 'unknown' ? NONE : [result['tool']];
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
