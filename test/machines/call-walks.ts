import type { AgentContext, Trouble } from '../../src/machines/agent/agent-context.ts';
import type { ModelCallInput } from '../../src/machines/model-call/model-call-context.ts';
import { modelCallMachine } from '../../src/machines/model-call/model-call-machine.ts';
import type { ToolCallInput } from '../../src/machines/tool-call/tool-call-context.ts';
import { toolCallMachine } from '../../src/machines/tool-call/tool-call-machine.ts';
import type { Walk, WalkStep } from '../../src/testing/walk.ts';
import { walk } from '../../src/testing/walk.ts';
import { agentWalk, calling, decide, ready, trouble } from './agent-walks.ts';

export type ModelStep = WalkStep<typeof modelCallMachine>;
export type ToolStep = WalkStep<typeof toolCallMachine>;

const deciding = (models: number): AgentContext => {
  const { context } = agentWalk([ready]);
  return { ...context, run: { ...context.run, models } };
};

export const modelCallInput = (changes: Partial<Trouble> = {}, models = 1): ModelCallInput => ({
  runId: 'run-1',
  path: 'ada/~model-0',
  agent: 'ada',
  context: deciding(models),
  trouble: trouble(changes),
});

export const toolCallInput = (changes: Partial<Trouble> = {}): ToolCallInput => ({
  runId: 'run-1',
  path: 'ada/~call_0',
  agent: 'ada',
  context: agentWalk([ready, decide(calling('look'))]).context,
  call: { id: 'call_0', name: 'look', input: null, exclusive: false },
  trouble: trouble(changes),
});

/** Walks a model call that met trouble. */
export const modelWalk = (
  steps: readonly ModelStep[],
  changes: Partial<Trouble> = {},
  models = 1,
): Walk<typeof modelCallMachine> => walk(modelCallMachine, modelCallInput(changes, models), steps);

/** Walks a tool call that met trouble. */
export const toolWalk = (
  steps: readonly ToolStep[],
  changes: Partial<Trouble> = {},
): Walk<typeof toolCallMachine> => walk(toolCallMachine, toolCallInput(changes), steps);

export const abortCall = { type: 'abort', at: 3_000, reason: 'enough' } as const;
export const breakCall = {
  type: 'failed.model',
  at: 3_000,
  error: { code: 'internal', message: 'Cannot ask the model as it broke: boom', retryable: 'no' },
} as const;
