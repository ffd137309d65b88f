import { callKey } from '../actors/call-key.ts';
import type { Ask } from '../machines/asks.ts';
import type { Actor } from './stage.ts';

/** The key of the tool call that an ask is about. */
export const callOf = ({ run, principal }: Actor, ask: Ask): string | undefined =>
  ask.port === 'act' || ask.port === 'tool'
    ? callKey(run.runId, principal.path, ask.step, ask.input.call.id)
    : undefined;

/** The calls that wait until an actor is done, outermost first. */
export const callersOf = ({ sponsor }: Actor): readonly string[] => {
  if (sponsor.kind === 'root') return NONE;
  const above = callersOf(sponsor.parent);
  return sponsor.kind === 'effect' && sponsor.call !== undefined ? [...above, sponsor.call] : above;
};

const NONE: readonly string[] = [];
