import type { ErrorCategory } from './error-category.ts';
import { categoryOf } from './error-category.ts';
import type { ErrorCode, ErrorData } from './error.ts';

const byCode: Readonly<Partial<Record<ErrorCode, string>>> = {
  'model.auth': 'Set a valid API key for this provider.',
  'model.forbidden': 'Ask the provider for access to this model, or name another one.',
  'model.not-found': 'Check the name of the model and the address of the provider.',
  'model.quota': 'Raise the quota at the provider, or come back when it is renewed.',
  'model.rate-limited': 'Lower `concurrency`, or raise `retry.maxWaitMs`.',
  'model.timeout': 'Raise `retry.attemptTimeoutMs`, or ask for less at a time.',
  'model.idle': 'Raise `retry.idleTimeoutMs`, or name a model to fall back to.',
  'model.context-overflow': 'Shorten the conversation: give the agent processors or a memory.',
  'model.missing': 'Give the agent a `model`, or a `decide` of its own.',
  'output.truncated': 'Raise `settings.maxOutputTokens`, or ask for less.',
  'tool.ambiguous': 'Look whether the tool did its work before it is tried again.',
  'message.undelivered': 'Look who is there to take it, and raise `mailbox.capacity` where there is no room.',
  'message.timeout':
    'Give it more time (`timeoutMs`), or say what is to be taken for the answer (`otherwise`).',
  'wait.deadlock': 'Have one of them answer first, or ask somebody who does not wait for it.',
  'request.unknown': 'List the open requests of the run, and answer one of them.',
  'request.answered': 'Resume the run if it is not running: it takes the answer in.',
  'request.expired': 'Give people more time (`requests.expireAfterMs`), and run it again.',
  'journal.held': 'Wait until the process that has the run is done with it, or stop it.',
  'journal.package-missing':
    'Install the package that the message names, or use a Node that has its own SQLite.',
  'journal.full': 'Make room where the store is, then resume the run.',
  'journal.corrupt': 'Fork the run at its last good row, or restore the store from a copy.',
  'journal.diverged': 'Resume the run with the agents that it was begun with.',
  'engine.full': 'Come back when some of the runs are done, or raise `admission.queue`.',
  'resource.open': 'Wait until one call is let through to try it, or name a model to fall back to.',
  'resource.busy': 'Come back later, raise the limit, or have it wait for longer (`waitMs`).',
  'lock.busy': 'Raise `waitMs`, or have whoever holds the lock let go of it sooner.',
  'lock.lost': 'Raise `leaseMs`, or renew the lock while the work goes on.',
  'workflow.reference': 'Refer to a field that the node named does give.',
  'inspector.page-missing': 'Build the package, or install esbuild beside it.',
  'agent.timeout': 'Raise `timeoutMs` of the agent, or make its function come back sooner.',
};

const byCategory: Readonly<Record<ErrorCategory, string>> = {
  model: 'Try again later, or name a model to fall back to.',
  parse: 'Say more plainly what the answer has to look like, or use a stronger model.',
  tool: 'Look at what the tool was given and at what it said.',
  state: 'Mend the reducer or the rule: it has to be pure and total.',
  task: "Look at the input and at the agent's own functions.",
  env: 'Look whether the environment is there and answers.',
  system: 'Report it, with the error and its id.',
  budget: 'Raise the budget, or ask for less.',
  policy: 'Have the call allowed, or the agent do without it.',
  coordination: 'Look at the members of the team and at their names.',
};

/**
 * What a person may do about an error, in a sentence.
 *
 * @example
 * adviceOn({ code: 'model.auth' }) // => 'Set a valid API key for this provider.'
 */
export const adviceOn = (error: Pick<ErrorData, 'code' | 'phase'>): string =>
  byCode[error.code] ?? byCategory[categoryOf(error)];
