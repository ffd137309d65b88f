import type { CritiquePatch, SaidCritique } from '../../contracts/agents/critique.ts';
import { freezeJson } from '../../base/json/freeze-json.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { AgentContext } from './agent-context.ts';
import { difference } from './state-difference.ts';

/** Merges the changes of critics: of one key the last counts, instructions are joined. */
export const patchOf = (critiques: readonly SaidCritique[]): CritiquePatch | undefined => {
  let patch: CritiquePatch | undefined;
  for (const { patch: next } of critiques) {
    if (next === undefined) continue;
    const state = next.state === undefined ? patch?.state : { ...patch?.state, ...next.state };
    const instructions = [patch?.instruction, next.instruction].filter((text) => text !== undefined);
    patch = {
      ...(state === undefined ? {} : { state }),
      ...(instructions.length === 0 ? {} : { instruction: instructions.join('\n') }),
    };
  }
  return patch;
};

/** Applies critics' changes to the state; they are part of the step's difference. */
export const patchState = (
  { cycle, state }: AgentContext,
  patch: JsonObject | undefined,
): Pick<AgentContext, 'cycle'> | Pick<AgentContext, 'cycle' | 'state'> => {
  if (patch === undefined) return { cycle };
  const next = freezeJson({ ...(isJsonObject(state) ? state : {}), ...patch }, state);
  const diff = { ...cycle.diff };
  for (const [key, change] of Object.entries(difference(state, next)))
    diff[key] = { before: (cycle.diff[key] ?? change).before, after: change.after };
  return { state: next, cycle: { ...cycle, diff } };
};
