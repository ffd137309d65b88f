import * as z from 'zod/mini';
import type { ErrorCode } from './error-data.ts';
import { TroupeError } from './error.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import { optionsSchema } from '../../base/schemas/option-schemas.ts';
import { foundText } from './found-text.ts';

/** The owner of the options, for the error that refuses them. */
export interface OptionsOwner {
  readonly code: ErrorCode;
  /** Its description: `the agent 'clerk'`. */
  readonly owner: string;
  /** The verb of the error: "Cannot define …". Default `define`. */
  readonly verb?: string | undefined;
  /** The tool or agent that the error names. */
  readonly tool?: string | undefined;
}

/** Maximum number of problems listed. */
const MOST = 5;

/**
 * Validates options by a schema; JavaScript callers have no types.
 *
 * The schema is built by `optionsSchema` and its leaves, whose messages are the end of a sentence: `not a whole number from 1`, or
 * `not a list: write [ … ]`. Any other zod schema works, too. Options are only checked: the schema's output is not used.
 *
 * @example
 * const schema = onDemand(() => optionsSchema<{ rounds: number }>({ rounds: wholeNumber(1) }));
 * checkOptions(schema(), { rouds: 2 }, { code: 'team.invalid', owner: "the team 'jury'" });
 * // throws: Cannot define the team 'jury' as its option `rouds` is unknown: did you mean `rounds`?
 *
 * @throws {TroupeError} of the code given, with all problems in one sentence and in its `details`.
 */
export const checkOptions = (schema: z.core.$ZodType, given: unknown, about: OptionsOwner): void => {
  const problems = optionProblems(schema, given);
  if (problems.length > 0) throw refusedOptions(problems, about);
};

/**
 * Makes the check of a function's options, which returns them: one schema for each option, and no other option.
 *
 * @example
 * const check = optionsCheck<JuryOptions>({ code: 'team.invalid', owner: 'the jury' }, () => ({ rounds: optional(wholeNumber(1)) }));
 * export const jury = (options: JuryOptions) => {
 *   const { rounds = 3 } = check(options);
 * };
 */
export const optionsCheck = /* @__NO_SIDE_EFFECTS__ */ <Options>(
  about: OptionsOwner,
  shape: () => OptionShape<Options>,
): (<Given extends Options>(given: Given, owner?: string) => Given) => {
  const schema = onDemand(() => optionsSchema<Options>(shape()));
  return (given, owner = about.owner) => {
    checkOptions(schema(), given, { ...about, owner });
    return given;
  };
};

/** The error for options with these problems. */
export const refusedOptions = (
  problems: readonly string[],
  { code, owner, verb = 'define', tool }: OptionsOwner,
): TroupeError =>
  new TroupeError(code, `Cannot ${verb} ${owner} as ${problems.slice(0, MOST).join('; and as ')}`, {
    details: problems,
    ...(tool === undefined ? {} : { tool }),
  });

/** Lists the problems of options, as text that follows "as"; empty if they are valid. */
export const optionProblems = (schema: z.core.$ZodType, given: unknown): readonly string[] => {
  const result = z.safeParse(schema, given);
  return result.success ? [] : result.error.issues.flatMap((issue) => problemsOf(issue, given, []));
};

const problemsOf = (
  issue: z.core.$ZodIssue,
  given: unknown,
  above: readonly PropertyKey[],
): readonly string[] => {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    // One hint for each key, in order; an empty one where the list of options stands already.
    const hints = issue.message.split('\n');
    return issue.keys.map((key, index) => unknownOption(placeOf([...path, key]), hints[index] ?? ''));
  }
  // Of several forms, the problems of the last one, the long form, are reported.
  const deeper = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined;
  if (deeper !== undefined && deeper.length > 0)
    return deeper.flatMap((each) => problemsOf(each, given, path));
  const subject = path.length === 0 ? 'its options are' : `its ${placeOf(path)} is`;
  const [words = '', advice] = wordsOf(issue).split(ADVICE);
  const value = valueAt(given, path);
  const isSecret = issue.code === 'custom' && issue.params?.['isSecret'] === true;
  const found = isSecret && value !== undefined ? `a value of type ${typeof value}` : foundText(value);
  return [`${subject} ${words}: found ${found}${advice === undefined ? '' : `, write ${advice}`}`];
};

const unknownOption = (place: string, hint: string): string =>
  `its option \`${place}\` is unknown${hint === '' ? '' : `: ${hint}`}`;

/** Separates what is wrong from what to write instead. */
const ADVICE = ': write ';

/** The types that zod names, as one says them. */
const EXPECTED: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  int: 'a whole number',
};

/** Messages of the leaves fit this sentence; zod's are sentences of their own. */
const wordsOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'custom' || !issue.message.startsWith('Invalid ')) return issue.message;
  if (issue.code === 'invalid_type') return `not ${EXPECTED[issue.expected] ?? `a ${issue.expected}`}`;
  return `not valid (${issue.message})`;
};

const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      return `${index === 0 ? '' : '.'}${String(key)}`;
    })
    .join('');

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    given,
  );
