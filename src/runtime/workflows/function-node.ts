import * as z from 'zod';
import { answer } from '../../contracts/agents/decision.ts';
import type { Json } from '../../base/json/json.ts';
import { requireJson } from '../../base/json/odd-value.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
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
    // The compiler checked the type of its input.
    decide: async ({ input, signal, context }) =>
      answer(plainResult(id, await work(input as never, { signal, context }))),
  });

/** A result is recorded as it is; that of a function without one is null. */
const plainResult = (id: string, result: unknown): Json =>
  requireJson(result ?? null, 'its result', (problem) => {
    return new TroupeError(
      'output.invalid',
      `Cannot use what the function of the node '${id}' returned as ${problem}`,
    );
  });
