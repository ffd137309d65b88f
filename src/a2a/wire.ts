import type { Role, TaskState } from '@a2a-js/sdk';

/** The states of a task, by the numbers that the package has for them: so they are known before it is loaded. */
export const STATE = {
  submitted: 1,
  working: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  inputRequired: 6,
  rejected: 7,
  authRequired: 8,
} as const satisfies Readonly<Record<string, TaskState>>;

/** The roles of a message. */
export const ROLE = { user: 1, agent: 2 } as const satisfies Readonly<Record<string, Role>>;

/** The version of the protocol that is spoken. */
export const VERSION = '1.0';
/** The header of a request that says which version it is of. */
export const VERSION_HEADER = 'a2a-version';
/** The bindings that are spoken, the preferred first: both at the address of the agent. */
export const BINDING = { rpc: 'JSONRPC', rest: 'HTTP+JSON' } as const;
/** The place of a card, below the address of its agent. */
export const CARD_PATH = '.well-known/agent-card.json';
/** The extension by which a card has the JSON Schemas of its agent. */
export const SCHEMAS_URI = 'urn:troupe:a2a:schemas';

/** True for a task that changes no more. */
export const isTerminal = (state: TaskState): boolean =>
  state === STATE.completed || state === STATE.failed || state === STATE.canceled || state === STATE.rejected;

/** True for a task that continues only after somebody did something. */
export const isInterrupted = (state: TaskState): boolean =>
  state === STATE.inputRequired || state === STATE.authRequired;
