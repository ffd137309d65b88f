import * as z from 'zod';
import { answer } from '../../contracts/decision.ts';
import { toJson } from '../../contracts/json.ts';
import { agentDefinition } from '../define/define-agent.ts';
import type { Definition } from '../define/definition.ts';
import type { NodeFunction } from './workflow-builder.ts';

/**
 * A function as a member of a workflow: an agent that decides by it, once.
 *
 * So it is an effect like every other: it may be asynchronous, it is on record, and what it answered counts after a crash.
 */
export const functionNode = (id: string, work: NodeFunction<never, unknown>): Definition =>
  agentDefinition({
    name: id,
    description: `The function of the node '${id}'.`,
    input: z.json(),
    loops: false,
    // The node's own time limit is its workflow's to keep.
    timeoutMs: Infinity,
    // The compiler has seen that its input fits; what it gives becomes plain JSON.
    decide: async ({ input, signal, context }) =>
      answer(toJson(await work(input as never, { signal, context }))),
  });
