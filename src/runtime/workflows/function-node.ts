import * as z from 'zod';
import { answer } from '../../contracts/agents/decision.ts';
import { toJson } from '../../base/json/json.ts';
import { agentDefinition } from '../define/define-agent.ts';
import type { Definition } from '../define/definition.ts';
import type { NodeFunction } from './workflow-builder.ts';

/**
 * A function as a member of a workflow: an agent whose `decide` calls it once.
 *
 * So it is an effect like any other: it may be asynchronous, and its answer is recorded and survives a crash.
 */
export const functionNode = (id: string, work: NodeFunction<never, unknown>): Definition =>
  agentDefinition({
    name: id,
    description: `The function of the node '${id}'.`,
    input: z.json(),
    limits: { loops: false },
    // The workflow enforces the node's own time limit.
    failures: { timeoutMs: Infinity },
    // The compiler checked the type of its input; its result becomes plain JSON.
    decide: async ({ input, signal, context }) =>
      answer(toJson(await work(input as never, { signal, context }))),
  });
