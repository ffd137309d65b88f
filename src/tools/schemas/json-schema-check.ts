import { canonical } from '../../base/json/canonical.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { linearPattern } from '../../base/text/linear-pattern.ts';
import { resolveReference } from './json-schema-reference.ts';

/** One problem with a value. */
export interface JsonSchemaIssue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

type Path = readonly (string | number)[];

/** Total number of schema visits: a schema that refers to itself in every branch must not cost without end. */
const MOST_LOOKS = 200_000;
/** Total number of pattern steps: a long list of texts must not multiply the limit of each. */
const MOST_STEPS = 10_000_000;
/** References followed without the value becoming smaller. */
const MOST_REFERENCES = 50;
/** Issues of a list or an object after which no further item is looked at: one is enough to refuse it. */
const MOST_ISSUES = 50;

/**
 * Validates a value by a JSON Schema (draft 2020-12, and deviating forms of older drafts); returns the problems, none
 * if it is valid. Formats, `unevaluated…` and patterns that {@link linearPattern} cannot compile are annotations only.
 */
export const jsonSchemaIssues = (root: JsonObject, value: Json): readonly JsonSchemaIssue[] =>
  new Checking(root).issues(root, value, [], 0);

class Checking {
  readonly #root: JsonObject;
  #looks = 0;
  /** Number of checks that were given up: such a part is neither valid nor invalid. */
  #gaveUp = 0;
  #isTooLong = false;
  readonly #allowance = { left: MOST_STEPS };

  constructor(root: JsonObject) {
    this.#root = root;
  }

  issues(schema: Json | undefined, value: Json, path: Path, references: number): readonly JsonSchemaIssue[] {
    this.#looks += 1;
    if (this.#looks > MOST_LOOKS)
      return this.#giveUp(path, 'it is too long, or its schema has too many branches');
    if (schema === false) return [{ path, message: 'Nothing is allowed here' }];
    if (!isJsonObject(schema)) return [];
    const found: JsonSchemaIssue[] = [];
    const reference = schema['$ref'];
    if (typeof reference === 'string') {
      if (references >= MOST_REFERENCES)
        return this.#giveUp(path, `its schema refers to itself: ${reference}`);
      found.push(...this.issues(resolveReference(this.#root, reference), value, path, references + 1));
    }
    // OpenAPI's form of a nullable type.
    if (value === null && schema['nullable'] === true) return found;
    const wrong = wrongByItself(schema, value);
    if (wrong !== undefined) return [...found, { path, message: wrong }];
    if (typeof value === 'string' && typeof schema['pattern'] === 'string')
      found.push(...this.#text(schema['pattern'], value, path));
    found.push(...this.#combined(schema, value, path, references));
    if (Array.isArray(value)) found.push(...this.#list(schema, value, path));
    else if (isJsonObject(value)) found.push(...this.#object(schema, value, path, references));
    return found;
  }

  #text(pattern: string, text: string, path: Path): readonly JsonSchemaIssue[] {
    switch (this.#matches(pattern, text)) {
      case 'no':
        return [{ path, message: `Invalid string: must match pattern /${pattern}/` }];
      case 'too long':
        return this.#giveUp(path, `it is too long for its pattern: /${pattern}/`);
      // An unreadable or unbounded pattern forbids nothing.
      case 'unread':
      case 'yes':
        return [];
    }
  }

  /** After a text that takes too long no other is tried. */
  #matches(pattern: string, text: string): 'yes' | 'no' | 'too long' | 'unread' {
    if (this.#isTooLong) return 'too long';
    const found = linearPattern(pattern);
    if (found === undefined) return 'unread';
    const isMatch = found.test(text, this.#allowance);
    this.#isTooLong = isMatch === undefined;
    if (isMatch === undefined) return 'too long';
    return isMatch ? 'yes' : 'no';
  }

  #giveUp(path: Path, reason: string): readonly JsonSchemaIssue[] {
    this.#gaveUp += 1;
    return [{ path, message: `Cannot be checked as ${reason}` }];
  }

  #fits(schema: Json | undefined, value: Json, path: Path, references: number): boolean {
    return this.issues(schema, value, path, references).length === 0;
  }

  /** Runs a check whose failure means success elsewhere: one that was given up must not count as failed. */
  #surely(path: Path, look: () => readonly JsonSchemaIssue[]): readonly JsonSchemaIssue[] {
    const before = this.#gaveUp;
    const found = look();
    return found.length === 0 && this.#gaveUp > before
      ? [{ path, message: 'Cannot be checked as a part of its schema cannot' }]
      : found;
  }

  #combined(schema: JsonObject, value: Json, path: Path, references: number): readonly JsonSchemaIssue[] {
    const found: JsonSchemaIssue[] = [];
    for (const each of listOf(schema['allOf'])) found.push(...this.issues(each, value, path, references));
    const anyOf = listOf(schema['anyOf']);
    if (anyOf.length > 0) {
      const all = anyOf.map((each) => this.issues(each, value, path, references));
      if (all.every((issues) => issues.length > 0)) found.push(...nearestAlternative(all, path));
    }
    const oneOf = listOf(schema['oneOf']);
    if (oneOf.length > 0)
      found.push(...this.#surely(path, () => this.#oneOf(oneOf, value, path, references)));
    const { not, if: condition } = schema;
    if (not !== undefined)
      found.push(
        ...this.#surely(path, () =>
          this.#fits(not, value, path, references)
            ? [{ path, message: 'Invalid input: this is not allowed here' }]
            : [],
        ),
      );
    if (condition !== undefined)
      found.push(
        ...this.#surely(path, () => {
          const branch = this.#fits(condition, value, path, references) ? schema['then'] : schema['else'];
          return this.issues(branch, value, path, references);
        }),
      );
    return found;
  }

  #oneOf(
    alternatives: readonly Json[],
    value: Json,
    path: Path,
    references: number,
  ): readonly JsonSchemaIssue[] {
    const all = alternatives.map((each) => this.issues(each, value, path, references));
    const fitting = all.filter((issues) => issues.length === 0).length;
    if (fitting === 0) return nearestAlternative(all, path);
    return fitting > 1
      ? [{ path, message: `Invalid input: fits ${fitting} alternatives, only one may` }]
      : [];
  }

  #list(schema: JsonObject, value: readonly Json[], path: Path): readonly JsonSchemaIssue[] {
    const found: JsonSchemaIssue[] = [];
    const { items } = schema;
    const first = Array.isArray(items) ? items : listOf(schema['prefixItems']);
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    for (const [index, item] of value.entries()) {
      if (found.length >= MOST_ISSUES) return found;
      found.push(...this.issues(index < first.length ? first[index] : rest, item, [...path, index], 0));
    }
    if (schema['contains'] !== undefined)
      found.push(...this.#surely(path, () => this.#contains(schema, value, path)));
    return found;
  }

  #contains(schema: JsonObject, value: readonly Json[], path: Path): readonly JsonSchemaIssue[] {
    const { contains } = schema;
    const count = value.filter((item, index) => this.#fits(contains, item, [...path, index], 0)).length;
    const least = numberOf(schema['minContains']) ?? 1;
    const most = numberOf(schema['maxContains']) ?? Infinity;
    return count < least || count > most
      ? [
          {
            path,
            message: `Invalid input: holds ${count} of the items that it must hold ${least} to ${most} of`,
          },
        ]
      : [];
  }

  #object(schema: JsonObject, value: JsonObject, path: Path, references: number): readonly JsonSchemaIssue[] {
    const found: JsonSchemaIssue[] = [];
    const properties = objectOf(schema['properties']);
    const patterns = Object.entries(objectOf(schema['patternProperties']));
    for (const name of requiredNames(schema))
      if (!Object.hasOwn(value, name))
        found.push({
          path: [...path, name],
          message: `Invalid input: expected ${typeText(properties, name)}, received undefined`,
        });
    for (const [name, each] of Object.entries(value)) {
      if (found.length >= MOST_ISSUES) return found;
      const item = each ?? null;
      const at = [...path, name];
      const isKnown = Object.hasOwn(properties, name);
      if (isKnown) found.push(...this.issues(properties[name], item, at, 0));
      const results = patterns.map(([pattern]) => this.#matches(pattern, name));
      if (results.includes('too long'))
        found.push(...this.#giveUp(at, 'its name is too long for a pattern of names'));
      for (const [index, [, inner]] of patterns.entries())
        if (results[index] === 'yes') found.push(...this.issues(inner, item, at, 0));
      // The name may match an unreadable pattern.
      if (isKnown || results.some((result) => result !== 'no')) continue;
      const rest = schema['additionalProperties'];
      if (rest === false) found.push({ path, message: `Unrecognized key: ${JSON.stringify(name)}` });
      else found.push(...this.issues(rest, item, at, 0));
    }
    const names = schema['propertyNames'];
    if (names !== undefined)
      for (const name of Object.keys(value)) found.push(...this.issues(names, name, [...path, name], 0));
    const dependencies = ['dependencies', 'dependentRequired', 'dependentSchemas'].flatMap((keyword) =>
      Object.entries(objectOf(schema[keyword])),
    );
    for (const [name, wanted] of dependencies) {
      if (!Object.hasOwn(value, name)) continue;
      if (Array.isArray(wanted)) {
        for (const other of wanted)
          if (typeof other === 'string' && !Object.hasOwn(value, other))
            found.push({
              path: [...path, other],
              message: `Invalid input: needed beside ${JSON.stringify(name)}`,
            });
      } else found.push(...this.issues(wanted, value, path, references));
    }
    return found;
  }
}

/** Returns the problems of the closest alternative: the one whose first problem is deepest. */
const nearestAlternative = (
  all: readonly (readonly JsonSchemaIssue[])[],
  path: Path,
): readonly JsonSchemaIssue[] => {
  const depth = (issues: readonly JsonSchemaIssue[]): number =>
    Math.min(...issues.map((issue) => issue.path.length));
  const [best = []] = all.toSorted((a, b) => depth(b) - depth(a));
  return depth(best) > path.length
    ? best
    : [
        {
          path,
          message: `Invalid input: fits no alternative (${best.map(({ message }) => message).join('; ')})`,
        },
      ];
};

/** Checks the value itself, without its content. */
const wrongByItself = (schema: JsonObject, value: Json): string | undefined => {
  const types = listOf(schema['type'], true);
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return `Invalid input: expected ${types.map((type) => JSON.stringify(type).replaceAll('"', '')).join(' or ')}, received ${typeOf(value)}`;
  const choices = schema['enum'];
  if (Array.isArray(choices) && !choices.some((each: Json) => isSame(each, value)))
    return `Invalid option: expected one of ${JSON.stringify(choices).slice(1, -1)}`;
  if (schema['const'] !== undefined && !isSame(schema['const'], value))
    return `Invalid input: expected ${JSON.stringify(schema['const'])}`;
  if (typeof value === 'number') return wrongNumber(schema, value);
  if (typeof value === 'string') return wrongText(schema, value);
  if (Array.isArray(value))
    return (
      outOf(schema, 'Items', value.length, 'items') ??
      (schema['uniqueItems'] === true &&
      new Set(value.map((item: Json) => canonical(item))).size < value.length
        ? 'Invalid input: items must differ'
        : undefined)
    );
  return isJsonObject(value)
    ? outOf(schema, 'Properties', Object.keys(value).length, 'properties')
    : undefined;
};

const wrongNumber = (schema: JsonObject, value: number): string | undefined => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // In draft 4 a boolean makes the bound exclusive.
  const above = numberOf(exclusiveMinimum) ?? (exclusiveMinimum === true ? numberOf(minimum) : undefined);
  const below = numberOf(exclusiveMaximum) ?? (exclusiveMaximum === true ? numberOf(maximum) : undefined);
  if (typeof minimum === 'number' && value < minimum) return `Too small: expected number to be >=${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `Too big: expected number to be <=${maximum}`;
  if (above !== undefined && value <= above) return `Too small: expected number to be >${above}`;
  if (below !== undefined && value >= below) return `Too big: expected number to be <${below}`;
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const times = value / multipleOf;
    if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times)))
      return `Invalid number: must be a multiple of ${multipleOf}`;
  }
  return undefined;
};

const wrongText = (schema: JsonObject, value: string): string | undefined => {
  if (schema['minLength'] === undefined && schema['maxLength'] === undefined) return undefined;
  return outOf(schema, 'Length', Array.from(value).length, 'characters');
};

const outOf = (schema: JsonObject, what: string, count: number, of: string): string | undefined => {
  const least = numberOf(schema[`min${what}`]);
  const most = numberOf(schema[`max${what}`]);
  if (least !== undefined && count < least)
    return `Too small: expected at least ${least} ${of}, received ${count}`;
  return most !== undefined && count > most
    ? `Too big: expected at most ${most} ${of}, received ${count}`
    : undefined;
};

const isOfType = (value: Json, type: Json): boolean => {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'null':
      return value === null;
    default:
      // An unknown type is ignored.
      return true;
  }
};

const typeOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const typeText = (properties: JsonObject, name: string): string => {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  return typeof type === 'string' ? type : Array.isArray(type) ? type.join(' or ') : 'a value';
};

const isSame = (one: Json, other: Json): boolean => one === other || canonical(one) === canonical(other);

const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

const listOf = (value: Json | undefined, alsoOne = false): readonly Json[] =>
  Array.isArray(value) ? value : alsoOne && value !== undefined ? [value] : [];

/** Returns the required names; in draft 3 each property declares so itself. */
const requiredNames = (schema: JsonObject): readonly string[] => {
  const { required } = schema;
  if (Array.isArray(required)) return required.filter((name: Json) => typeof name === 'string');
  return Object.entries(objectOf(schema['properties'])).flatMap(([name, each]) =>
    isJsonObject(each) && each['required'] === true ? [name] : [],
  );
};
