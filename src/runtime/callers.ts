import { callKey } from '../actors/call-key.ts';
import { toJson } from '../contracts/json.ts';
import type { PlannedCall } from '../machines/call-plan.ts';
import type { Ask } from '../machines/asks.ts';
import type { Actor } from './stage.ts';

/** The key of the tool call that an ask is about. */
export const callOf = ({ run, principal }: Actor, ask: Ask): string | undefined =>
  ask.port === 'act' || ask.port === 'tool'
    ? callKey(run.runId, principal.path, ask.step, ask.input.call.id)
    : undefined;

/** The idempotency key of a call: without a digest of its arguments in a run that began before keys had one. */
export const keyOfCall = (
  { run, principal }: Actor,
  step: number,
  { id, input }: Pick<PlannedCall, 'id' | 'input'>,
): string => {
  const call = callKey(run.runId, principal.path, step, id);
  return run.journal.keys.of(call, toJson(input));
};

/** The idempotency key of the tool call that an ask is about. */
export const keyOf = (actor: Actor, ask: Ask): string | undefined =>
  ask.port === 'act' || ask.port === 'tool' ? keyOfCall(actor, ask.step, ask.input.call) : undefined;

/** The calls that wait until an actor is done, outermost first. */
export const callersOf = ({ sponsor }: Actor): readonly string[] => {
  if (sponsor.kind === 'root') return NONE;
  const above = callersOf(sponsor.parent);
  return sponsor.kind === 'effect' && sponsor.call !== undefined ? [...above, sponsor.call] : above;
};

const NONE: readonly string[] = [];

/** The calls of an agent that have begun and are not over. */
export const callsOf = (agent: Actor): readonly string[] => {
  const { underWay, atHand, children } = agent;
  if (underWay.size === 0 && atHand === undefined && children.size === 0) return NONE;
  const calls = [...underWay, ...(atHand === undefined ? [] : [atHand])].flatMap(
    ({ ask }) => callOf(agent, ask) ?? NONE,
  );
  for (const child of children) if (child.isCall) calls.push(...callsOf(child));
  return calls;
};

/** Whether all that an agent's machine asked for has begun, and each of its calls is being made: none waits for a time or for a yes. */
export const isAtRest = (agent: Actor): boolean => {
  if (hasToBegin(agent)) return false;
  for (const child of agent.children)
    if (child.isCall && (hasToBegin(child) || callsOf(child).length === 0)) return false;
  return true;
};

const hasToBegin = (actor: Actor): boolean => actor.heldBack > 0 || actor.run.hasJobFor(actor);
