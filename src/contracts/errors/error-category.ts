import type { ErrorCode, ErrorData } from './error-data.ts';

/** The area of an error, which suggests where to look for a remedy. */
export type ErrorCategory =
  | 'model'
  | 'parse'
  | 'tool'
  | 'state'
  | 'task'
  | 'env'
  | 'system'
  | 'budget'
  | 'policy'
  | 'coordination';

type Noun = ErrorCode extends infer Code ? (Code extends `${infer First}.${string}` ? First : Code) : never;

/** By the noun of the code: a new noun needs an entry. */
const byNoun: Readonly<Record<Noun, ErrorCategory>> = {
  agent: 'task',
  input: 'task',
  content: 'task',
  task: 'task',
  environment: 'env',
  output: 'parse',
  decision: 'parse',
  model: 'model',
  script: 'model',
  tool: 'tool',
  acp: 'tool',
  mcp: 'tool',
  skill: 'tool',
  team: 'coordination',
  handoff: 'coordination',
  workflow: 'coordination',
  member: 'coordination',
  message: 'coordination',
  wait: 'coordination',
  routing: 'coordination',
  budget: 'budget',
  limit: 'budget',
  machine: 'system',
  run: 'system',
  engine: 'system',
  resource: 'system',
  lock: 'coordination',
  memory: 'state',
  thread: 'state',
  documents: 'tool',
  trace: 'system',
  publishing: 'system',
  session: 'system',
  journal: 'system',
  guardrail: 'policy',
  request: 'policy',
  policy: 'policy',
  secret: 'policy',
  inspector: 'system',
  schedule: 'task',
  stream: 'system',
  server: 'policy',
  command: 'task',
  telemetry: 'system',
  internal: 'system',
};

/** Codes whose category differs from that of their noun. */
const byCode: Readonly<Partial<Record<ErrorCode, ErrorCategory>>> = {
  'agent.duplicate': 'coordination',
  'agent.unknown': 'coordination',
  'model.malformed': 'parse',
  'model.empty': 'parse',
  'model.quota': 'budget',
  'tool.denied': 'policy',
};

/** Category of an error in an agent's own function, by the phase in which it was called. */
const byPhase: Readonly<Record<string, ErrorCategory>> = {
  OBSERVE: 'env',
  ACT: 'tool',
  REDUCE: 'state',
  CHECK_STOP: 'state',
};

/**
 * Returns the category of an error, from its code alone; errors of an agent's own functions (`agent.threw`,
 * `agent.timeout`) are classified by phase: the environment in OBSERVE, the state in REDUCE and CHECK_STOP.
 *
 * @example
 * categoryOf({ code: 'model.rate-limited' }) // => 'model'
 * categoryOf({ code: 'agent.threw', phase: 'REDUCE' }) // => 'state'
 */
export const categoryOf = ({ code, phase = '' }: Pick<ErrorData, 'code' | 'phase'>): ErrorCategory =>
  (code === 'agent.threw' || code === 'agent.timeout' ? byPhase[phase] : undefined) ??
  byCode[code] ??
  // The part before the first point is a noun: the type of the table guarantees it.
  byNoun[code.split('.', 1)[0] as Noun];
