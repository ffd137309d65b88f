/**
 * Deep-freezes plain JSON and returns it, not a copy. Instances of classes are left as they are.
 *
 * Parts that are already frozen are skipped, so that what leaves a run repeatedly costs once; so are parts that `known`
 * holds in the same place, as they were frozen with it.
 *
 * @example
 * const state = freezeJson({ seen: ['a'] });
 * freezeJson({ ...state, count: 1 }, state); // the list is not looked into again
 */
export const freezeJson = <Value>(value: Value, known?: unknown): Value => {
  if (typeof value !== 'object' || value === null || value === known || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    const before: readonly unknown[] | undefined = Array.isArray(known) ? known : undefined;
    for (let index = 0; index < value.length; index += 1) {
      const part: unknown = value[index];
      if (typeof part === 'object') freezeJson(part, before?.[index]);
    }
  } else if (isPlain(value)) {
    const before = typeof known === 'object' && known !== null && isPlain(known) ? known : undefined;
    // A plain object inherits no keys, and this makes no list of its own.
    for (const key in value) {
      const part = value[key];
      if (typeof part === 'object') freezeJson(part, before?.[key]);
    }
  } else return value;
  return Object.freeze(value);
};

/** Checks whether an object is plain: its prototype is `Object.prototype` or null. */
export const isPlain = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
