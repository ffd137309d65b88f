import { register } from 'node:module';
import type { Replaceable } from '../../scripts/transpile.ts';

const replacements = new Map<Replaceable, (real: object) => object>();
Reflect.set(globalThis, Symbol.for('troupe.test.replacements'), replacements);

/**
 * Replaces the export of a source that `scripts/transpile.ts` has made replaceable, for all that import it after: call it hoisted. It is
 * the `vi.mock` of sources that Node imports as they were transpiled. Hooks of Node's loader would not do: with them, whatever is
 * imported late takes real time again, of which the virtual clocks of tests know nothing.
 */
export const replaceSource = <Real extends object>(
  source: Replaceable,
  replace: (real: Real) => Partial<Real>,
): void => {
  // Only that source calls it, with itself.
  replacements.set(source, (real) => replace(real as Real));
};

/** Lets packages be found by nobody, as where they are not installed. Hoisted, as above. */
export const withoutPackages = (names: readonly string[]): void => {
  const hooks = `
const missing = ${JSON.stringify(names)};
export const resolve = (name, context, next) => {
  if (!missing.includes(name)) return next(name, context);
  throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
};`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
};
