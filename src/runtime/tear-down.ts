import { isJsonObject } from '../contracts/json.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Actor, Stage } from './stage.ts';

/** How long tearing down may take, in ms: after a normal end, and after an abort. */
const PATIENCE_MS = 5_000;
const HURRIED_MS = 50;

/** Toolsets are always torn down; what goes wrong is on record, and one that never comes back does not hold the run. */
export const tearDown = async (
  { clock, log }: Stage,
  actor: Actor,
  tools: ToolRegistry,
  isHurried: boolean,
): Promise<void> => {
  let timer: unknown;
  const late = new Promise<readonly []>((resolve) => {
    timer = clock.setTimeout(
      () => {
        resolve([]);
      },
      isHurried ? HURRIED_MS : PATIENCE_MS,
    );
  });
  const problems = await Promise.race([tools.teardown(), late]);
  clock.clearTimeout(timer);
  for (const error of problems) {
    const { details } = error;
    const toolset =
      isJsonObject(details) && typeof details['toolset'] === 'string' ? details['toolset'] : 'unknown';
    log.write({ type: 'toolset.failed', toolset, error }, actor);
  }
};
