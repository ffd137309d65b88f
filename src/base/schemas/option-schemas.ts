import * as z from 'zod/mini';
import { inEnglish } from './in-english.ts';
import { nearestName } from '../text/nearest-name.ts';
import { foreignOptions } from './foreign-options.ts';

/** The schema of an option, or of options. */
export type OptionSchema = z.ZodMiniType;

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** One schema for each option of `Options`; the compiler requires all. */
export type OptionShape<Options> = { readonly [Option in keyof Options]-?: z.core.$ZodType };

/**
 * Builds the schema of an options object: unknown keys are refused, with the nearest known name.
 *
 * The leaves below describe a problem as the end of a sentence, for `checkOptions`: `not a function`, `not one of stop, restart`.
 *
 * @example
 * const schema = onDemand(() => optionsSchema<Limits>({ rounds: optional(wholeNumber(1)), accept: optional(aFunction()) }));
 */
export const optionsSchema = <Options>(shape: OptionShape<Options>): OptionSchema => {
  const schema = inEnglish(
    z.strictObject<Shape>(shape, {
      error: (issue) =>
        issue.code === 'unrecognized_keys' ? hintsFor(issue.keys ?? [], shape).join('\n') : 'not an object',
    }),
  );
  namesOf.set(schema, Object.keys(shape));
  return schema;
};

/** The options of what is a group of options. */
const namesOf = new WeakMap<z.core.$ZodType, readonly string[]>();

/** The same group of options, in another form. */
const sameGroup = <Group extends z.core.$ZodType>(schema: Group, group: z.core.$ZodType): Group => {
  const names = namesOf.get(group);
  if (names !== undefined) namesOf.set(schema, names);
  return schema;
};

/** Some of the options of a shape. */
export const shapeOf = <Options, Name extends keyof Options>(
  shape: OptionShape<Options>,
  names: readonly Name[],
): OptionShape<Pick<Options, Name>> =>
  // Exactly the names that the type picks.
  Object.fromEntries(names.map((name) => [name, shape[name]])) as OptionShape<Pick<Options, Name>>;

/** The options of a shape but for some. */
export const shapeWithout = <Options, Name extends keyof Options>(
  shape: OptionShape<Options>,
  names: readonly Name[],
): OptionShape<Omit<Options, Name>> =>
  // Exactly the names that the type omits.
  Object.fromEntries(
    Object.entries(shape).filter(([option]) => !names.some((name) => name === option)),
  ) as OptionShape<Omit<Options, Name>>;

/** A hint for each unknown key, in order: where it belongs here, the nearest name, or all names, which are listed once. */
const hintsFor = (keys: readonly string[], shape: Shape): readonly string[] => {
  const names = Object.keys(shape);
  const meant = keys.map((key) => adviceFor(key, shape) ?? homeOf(key, shape) ?? nearestName(key, names));
  const listed = meant.indexOf(undefined);
  return meant.map((each, index) => {
    if (each !== undefined) return each.includes(' ') ? each : `did you mean \`${each}\`?`;
    return index === listed ? `there are ${names.join(', ')}` : '';
  });
};

/** The place of an option in a group of the shape. */
const homeOf = (key: string, shape: Shape): string | undefined => {
  const group = Object.entries(shape).find(([, schema]) => namesOf.get(schema)?.includes(key) === true)?.[0];
  return group === undefined ? undefined : `${group}.${key}`;
};

/** The place of what other runtimes call so, if the shape has one. */
const adviceFor = (key: string, shape: Shape): string | undefined =>
  foreignOptions[key.toLowerCase().replaceAll('_', '')]?.find(([place]) => hasPlace(place, shape))?.[1];

const hasPlace = (place: string, shape: Shape): boolean => {
  const [option = '', inner] = place.split('.');
  const schema = shape[option];
  return schema !== undefined && (inner === undefined || namesOf.get(schema)?.includes(inner) === true);
};

/** An option that may be left out. */
export const optional = (schema: z.core.$ZodType): OptionSchema => sameGroup(z.optional(schema), schema);

/** A value that fulfils a condition; `otherwise` says what it is not, as the end of a sentence, and may advise: `not a list: write [ … ]`. */
export const fulfilling = (holds: (given: unknown) => boolean, otherwise: string): OptionSchema =>
  z.custom(holds, { error: otherwise, abort: true });

/** Anything: validated elsewhere. */
export const anything = (): OptionSchema => z.optional(z.unknown());

/** A text; with `least` 1 a non-empty one. */
export const aText = (least: 0 | 1 = 0): OptionSchema =>
  fulfilling(
    (given) => typeof given === 'string' && given.length >= least,
    least === 0 ? 'not a string' : 'not a non-empty string',
  );

/** A text that no message may quote. */
export const aSecret = (): OptionSchema =>
  z.custom((given) => typeof given === 'string', {
    error: 'not a string',
    abort: true,
    params: { isSecret: true },
  });

/** A function. */
export const aFunction = (): OptionSchema =>
  fulfilling((given) => typeof given === 'function', 'not a function');

/** True or false. */
export const aBoolean = (): OptionSchema =>
  fulfilling((given) => typeof given === 'boolean', 'not a boolean');

/** A whole number, as a limit: non-finite ones do not survive as JSON. */
export const wholeNumber = (least: number): OptionSchema =>
  fulfilling(
    (given) => Number.isSafeInteger(given) && Number(given) >= least,
    `not a whole number from ${least}`,
  );

/** A finite number. */
export const aNumber = (least: number): OptionSchema =>
  fulfilling((given) => Number.isFinite(given) && Number(given) >= least, `not a number from ${least}`);

/** A number that bounds something: `Infinity` bounds nothing. */
export const aBound = (least: number): OptionSchema =>
  fulfilling((given) => typeof given === 'number' && given >= least, `not a number from ${least}`);

/** A time in ms, which may be `Infinity`. */
export const aTime = (): OptionSchema =>
  fulfilling((given) => typeof given === 'number' && given > 0, 'not a time above 0, in ms');

/** A fraction. */
export const aFraction = (): OptionSchema =>
  fulfilling(
    (given) => typeof given === 'number' && given > 0 && given <= 1,
    'not a number above 0 and at most 1',
  );

/** One of several words. */
export const oneOf = (words: readonly string[]): OptionSchema =>
  fulfilling((given) => words.some((word) => word === given), `not one of ${words.join(', ')}`);

/** An object with these methods; other properties are ignored. */
export const objectWith = (methods: readonly string[], otherwise: string): OptionSchema =>
  fulfilling(
    (given) => isObject(given) && methods.every((method) => typeof Reflect.get(given, method) === 'function'),
    otherwise,
  );

/** An object of which only this is looked at: whatever else it has is its own. */
export const objectLike = (shape: Shape, otherwise: string): OptionSchema =>
  z.looseObject<Shape>(shape, { error: otherwise });

/** A list of valid items. */
export const listOf = (item: z.core.$ZodType, otherwise = 'not a list'): OptionSchema =>
  z.array(item, { error: otherwise });

/** A record of valid items by name. */
export const byName = (item: z.core.$ZodType): OptionSchema =>
  z.record(z.string(), item, { error: 'not an object' });

/** A value of one of several forms, chosen by the value. */
export const oneForm = (formOf: (given: unknown) => z.core.$ZodType): OptionSchema =>
  z.unknown().check((context) => {
    const { error } = z.safeParse(formOf(context.value), context.value);
    // An issue that is passed on is a raw one again, with its message and path.
    for (const issue of error?.issues ?? []) context.issues.push(issue as z.core.$ZodRawIssue);
  });

/** A short value, for which `isShort` holds, or what is written out. */
export const shortOr = (isShort: (given: unknown) => boolean, writtenOut: z.core.$ZodType): OptionSchema =>
  formOr(isShort, anything(), writtenOut);

/** A short form where `isShort` holds, or what is written out. */
export const formOr = (
  isShort: (given: unknown) => boolean,
  short: z.core.$ZodType,
  writtenOut: z.core.$ZodType,
): OptionSchema =>
  sameGroup(
    oneForm((given) => (isShort(given) ? short : writtenOut)),
    writtenOut,
  );

/** One, or a list of such. */
export const oneOrMore = (item: z.core.$ZodType): OptionSchema =>
  formOr((given) => Array.isArray(given), listOf(item), item);

/** Options that fit together: `problemOf` names the one that does not, and says what it is not. */
export const together = <Options>(
  schema: OptionSchema,
  problemOf: (given: Options) => readonly [option: keyof Options & string, otherwise: string] | undefined,
): OptionSchema =>
  sameGroup(
    schema.check((context) => {
      // The schema has let it through.
      const problem = problemOf(context.value as Options);
      if (problem === undefined) return;
      const [option, message] = problem;
      context.issues.push({ code: 'custom', path: [option], message, input: context.value });
    }),
    schema,
  );

/** Checks whether a value is an object, and not a function. */
export const isObject = (given: unknown): given is object => typeof given === 'object' && given !== null;
