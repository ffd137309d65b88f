import type { Json } from '../../base/json/json.ts';
import type { Usage } from '../models/usage.ts';

/** Every way in which troupe fails, by noun. A caller branches on the code, never on the message. */
export const errorCodes = [
  'agent.invalid',
  'agent.duplicate',
  'agent.unknown',
  'agent.threw',
  'agent.stopped',
  'agent.timeout',
  'input.invalid',
  'content.invalid',
  'content.refused',
  'content.too-large',
  'content.missing',
  'task.invalid',
  'environment.unfit',
  'output.invalid',
  'output.truncated',
  'decision.invalid',
  'routing.required',
  'routing.refused',
  'model.unknown',
  'model.missing',
  'model.package-missing',
  'model.auth',
  'model.forbidden',
  'model.not-found',
  'model.bad-request',
  'model.quota',
  'model.rate-limited',
  'model.unavailable',
  'model.network',
  'model.timeout',
  'model.idle',
  'model.malformed',
  'model.empty',
  'model.refused',
  'model.context-overflow',
  'model.content-filter',
  'model.content-refused',
  'model.failed',
  'script.exhausted',
  'script.unconsumed',
  'tool.invalid',
  'tool.duplicate',
  'tool.unknown',
  'tool.missing',
  'tool.input-invalid',
  'tool.failed',
  'tool.timeout',
  'tool.denied',
  'tool.cancelled',
  'tool.ambiguous',
  'tool.setup',
  'acp.package-missing',
  'acp.unavailable',
  'acp.auth',
  'acp.protocol',
  'acp.lost',
  'acp.failed',
  'mcp.package-missing',
  'mcp.unavailable',
  'mcp.lost',
  'mcp.auth',
  'mcp.protocol',
  'mcp.changed',
  'mcp.expired',
  'tool.package-missing',
  'team.invalid',
  'workflow.invalid',
  'workflow.reference',
  'workflow.failed',
  'team.escalated',
  'member.timed-out',
  'handoff.refused',
  'message.invalid',
  'message.refused',
  'message.undelivered',
  'message.timeout',
  'wait.deadlock',
  'budget.invalid',
  'budget.unpriced',
  'budget.spent',
  'limit.reached',
  'machine.invalid',
  'machine.threw',
  'session.lost',
  'journal.exists',
  'journal.unknown',
  'journal.held',
  'journal.moved',
  'journal.fenced',
  'journal.conflict',
  'journal.busy',
  'journal.full',
  'journal.read-only',
  'journal.corrupt',
  'journal.version',
  'journal.diverged',
  'journal.package-missing',
  'journal.failed',
  'journal.point-unknown',
  'thread.exists',
  'thread.unknown',
  'thread.version',
  'thread.corrupt',
  'thread.invalid',
  'request.unknown',
  'request.answered',
  'request.expired',
  'request.forbidden',
  'policy.invalid',
  'policy.missing',
  'policy.package-missing',
  'secret.missing',
  'secret.invalid',
  'secret.wrong-key',
  'run.aborted',
  'run.ended',
  'run.duplicate',
  'run.suspended',
  'engine.invalid',
  'engine.closed',
  'engine.full',
  'engine.resource-failed',
  'resource.invalid',
  'resource.open',
  'resource.busy',
  'resource.closed',
  'guardrail.blocked',
  'lock.busy',
  'lock.lost',
  'memory.failed',
  'memory.read-only',
  'memory.unreadable',
  'documents.unreadable',
  'skill.invalid',
  'skill.unreadable',
  'inspector.failed',
  'inspector.package-missing',
  'trace.unreadable',
  'inspector.page-missing',
  'publishing.invalid',
  'publishing.failed',
  'publishing.overflow',
  'publishing.package-missing',
  'schedule.invalid',
  'schedule.unknown',
  'schedule.full',
  'schedule.package-missing',
  'stream.invalid',
  'stream.refused',
  'server.refused',
  'command.usage',
  'telemetry.package-missing',
  'internal',
] as const;

/** One code for each kind of failure; see {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/** The prospect of a retry: `maybe` once and with something changed, `no` never. */
export type Retryable = 'yes' | 'maybe' | 'no';

/** An error as data: contexts, events and journals hold this in place of an `Error`. */
export type ErrorData = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: Retryable;
  /** The delay that the other side asked for, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** HTTP status, where there was one. */
  readonly status?: number | undefined;
  readonly runId?: string | undefined;
  readonly path?: string | undefined;
  readonly phase?: string | undefined;
  readonly step?: number | undefined;
  /** The port or the function that failed: `decide`, `act`, `reduce` … */
  readonly operation?: string | undefined;
  readonly tool?: string | undefined;
  /** The effect (and so the attempt) that failed: equal wherever this very error is reported. */
  readonly errorId?: string | undefined;
  /** The underlying error. */
  readonly cause?: ErrorCause | undefined;
  /** Tokens that were used in vain. */
  readonly spent?: Usage | undefined;
  readonly details?: Json | undefined;
};

/** The cause of an error, with its own cause in turn: at most five deep. */
export type ErrorCause = {
  readonly name: string;
  readonly message: string;
  readonly cause?: ErrorCause | undefined;
};
