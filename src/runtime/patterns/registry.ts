import { TroupeError } from '../../contracts/error.ts';
import type { Pattern } from './setup/define-pattern.ts';
import { blackboard } from './blackboard.ts';
import { consensus } from './consensus.ts';
import { contractNet } from './contract-net.ts';
import { debate } from './debate.ts';
import { ensemble } from './ensemble.ts';
import { groupChat } from './group-chat.ts';
import { handoffs } from './handoffs.ts';
import { jury } from './jury.ts';
import { orchestrator } from './orchestrator.ts';
import { parallel } from './parallel.ts';
import { pipeline } from './pipeline.ts';
import { plannerExecutor } from './planner-executor.ts';
import { race } from './race.ts';
import { router } from './router.ts';
import { saga } from './saga.ts';
import { supervisorWorker } from './supervisor-worker.ts';
import { writerCritic } from './writer-critic.ts';

/** The patterns of the house, by name. */
const builtIn = {
  blackboard,
  consensus,
  contractNet,
  debate,
  ensemble,
  groupChat,
  handoffs,
  jury,
  orchestrator,
  parallel,
  pipeline,
  plannerExecutor,
  race,
  router,
  saga,
  supervisorWorker,
  writerCritic,
} as const;

type BuiltIn = typeof builtIn;

/** What makes the team of each pattern: those of the house, and `Own`. */
type Makers<Own extends readonly Pattern[]> = BuiltIn & {
  readonly [Each in Own[number] as Each['name']]: Each['make'];
};

/** Patterns by name, for whoever reads from a file or is told by a model which one to use. */
export interface PatternRegistry<Own extends readonly Pattern[] = readonly []> {
  /** In alphabetical order. */
  readonly names: readonly string[];
  has(name: string): name is keyof Makers<Own> & string;
  /** What makes a team by that pattern. */
  get<Name extends keyof Makers<Own>>(name: Name): Makers<Own>[Name];
}

/**
 * The patterns of the house and your own, by name.
 *
 * A registry is a value: two of them know nothing of each other, and nobody's import changes anybody's patterns.
 *
 * @example
 * const patterns = patternRegistry([relay]);
 * patterns.names;                                        // [ 'consensus', 'debate', …, 'relay', … ]
 * const team = patterns.get('relay')({ members: [ann, bob] });
 *
 * @throws {TroupeError} `team.invalid` for two patterns of one name; by `get`, for a name that there is not.
 */
export const patternRegistry = <const Own extends readonly Pattern[] = readonly []>(
  own?: Own,
): PatternRegistry<Own> => {
  const known = new Map<string, unknown>(Object.entries(builtIn));
  for (const { name, make } of own ?? []) {
    if (known.has(name))
      throw new TroupeError(
        'team.invalid',
        `Cannot register the pattern '${name}' as there is one of that name`,
      );
    known.set(name, make);
  }
  const names = [...known.keys()].toSorted();
  return Object.freeze({
    names,
    has: (name: string): name is keyof Makers<Own> & string => known.has(name),
    get: <Name extends keyof Makers<Own>>(name: Name): Makers<Own>[Name] => {
      if (known.has(String(name))) return known.get(String(name)) as Makers<Own>[Name];
      throw new TroupeError(
        'team.invalid',
        `Cannot make a team as there is no pattern '${String(name)}': the patterns are ${names.join(', ')}`,
      );
    },
  });
};
