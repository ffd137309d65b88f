import type { Json } from '../contracts/json.ts';
import type { AgentContext } from '../machines/agent-context.ts';
import { toJson } from '../contracts/json.ts';
import type { Desk } from './desk.ts';
import { andThen } from './promises.ts';
import { withinTime } from './within-time.ts';
import { viewOf } from './view.ts';

/** Looks at the agent's environment. */
export const observe = (context: AgentContext, desk: Desk): Json | undefined | Promise<Json | undefined> =>
  andThen(desk.environment?.observe(), (shown) => {
    const { observe: own } = desk.definition;
    if (own === undefined) return shown;
    const cycle = { ...context.cycle, observation: shown ?? null };
    return andThen(withinTime(own(viewOf({ ...context, cycle }, desk)), 'observe', desk), plain);
  });

/** What is seen becomes part of the context: foreign values stay outside. */
const plain = (seen: Json | undefined): Json | undefined => (seen === undefined ? undefined : toJson(seen));
