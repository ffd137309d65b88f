import type { ErrorData } from '../../contracts/error.ts';
import type { EventOf, LiveEvent } from '../../contracts/event.ts';
import type { RunStatus } from '../../contracts/run.ts';
import type { Actor } from './followed-run.ts';
import { toolOf, waitOf } from './followed-run.ts';
import type { WorkEnd } from './work.ts';

/** A call that an event says is over, by what its actor knows it by. */
interface EndedCall {
  readonly key: string;
  readonly end: WorkEnd;
}

/** How an actor ended; a run that was suspended is to be gone on with, and has not failed. */
export const outcomeOf = (status: RunStatus, error: ErrorData | undefined): WorkEnd['outcome'] => {
  if (status === 'aborted' || error?.code === 'run.suspended') return 'unfinished';
  return status === 'failed' ? 'failed' : 'done';
};

/** Which call of an actor an event ends, and how. */
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
    case 'model.fellBack':
      return failed(failedCall(actor, event), event.error);
    case 'tool.denied':
      return failed(waitOf(event.callId), deniedError(event.tool));
    case 'tool.finished': {
      const outcome = event.ok ? 'done' : 'failed';
      return { key: toolOf(event.callId), end: { at, outcome, error: event.error, by: event } };
    }
    default:
      return undefined;
  }
};

/** Which call it was that failed: its error has the call's key for an id; else the last one of that model. */
const failedCall = (
  actor: Actor,
  event: EventOf<'model.retrying' | 'model.fellBack'>,
): string | undefined => {
  const { errorId = '' } = event.error;
  if (actor.calls.has(errorId)) return errorId;
  const model = event.type === 'model.retrying' ? event.model : event.from;
  return [...actor.calls].findLast(([, { kind, name }]) => kind === 'model' && name === model)?.[0];
};

/** No event says how a call ended that was denied: it never began. */
const deniedError = (tool: string): ErrorData => ({
  code: 'tool.denied',
  message: `Cannot run '${tool}' as it was denied`,
  retryable: 'no',
});
