import type { EngineOptions } from '../../contracts/runs/engine.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';

/**
 * Flushes in order, then closes in reverse order; a failure does not stop the others.
 *
 * @throws {TroupeError} `engine.resource-failed` at the end, with all that failed in its message.
 */
export const closeResources = async ({
  flush,
  resources = [],
}: Pick<EngineOptions, 'flush' | 'resources'>): Promise<void> => {
  const failures: { readonly what: string; readonly thrown: unknown }[] = [];
  const attempt = async (what: string, work: () => void | Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      failures.push({ what, thrown });
    }
  };
  if (flush !== undefined) await attempt('flush', flush);
  for (const resource of resources) await attempt(`flush of '${resource.name}'`, () => resource.flush?.());
  for (const resource of resources.toReversed())
    await attempt(`close of '${resource.name}'`, () => resource.close?.());
  const [first] = failures;
  if (first === undefined) return;
  const found = failures.map(({ what, thrown }) => `${what}: ${messageOf(thrown)}`).join('; ');
  throw new TroupeError(
    'engine.resource-failed',
    `Cannot close all that the engine owns as something failed: ${found}`,
    { cause: first.thrown },
  );
};
