import type { MemoryBlock } from '../../contracts/conversations/memory.ts';
import type { Json } from '../../base/json/json.ts';
import type { AgentContext, Observed } from '../../machines/agent/agent-context.ts';
import { toJson } from '../../base/json/json.ts';
import type { Desk } from '../desk.ts';
import { andThen } from '../../base/promises/thenable.ts';
import { recallFor, awaitWrites } from './recall-for.ts';
import { withinAgentTime } from '../within-agent-time.ts';
import { viewOf } from '../view.ts';

/**
 * Recalls memory and observes the environment; the agent's own `observe` sees both results. The previous step is written to memory first,
 * so that other agents can read it before the next decision.
 */
export const observe = (context: AgentContext, desk: Desk): Observed | Promise<Observed> => {
  const writing = awaitWrites(desk);
  return writing === undefined ? observeNow(context, desk) : writing.then(() => observeNow(context, desk));
};

const observeNow = (context: AgentContext, desk: Desk): Observed | Promise<Observed> => {
  const recalling = recallFor(context, desk);
  return recalling === undefined
    ? seeEnvironment(context, desk, undefined)
    : recalling.then((memory) => seeEnvironment(context, desk, memory));
};

const seeEnvironment = (
  context: AgentContext,
  desk: Desk,
  memory: MemoryBlock | undefined,
): Observed | Promise<Observed> =>
  andThen(withinAgentTime(desk.environment?.observe(), 'observe of the environment', desk), (shown) => {
    const { observe: own } = desk.definition;
    if (own === undefined) return observationWith(shown, memory);
    const cycle = { ...context.cycle, observation: shown ?? null, memory: memory ?? null };
    return andThen(withinAgentTime(own(viewOf({ ...context, cycle }, desk)), 'observe', desk), (found) =>
      observationWith(plain(found), memory),
    );
  });

/** Copied to plain JSON, as it becomes part of the context. */
const plain = (found: Json | undefined): Json | undefined =>
  found === undefined ? undefined : toJson(found);

const observationWith = (observation: Json | undefined, memory: MemoryBlock | undefined): Observed => ({
  ...(observation === undefined ? undefined : { observation }),
  ...(memory === undefined ? undefined : { memory }),
});
