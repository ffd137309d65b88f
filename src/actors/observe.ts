import type { Json } from '../contracts/json.ts';
import type { AgentContext } from '../machines/agent-context.ts';
import type { Desk } from './desk.ts';
import { viewOf } from './view.ts';

/** Looks at the agent's environment. */
export const observe = (context: AgentContext, desk: Desk): Json | undefined | Promise<Json | undefined> =>
  desk.definition.observe?.(viewOf(context, desk));
