import type * as z from 'zod';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { checkAgentName } from '../../runtime/define/define-agent.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { isRecord } from '../../base/json/is-record.ts';
import type { TeamSetup } from '../../runtime/define/team.ts';

/** Looks at what a pattern was given, one option after the other; what does not fit is refused, with what was found. */
export interface SetupCheck {
  /** Says why the team cannot be, and what was found instead. */
  readonly refuse: (why: string, found: unknown) => never;
  /** A whole number from `least`, by default 1. */
  readonly count: (option: string, given: number | undefined, otherwise: number, least?: 0 | 1) => number;
  /** One of several words. */
  readonly word: <Word extends string>(
    option: string,
    given: Word | undefined,
    otherwise: Word,
    words: readonly Word[],
  ) => Word;
  /** A function, or nothing. */
  readonly rule: (option: string, given: unknown) => void;
  /** A list of texts; nothing is an empty one. */
  readonly texts: (option: string, given: readonly string[] | undefined) => readonly string[];
  /** The names of those who are asked: `least` of them at least, none with a name that the pattern needs for itself. */
  readonly asked: (
    option: string,
    given: object,
    bounds: { readonly least?: number; readonly reserved?: readonly string[] },
  ) => readonly string[];
}

/**
 * Checks the setup of a pattern. The types say all of it; in JavaScript anything may stand anywhere.
 *
 * @throws {TroupeError} `team.invalid` for a setup that is no object, `agent.invalid` for a name that is none.
 */
export const checkSetup = (setup: TeamSetup, schema: z.core.$ZodType): SetupCheck => {
  if (!isRecord(setup))
    throw new TroupeError(
      'team.invalid',
      `Cannot define a team as what it is made of is not an object: found ${foundText(setup)}`,
    );
  const owner = `the team '${checkAgentName(setup.name, 'a team')}'`;
  checkOptions(schema, setup, { code: 'team.invalid', owner });
  const refuse = (why: string, found: unknown): never => {
    throw new TroupeError('team.invalid', `Cannot define ${owner} as ${why}: found ${foundText(found)}`);
  };
  const names = (option: string, given: object): readonly string[] => {
    if (isRecord(given)) return Object.keys(given);
    if (!Array.isArray(given)) return refuse(`its ${option} are not given by name`, given);
    const listed = given.map((each: unknown) => (isRecord(each) ? each['name'] : each));
    return refuse(`its ${option} are not given by name, write { ${listed.join(', ')} }`, listed);
  };
  return {
    refuse,
    count: (option, given, otherwise, least = 1) => {
      const count = given === undefined ? otherwise : given;
      return Number.isSafeInteger(count) && count >= least
        ? count
        : refuse(`its ${option} is not a whole number from ${least}`, count);
    },
    word: (option, given, otherwise, words) => {
      if (given === undefined) return otherwise;
      return words.includes(given) ? given : refuse(`its ${option} is not one of ${words.join(', ')}`, given);
    },
    rule: (option, given) => {
      if (given !== undefined && typeof given !== 'function')
        refuse(`its ${option} is not a function`, given);
    },
    texts: (option, given = []) =>
      Array.isArray(given) && given.every((each: unknown) => typeof each === 'string')
        ? given
        : refuse(`its ${option} is not a list of texts`, given),
    asked: (option, given, { least = 1, reserved = [] }) => {
      const found = names(option, given);
      if (found.length < least || reserved.some((name) => found.includes(name)))
        refuse(`it needs ${wantedText(option, least, reserved)}`, found.length === 0 ? given : found);
      return found;
    },
  };
};

const NUMBERS: readonly string[] = ['no', 'one', 'two'];

const wantedText = (option: string, least: number, reserved: readonly string[]): string => {
  const number = least === 1 ? option : `${NUMBERS[least] ?? least} ${option} at least`;
  const others = reserved.map((name) => `'${name}'`).join(' or ');
  return others === '' ? number : `${number}, none of them called ${others}`;
};
