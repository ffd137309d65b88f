import { emptyTally } from '../../src/contracts/agents/tally.ts';
import type { Critique } from '../../src/contracts/agents/critique.ts';
import type { TakenDecision } from '../../src/contracts/agents/decision.ts';
import type { ErrorData } from '../../src/contracts/errors/error-data.ts';
import { emptyHistory } from '../../src/base/collections/history.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { ToolFailure, ToolResult } from '../../src/contracts/tools/tool-result.ts';
import type {
  Acted,
  AgentInput,
  Critiqued,
  Decided,
  Prepared,
  Trouble,
} from '../../src/machines/agent/agent-context.ts';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import type { AgentEvent } from '../../src/machines/agent/agent-setup.ts';
import type { PlannedCall } from '../../src/machines/agent/call-plan.ts';
import type { Recovered } from '../../src/machines/recovery/recovery.ts';
import type { Rules } from '../../src/machines/rules.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import type { PortAnswers, Walk, WalkStep } from '../../src/testing/walk.ts';
import { walk } from '../../src/testing/walk.ts';

/** One step of a walk of the agent's machine. */
export type Step = WalkStep<typeof agentMachine>;

export const agentInput = (changes: Partial<AgentInput> = {}): AgentInput => ({
  runId: 'run-1',
  path: 'ada',
  agent: 'ada',
  observes: false,
  critics: 'none',
  maxRejections: 2,
  toolConcurrency: 4,
  models: 1,
  input: 'What is 40 + 2?',
  state: {},
  history: emptyHistory(),
  at: 1_000,
  ...changes,
});

export const prepared = (changes: Partial<Prepared> = {}): Prepared => ({
  problems: [],
  input: 'What is 40 + 2?',
  prompt: 'What is 40 + 2?',
  models: 1,
  ...changes,
});

/** The machine is told that everything is in place. */
export const ready: Step = { prepare: () => prepared() };

export const problem = (message: string): ErrorData => ({ code: 'input.invalid', message, retryable: 'no' });

/** A decision that stands. */
export type Stands = Extract<Decided, { kind: 'decided' }>;

export const deciding = (decision: TakenDecision): Stands => ({ kind: 'decided', decision });

export const saying = (answer: Json): Stands => deciding({ kind: 'answer', answer });

/** `name!` is a tool that runs alone. */
export const calling = (...names: readonly string[]): Stands => {
  const calls: readonly PlannedCall[] = names.map((name, index) => ({
    id: `call_${index}`,
    name: name.replace('!', ''),
    input: null,
    exclusive: name.endsWith('!'),
  }));
  const chosen = calls.map(({ name, input }) => ({ name, input }));
  return { kind: 'decided', decision: { kind: 'act', calls: chosen }, calls };
};

/** A turn that cannot stand; `problem` where too many of them end the run. */
export const again = (found?: ErrorData): Decided => ({
  kind: 'again',
  turn: { role: 'assistant', text: '{' },
  note: 'That was no JSON.',
  usage: { input: 3, output: 1 },
  ...(found === undefined ? {} : { problem: found }),
});

export const refusing: Decided = {
  kind: 'refused',
  text: 'I would rather not.',
  usage: { input: 1, output: 1 },
};

export const trouble = (changes: Partial<Trouble> = {}): Trouble => ({
  kind: 'trouble',
  index: 0,
  attempt: 1,
  waitMs: 100,
  error: { code: 'model.unavailable', message: 'Cannot answer as the model is down: 503', retryable: 'yes' },
  ...changes,
});

export const success = (text = 'fine', changes: Partial<ToolResult> = {}): ToolResult => ({
  ok: true,
  callId: 'call_0',
  tool: 'look',
  text,
  value: text,
  durationMs: 1,
  attempts: 1,
  ...(changes as object),
});

export const failure = (
  kind: ToolFailure['kind'] = 'execution',
  code: ErrorData['code'] = 'tool.failed',
): ToolFailure => ({
  ok: false,
  kind,
  callId: 'call_0',
  tool: 'look',
  text: 'Error: it broke.',
  durationMs: 1,
  attempts: 1,
  error: { code, message: 'it broke', retryable: 'no' },
});

export const resulting = (result: ToolResult = success()): Acted => ({ kind: 'result', result });

export const judging = (verdict: Critique): Critiqued => ({
  critiques: [{ critic: 'critic', ...verdict }],
  verdict,
});
export const accept: Critique = { verdict: 'accept' };
export const revise: Critique = { verdict: 'revise', note: 'Say why.' };
export const halt: Critique = { verdict: 'stop', note: 'This leads nowhere.' };

export const decide = (output: Decided): Step => ({ decide: () => output });
export const act = (result?: ToolResult): Step => ({ act: () => resulting(result) });
export const judge = (verdict: Critique): Step => ({ critique: () => judging(verdict) });
export const look = (seen?: Json): Step => ({
  observe: () => (seen === undefined ? {} : { observation: seen }),
});
export const wake: Step = { wake: () => undefined };
export const say = (text: string, at = 2_000): Step => ({
  type: 'message',
  at,
  message: { from: 'bob', text },
});
/** Work is given away: the `index`-th of the walk. */
export const giving = (index: number): Step =>
  act(
    success('given', {
      control: {
        type: 'delegate',
        id: `bob-${index}`,
        to: 'bob',
        task: 'x',
        beforeEnd: 'wait',
        gatherMs: 100,
      },
    }),
  );
/** It comes back. */
export const back = (index: number): Step => ({
  type: 'answered.delegate',
  at: 2_000,
  index,
  path: `${agentInput({}).path}/bob-${index}`,
  output: {
    status: 'completed',
    stopReason: { kind: 'answered' },
    output: 'done',
    steps: 1,
    state: {},
    tally: emptyTally(0),
  },
});
export const abort: Step = { type: 'abort', at: 3_000, reason: 'enough' };
export const expire: Step = { type: 'expired', at: 3_000, reason: { kind: 'maxTime', limitMs: 1_000 } };
export const break_ = (
  port: string,
  index = 0,
  code: ErrorData['code'] = 'internal',
  phase = 'DECIDE',
): Step => ({
  type: `failed.${port}`,
  at: 3_000,
  index,
  error: { code, message: `Cannot ${port} as it broke: boom`, retryable: 'no', phase },
});
export const recover = (said: Recovered): Step => ({ recover: () => said });
/** An answer to one call, by its place, whether or not anybody asked. */
export const answered = (
  index: number,
  output: Acted = resulting(success(`result ${index}`)),
): AgentEvent => ({
  type: 'answered.act',
  at: 2_000,
  index,
  output,
});

export const rules = (changes: Partial<Rules> = {}): Rules => ({ stop: [maxSteps(20)], ...changes });

/** Walks the agent's machine. */
export const agentWalk = (
  steps: readonly Step[] | PortAnswers,
  changes: Partial<AgentInput> = {},
  inForce: Rules = rules(),
): Walk<typeof agentMachine> => walk(agentMachine, agentInput(changes), steps, inForce);
