import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import { isEndPhase } from './agent-progress.ts';

interface OpenRequest {
  readonly path: string;
  /** The call that asks, or is asked about. */
  readonly callId?: string | undefined;
}

type ToolEvent = Pick<EventOf<'tool.started'>, 'runId' | 'path' | 'callId' | 'tool'>;

interface OpenCall {
  readonly path: string;
  readonly callId: string;
}

/** Identifies a call among those of all runs: ids of the runtime are unique within one agent of one run. */
export const callKeyOf = ({ runId, path, callId }: Omit<ToolEvent, 'tool'>): string =>
  `${runId}/${path}#${callId}`;

/**
 * Owns what is under way in a run, as far as its events tell: model calls, tool calls without a result, requests to people.
 *
 * I1  A run waits for people if a request is open, no model is asked, and each call without a result waits for a request: its
 *     own, or one of an agent that it runs.
 */
export class OpenWork {
  readonly #calls = new Map<string, OpenCall>();
  readonly #requests = new Map<string, OpenRequest>();
  /** By key, the path of the agent that asks. */
  readonly #models = new Map<string, string>();

  /** Notes an event. */
  take(event: LiveEvent): void {
    switch (event.type) {
      case 'model.asked':
        this.#models.set(event.key, event.path);
        break;
      case 'model.answered':
      case 'model.discarded':
      case 'model.interrupted':
      case 'model.failed':
        this.#models.delete(event.key);
        break;
      case 'tool.requested':
      case 'tool.started':
        this.#calls.set(callKeyOf(event), event);
        break;
      case 'tool.finished':
        this.#calls.delete(callKeyOf(event));
        break;
      case 'tool.denied':
        this.#calls.delete(callKeyOf(event));
        if (event.id !== undefined) this.#requests.delete(event.id);
        break;
      case 'person.asked':
      case 'tool.approval-requested':
      case 'tool.ambiguous':
        this.#requests.set(event.id, event);
        break;
      case 'tool.approved':
      case 'person.answered':
      case 'request.withdrawn':
        this.#requests.delete(event.id);
        break;
      case 'phase.entered':
        // A call that was withdrawn has no end of its own.
        if (isEndPhase(event.phase)) this.#leave(event.path);
        break;
      default:
    }
  }

  /** Checks whether the run does nothing but wait for people. */
  get isWaiting(): boolean {
    if (this.#requests.size === 0 || this.#models.size > 0) return false;
    const requests = [...this.#requests.values()];
    return [...this.#calls.values()].every(({ path, callId }) =>
      requests.some(
        (request) =>
          (request.path === path && request.callId === callId) || request.path.startsWith(`${path}/`),
      ),
    );
  }

  /** The calls without a result, by {@link callKeyOf}. */
  get calls(): ReadonlyMap<string, OpenCall> {
    return this.#calls;
  }

  /** Forgets all calls without a result. */
  forgetCalls(): void {
    this.#calls.clear();
  }

  #leave(path: string): void {
    for (const [key, of] of this.#models)
      if (of === path || of.startsWith(`${path}/`)) this.#models.delete(key);
  }
}
