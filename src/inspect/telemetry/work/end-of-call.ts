import { isJsonObject } from '../../../base/json/json.ts';
import type { ErrorData } from '../../../contracts/errors/error-data.ts';
import type { EventOf, LiveEvent } from '../../../contracts/events/event.ts';
import type { RunStatus } from '../../../contracts/runs/run-status.ts';
import type { Actor } from './followed-run.ts';
import { toolOf, waitOf } from './followed-run.ts';
import type { WorkEnd } from './work.ts';

/** A call that an event ends, with its key in its actor. */
interface EndedCall {
  readonly key: string;
  readonly end: WorkEnd;
}

/** The codes with which a run leaves its process: it has not failed, and continues in another one. */
const leaving: ReadonlySet<string> = new Set([
  'run.suspended',
  'journal.held',
  'journal.failed',
  'journal.diverged',
  'tool.missing',
]);

/** Maps the end of an actor; a run that has left its process has not failed. */
export const outcomeOf = (status: RunStatus, error: ErrorData | undefined): WorkEnd['outcome'] => {
  if (status === 'aborted' || (error !== undefined && leaving.has(error.code))) return 'unfinished';
  return status === 'failed' ? 'failed' : 'done';
};

/** Returns the call of an actor that an event ends, with its outcome. */
export const endOfCall = (actor: Actor, event: LiveEvent): EndedCall | undefined => {
  const { at } = event;
  const failed = (key: string | undefined, error: ErrorData): EndedCall | undefined =>
    key === undefined ? undefined : { key, end: { at, outcome: 'failed', error, by: event } };
  switch (event.type) {
    case 'model.answered':
      return { key: event.key, end: { at, outcome: 'done', by: event } };
    case 'model.failed':
      return failed(event.key, event.error);
    case 'model.retrying':
    case 'model.fell-back':
      return failed(failedCall(actor, event), event.error);
    case 'tool.denied':
      return failed(waitOf(event.callId), deniedError(event.tool));
    case 'tool.finished': {
      const outcome = isLeft(event) ? 'unfinished' : event.ok ? 'done' : 'failed';
      return { key: toolOf(event.callId), end: { at, outcome, error: event.error, by: event } };
    }
    default:
      return undefined;
  }
};

/** Checks whether a call is cut off only here, as its run leaves this process. */
const isLeft = ({ synthesised, error }: EventOf<'tool.finished'>): boolean =>
  synthesised === true && isJsonObject(error?.details) && 'left' in error.details;

/** Returns the key of a failed call: its error's id, if that is a call's key; else the last one of that model. */
const failedCall = (
  actor: Actor,
  event: EventOf<'model.retrying' | 'model.fell-back'>,
): string | undefined => {
  const { errorId = '' } = event.error;
  if (actor.calls.has(errorId)) return errorId;
  const model = event.type === 'model.retrying' ? event.model : event.from;
  return [...actor.calls].findLast(([, { kind, name }]) => kind === 'model' && name === model)?.[0];
};

/** No event reports the end of a denied call: it never started. */
const deniedError = (tool: string): ErrorData => ({
  code: 'tool.denied',
  message: `Cannot run '${tool}' as it was denied`,
  retryable: 'no',
});
