/** Calls a method as JavaScript does, which has no types. */
export const callUntyped = (target: object, name: string, ...given: readonly unknown[]): unknown => {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') throw new TypeError(`there is no method '${name}'`);
  return Reflect.apply(method, target, [...given]);
};
