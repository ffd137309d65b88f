import { foundText } from '../../contracts/errors/found-text.ts';

/** The versions of the AI SDK's specification that are used here. */
const VERSIONS: readonly unknown[] = ['v2', 'v3', 'v4'];

/** Describes the problem with a model's specification, as text that follows "as"; undefined if there is none. */
export const versionProblem = (given: unknown): string | undefined => {
  if (typeof given !== 'object' || given === null) return `it is ${foundText(given)}`;
  const version: unknown = Reflect.get(given, 'specificationVersion');
  if (VERSIONS.includes(version)) return undefined;
  const advice = version === 'v1' ? ' (of AI SDK 4: update its package)' : '';
  return `its specification is ${foundText(version)}${advice}`;
};
