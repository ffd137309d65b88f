import type { ErrorCategory } from './error-category.ts';
import { categoryOf } from './error-category.ts';
import type { ErrorCode, ErrorData } from './error-data.ts';

/** Of errors that may end an agent, and whose messages do not say themselves what to do. */
const byCode: Readonly<Partial<Record<ErrorCode, string>>> = {
  'model.auth': 'Set a valid API key for this provider.',
  'model.forbidden': 'Ask the provider for access, or name another model.',
  'model.not-found': "Check the model's name and the provider's address.",
  'model.quota': 'Raise the quota at the provider, or wait until it is renewed.',
  'model.rate-limited': 'Lower `concurrency`, or raise `failures.retry.maxWaitMs`.',
  'model.timeout': 'Raise `failures.retry.attemptTimeoutMs`, or ask for less at a time.',
  'model.idle': 'Raise `failures.retry.idleTimeoutMs`, or name a model to fall back to.',
  'model.context-overflow': 'Shorten the conversation: give the agent processors or a memory.',
  'content.too-large': 'Send less, or raise the limits of the run (`content.maxBytes`, `content.maxPixels`).',
  'model.missing': 'Give the agent a `model`, or a `decide` of its own.',
  'output.truncated': 'Raise `settings.maxOutputTokens`, or ask for less.',
  'tool.ambiguous': 'Check whether the tool did its work before you retry it.',
  'skill.invalid': 'Correct the SKILL.md that the message names, or leave the skill out by `only`.',
  'message.undelivered': 'Check that the receiver is running, or raise `mailbox.capacity`.',
  'message.timeout': 'Give it more time (`timeoutMs`), or a default answer (`otherwise`).',
  'wait.deadlock': 'Have one of them answer first, or ask an agent that is not waiting for this one.',
  'resource.open': 'Wait for the circuit breaker, or name a model to fall back to.',
  'resource.busy': 'Try again later, raise the limit, or let it wait longer (`waitMs`).',
  'guardrail.blocked': 'Change what was given, or the guard that the message names.',
  'lock.busy': 'Raise `waitMs`, or release the lock sooner.',
  'lock.lost': 'Raise `leaseMs`, or renew the lock during the work.',
  'agent.timeout': 'Raise `failures.timeoutMs` of the agent, or make its function faster.',
};

const OF_A_MEMORY = 'Check the memory, its files and its embedder: the run went on without it.';

const byOperation: ReadonlyMap<string, string> = new Map(
  ['open', 'recall', 'remember', 'release'].map((work) => [work, OF_A_MEMORY]),
);

const byCategory: Readonly<Record<ErrorCategory, string>> = {
  model: 'Try again later, or name a model to fall back to.',
  parse: 'Describe the answer more plainly, or use a stronger model.',
  tool: 'Check the input and the output of the tool.',
  state: 'Fix the reducer or the rule: it must be pure and total.',
  task: "Check the input and the agent's own functions.",
  env: 'Check that the environment is reachable.',
  system: 'Report it, with the error and its id.',
  budget: 'Raise the budget, or ask for less.',
  policy: 'Allow the call, or tell the agent to work without it.',
  coordination: 'Check the members of the team and their names.',
};

/**
 * Returns a sentence on how a person can fix an error.
 *
 * @example
 * adviceOn({ code: 'model.auth' }) // => 'Set a valid API key for this provider.'
 */
export const adviceOn = (error: Pick<ErrorData, 'code' | 'phase' | 'operation'>): string =>
  byCode[error.code] ?? byOperation.get(error.operation ?? '') ?? byCategory[categoryOf(error)];
