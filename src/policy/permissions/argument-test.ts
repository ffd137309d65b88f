import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { TextTest } from './glob.ts';
import { anyGlob } from './glob.ts';
import type { ArgumentTest, PolicyRule } from './rule.ts';
import { spellingsOf } from './spellings.ts';

/**
 * A test of a call's arguments. A rule that allows is exact: every item of a list must pass, and a number is a number. One that asks or denies
 * leaves no way round: one item is enough, at any depth, and so is a number that is written as a text, or another spelling of a path or an address.
 */
export const inputTest = (tests: NonNullable<PolicyRule['input']>, effect: PolicyRule['effect']) => {
  const isExact = effect === 'allow';
  const parts = Object.entries(tests).map(([field, test]) => ({ field, passes: valueTest(test, isExact) }));
  return (input: Json): boolean =>
    parts.every(({ field, passes }) => {
      const value = valueAt(input, field);
      if (value === undefined) return false;
      const items = isExact ? itemsIn(value) : leavesIn(value);
      return isExact ? items.length > 0 && items.every(passes) : items.some(passes);
    });
};

/** The argument of that name, also one within another; a name with points in it comes first. */
const valueAt = (input: Json, field: string): Json | undefined => {
  if (!isJsonObject(input)) return undefined;
  if (Object.hasOwn(input, field)) return input[field];
  for (let dot = field.indexOf('.'); dot !== -1; dot = field.indexOf('.', dot + 1)) {
    const name = field.slice(0, dot);
    const inner = Object.hasOwn(input, name) ? input[name] : undefined;
    const found = inner === undefined ? undefined : valueAt(inner, field.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
};

const itemsIn = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);

/** The value itself, and all within it. */
const leavesIn = (value: Json): readonly Json[] => {
  const leaves: Json[] = [];
  // No recursion: a model may nest as deep as it likes.
  for (const open: Json[] = [value]; open.length > 0;) {
    const next = open.pop() as Json;
    leaves.push(next);
    const parts = typeof next === 'object' && next !== null ? Object.values(next) : [];
    for (const part of parts) if (part !== undefined) open.push(part);
  }
  return leaves;
};

const valueTest = (test: ArgumentTest, isExact: boolean): ((value: Json) => boolean) => {
  if (typeof test === 'string') {
    const fits = isExact ? anyGlob(test) : anySpelling(test);
    return (value) => (typeof value === 'object' ? value === null && fits('null') : fits(String(value)));
  }
  if ('in' in test) {
    const known = new Set(test.in.map((each) => canonical(each)));
    const texts = new Set(
      isExact ? [] : test.in.filter(isPlain).flatMap((each) => spellingsOf(String(each))),
    );
    return (value) =>
      known.has(canonical(value)) ||
      (!isExact && isPlain(value) && spellingsOf(String(value)).some((text) => texts.has(text)));
  }
  const { from = -Infinity, to = Infinity } = test;
  return (value) => {
    const number = typeof value === 'string' && !isExact ? numberIn(value) : value;
    return typeof number === 'number' && number >= from && number <= to;
  };
};

/** A glob in any spelling: its own text, which may begin with `./`, too. */
const anySpelling = (glob: string): TextTest => {
  const fits = anyGlob(glob);
  const lower = glob.normalize('NFC').toLowerCase();
  const fitsAny = anyGlob([lower, lower.replace(/^(?:\.\/+)+/, '')]);
  return (text) => fits(text) || spellingsOf(text).some(fitsAny);
};

const isPlain = (value: Json): value is string | number | boolean => typeof value !== 'object';

/** The number that a text is read as; NaN, which is in no range, for another text. */
const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
