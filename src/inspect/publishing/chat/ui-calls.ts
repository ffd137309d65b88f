import type { EventOf, LiveEvent } from '../../../contracts/events/event.ts';
import { isEndPhase } from '../../../events/progress/agent-progress.ts';
import { uiCallId } from './ui-chunk.ts';

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

/**
 * Owns what is under way in a run, as far as its events tell: model calls, tool calls without a result, requests to people.
 *
 * I1  A run waits for people if a request is open, no model is asked, and each call without a result waits for a request: its
 *     own, or one of an agent that it runs.
 */
export class UiCalls {
  /** The calls that the client has been sent, of those whose result may come. */
  readonly #shown = new Set<string>();
  readonly #open = new Map<string, OpenCall>();
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
        this.#open.set(idOf(event), event);
        break;
      case 'tool.finished':
        this.#open.delete(idOf(event));
        break;
      case 'tool.denied':
        this.#open.delete(idOf(event));
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
    return [...this.#open.values()].every(({ path, callId }) =>
      requests.some(
        (request) =>
          (request.path === path && request.callId === callId) || request.path.startsWith(`${path}/`),
      ),
    );
  }

  /** Checks whether no call of the message is without a result, but for `own`, and those that run the agent at `path`. */
  isFreeAt(path: string, own?: string): boolean {
    return [...this.#open].every(([id, call]) => id === own || path.startsWith(`${call.path}/`));
  }

  /** Notes that the client is sent a call; false if it has it. */
  show(toolCallId: string): boolean {
    if (this.#shown.has(toolCallId)) return false;
    this.#shown.add(toolCallId);
    return true;
  }

  /** The client has exactly these calls. */
  rejoin(toolCallIds: Iterable<string>): void {
    this.#shown.clear();
    for (const each of toolCallIds) this.#shown.add(each);
  }

  /** Forgets all calls without a result, and returns the ids of those that the client has. */
  takeOpen(): readonly string[] {
    const ids = [...this.#open.keys()].filter((id) => this.#shown.has(id));
    this.#open.clear();
    return ids;
  }

  #leave(path: string): void {
    for (const [key, of] of this.#models)
      if (of === path || of.startsWith(`${path}/`)) this.#models.delete(key);
  }
}

const idOf = ({ runId, path, callId }: ToolEvent): string => uiCallId(runId, path, callId);
