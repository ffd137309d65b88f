import type { LiveEvent } from '../../contracts/events/event.ts';
import { ORCHESTRATOR } from '../../patterns/state/orchestrator-route.ts';

/** A selection of silent agents: names, or a rule. */
export type Silence =
  | readonly string[]
  | ((who: { readonly agent: string; readonly path: string }) => boolean);

/** The orchestrator of a team, wherever it sits: the role's name is its own, and an address may count. */
const orchestrator = new RegExp(`(?:^|/)${ORCHESTRATOR}(?:-\\d+)?$`);

/** Creates a predicate for agents whose text, errors and work are not published. */
export const silenceOf = (
  silence: Silence | undefined,
): ((who: Pick<LiveEvent, 'agent' | 'path'>) => boolean) => {
  if (silence === undefined) return ({ path }) => orchestrator.test(path);
  if (typeof silence === 'function') return silence;
  const names: ReadonlySet<string> = new Set(silence);
  return ({ agent }) => names.has(agent);
};
