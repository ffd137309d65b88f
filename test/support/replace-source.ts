import { register } from 'node:module';

const KEY = 'troupe.test.replacements';
const replacements = new Map<string, (real: object) => object>();
Reflect.set(globalThis, Symbol.for(KEY), replacements);

/** Gives what the replacement makes, and of the real source, which loads under another address, all else. */
const hooks = `
const replaced = new Map();
export const initialize = ({ path, names }) => void replaced.set(path, names);
export const load = (url, context, next) => {
  const path = /\\/\\.tmp\\/sources\\/\\d+\\/(.*)\\.js$/.exec(url)?.[1];
  const names = replaced.get(path);
  if (names === undefined) return next(url, context);
  const real = JSON.stringify(url + '?real');
  const source = [
    'import * as real from ' + real + ';',
    'export * from ' + real + ';',
    'export const { ' + names.join(', ') + ' } = globalThis[Symbol.for("${KEY}")].get(' + JSON.stringify(path) + ')(real);',
  ].join('\\n');
  return { format: 'module', source, shortCircuit: true };
};`;

/**
 * Replaces exports of a source (`runtime/run/start-run`) for all that import it after, so call it hoisted. It is the `vi.mock` of
 * sources that Node imports as they were transpiled: vitest would have to transform all of them again.
 */
export const replaceSource = <Real extends object>(
  path: string,
  names: readonly (keyof Real & string)[],
  replace: (real: Real) => Partial<Real>,
): void => {
  // Only the loader calls it, with the source of that path.
  replacements.set(path, (real) => replace(real as Real));
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: { path, names } });
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
