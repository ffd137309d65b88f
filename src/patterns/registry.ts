import { TroupeError } from '../contracts/errors/error.ts';
import type { Pattern } from './setup/define-pattern.ts';
import type { PatternFacts } from './setup/pattern.ts';
import * as house from './house.ts';

type BuiltIn = typeof house;

/** A pattern that a registry takes in: by `pattern()`, or a composition by `definePattern()`. */
export type OwnPattern = Pattern | (((setup: never) => unknown) & PatternFacts);

/** The makers of all patterns: those of the house, and `Own`. */
type Makers<Own extends readonly OwnPattern[]> = BuiltIn & {
  readonly [Each in Own[number] as Each['name']]: Each extends Pattern ? Each['make'] : Each;
};

/** Patterns by name, where a file or a model says which one to use. */
export interface PatternRegistry<Own extends readonly OwnPattern[] = readonly []> {
  /** In alphabetical order. */
  readonly names: readonly string[];
  has(name: string): name is keyof Makers<Own> & string;
  /** The maker of teams by that pattern. */
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
export const patternRegistry = <const Own extends readonly OwnPattern[] = readonly []>(
  own?: Own,
): PatternRegistry<Own> => {
  const known = new Map<string, unknown>(Object.entries(house));
  for (const each of own ?? []) {
    const { name } = each;
    if (known.has(name))
      throw new TroupeError(
        'team.invalid',
        `Cannot register the pattern '${name}' as there is one of that name`,
      );
    known.set(name, typeof each === 'function' ? each : each.make);
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
