import type { ExecutableCall } from '../../contracts/tools/executor.ts';

/** Everything that an agent depends on. */
export const dependencies = ['model', 'tool', 'store', 'process'] as const;

/** A part of the world that faults are injected into. */
export type Dependency = (typeof dependencies)[number];

/** The kinds of faults of each dependency. */
export type FaultKind = keyof typeof FAULTS;

/** A kind of fault. */
interface FaultFacts {
  readonly dependency: Dependency;
  readonly lasts: 'once' | 'always';
  /** True if an agent should get over it: the run should complete with the same answer. */
  readonly isPassing: boolean;
  /** The fault in words, after its dependency. */
  readonly words: string;
}

const FAULTS = {
  'model-unavailable': fault('model', 'once', true, 'answers 503 once'),
  'model-rate-limited': fault('model', 'once', true, 'answers 429 once, with Retry-After: 30'),
  'model-silent': fault('model', 'once', true, 'never answers, once'),
  'model-malformed': fault('model', 'once', true, 'answers what no client can read, once'),
  'model-empty': fault('model', 'once', true, 'gives an empty answer, once'),
  'model-garbled': fault('model', 'once', false, 'answers with garbage, once'),
  'model-truncated': fault('model', 'once', false, 'is cut off in the middle of its answer, once'),
  'model-refusal': fault('model', 'once', false, 'refuses to answer, once'),
  'model-key-refused': fault('model', 'always', false, 'answers 401 from then on'),
  'model-down': fault('model', 'always', false, 'answers 503 from then on'),
  'model-limited': fault('model', 'always', false, 'answers 429 from then on, with Retry-After: 30'),
  'model-gone': fault('model', 'always', false, 'never answers from then on'),
  'tool-unavailable': fault('tool', 'once', true, 'fails once in a way that may pass'),
  'tool-slow': fault('tool', 'once', true, 'takes 30 s longer, once'),
  'tool-throws': fault('tool', 'once', false, 'throws once'),
  'tool-silent': fault('tool', 'once', false, 'never settles, once'),
  'tool-garbage': fault('tool', 'once', false, 'returns garbage, once'),
  'tool-broken': fault('tool', 'always', false, 'throws from then on'),
  'tool-gone': fault('tool', 'always', false, 'never settles from then on'),
  'store-fails': fault('store', 'once', true, 'fails to write, once; the run is then resumed'),
  'store-down': fault(
    'store',
    'always',
    false,
    'fails to write from then on; the run is then resumed elsewhere',
  ),
  'lease-lost': fault(
    'store',
    'once',
    true,
    'gives the lease to another process, which then resumes the run',
  ),
  'killed-before': fault('process', 'once', true, 'is killed before a write, and the run resumed'),
  'killed-after': fault('process', 'once', true, 'is killed after a write, and the run resumed'),
} as const satisfies Readonly<Record<string, FaultFacts>>;

/** All kinds of faults. */
export const faultKinds: readonly FaultKind[] = Object.keys(FAULTS).filter((kind): kind is FaultKind =>
  Object.hasOwn(FAULTS, kind),
);

function fault(
  dependency: Dependency,
  lasts: FaultFacts['lasts'],
  isPassing: boolean,
  words: string,
): FaultFacts {
  return { dependency, lasts, isPassing, words };
}

/** The facts about a kind of fault. */
export const faultFacts = (kind: FaultKind): FaultFacts => FAULTS[kind];

/** All kinds of faults of a dependency. */
export const kindsOf = (dependency: Dependency): readonly FaultKind[] =>
  faultKinds.filter((kind) => FAULTS[kind].dependency === dependency);

/** Decides which fault strikes a call or a write; they are counted from 1 on. */
export interface FaultPlan {
  model(count: number, of: string, key: string): FaultKind | undefined;
  tool(count: number, call: ExecutableCall): FaultKind | undefined;
  write(count: number): FaultKind | undefined;
}

/** The plan with one fault at most. */
export class OneFault implements FaultPlan {
  readonly #fault: Fault | undefined;
  /** True once the fault has happened. */
  isReached = false;

  constructor(fault?: Fault) {
    this.#fault = fault;
  }

  model(count: number): FaultKind | undefined {
    return this.#strike(count, ['model']);
  }

  tool(count: number): FaultKind | undefined {
    return this.#strike(count, ['tool']);
  }

  write(count: number): FaultKind | undefined {
    return this.#strike(count, ['store', 'process']);
  }

  #strike(count: number, dependencies: readonly Dependency[]): FaultKind | undefined {
    if (this.#fault === undefined || !dependencies.includes(this.#fault.dependency)) return undefined;
    const { kind, at, lasts } = this.#fault;
    const isNow = lasts === 'always' ? count >= at : count === at;
    this.isReached ||= isNow;
    return isNow ? kind : undefined;
  }
}

/** A fault at a place: the `at`-th call of a model or a tool, or write to the store, from 1 on. */
export interface Fault {
  readonly kind: FaultKind;
  readonly dependency: Dependency;
  readonly at: number;
  /** The model, or the tool. */
  readonly of?: string | undefined;
  readonly lasts: 'once' | 'always';
  readonly isPassing: boolean;
  readonly words: string;
}

/** The calls and writes of a run, in which faults are injected. */
export interface Places {
  /** Models by name, in the order in which they were asked. */
  readonly models: readonly string[];
  readonly tools: readonly string[];
  /** Those of the tools that are not idempotent, so that a failed call is not repeated. */
  readonly unrepeatable: readonly string[];
  readonly writes: number;
}

/** The faults for the places of a run: of each dependency each kind, at no more than `limit` places, evenly spread. */
export const faultsFor = (
  { models, tools, unrepeatable, writes }: Places,
  wanted: readonly Dependency[],
  limit: number,
): readonly Fault[] => {
  const of: Readonly<Record<Dependency, readonly (string | undefined)[]>> = {
    model: models,
    tool: tools,
    store: Array.from({ length: writes }, () => undefined),
    process: Array.from({ length: writes }, () => undefined),
  };
  return wanted.flatMap((dependency) =>
    kindsOf(dependency).flatMap((kind) =>
      spread(of[dependency].length, limit).map((index): Fault => {
        const name = of[dependency][index];
        const { isPassing, ...facts } = FAULTS[kind];
        // A call that must not be repeated fails, as it should.
        const isRepeated = kind !== 'tool-unavailable' || !unrepeatable.includes(name ?? '');
        return { kind, at: index + 1, of: name, ...facts, isPassing: isPassing && isRepeated };
      }),
    ),
  );
};

/** Up to `most` whole numbers from 0 to `length` - 1, the first and the last among them. */
const spread = (length: number, most: number): readonly number[] => {
  if (length <= most) return Array.from({ length }, (_, index) => index);
  if (most === 1) return [0];
  return Array.from({ length: most }, (_, index) => Math.round((index * (length - 1)) / (most - 1)));
};
