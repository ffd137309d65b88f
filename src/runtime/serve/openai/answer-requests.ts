import type { EventOf, LiveEvent } from '../../../contracts/events/event.ts';
import type { ClientCall, PersonAsked } from './answer-piece.ts';
import { callIdFor } from './wire-ids.ts';

type Asked = EventOf<'tool.approval-requested' | 'tool.ambiguous' | 'person.asked'>;

/** The request that an event ends the wait for; undefined if it ends none. */
export const findAnswered = (event: LiveEvent): string | undefined => {
  switch (event.type) {
    case 'tool.approved':
    case 'tool.denied':
    case 'person.answered':
    case 'request.withdrawn':
      return event.id;
    default:
      return undefined;
  }
};

/** Owns the open requests of a run: to the client, for calls that it runs, and to people. */
export class AnswerRequests {
  /** The names of the tools that were added to the root of the run: those of the client. */
  readonly #clientTools = new Set<string>();
  /** The client's calls by their id, as far as the root has made them. */
  readonly #calls = new Map<string, ClientCall>();
  readonly #open = new Map<string, Asked>();

  /** Notes an event. */
  take(event: LiveEvent, root: string): void {
    const answered = findAnswered(event);
    if (answered !== undefined) this.#open.delete(answered);
    switch (event.type) {
      case 'tool.added':
        if (event.path === root) this.#clientTools.add(event.tool);
        break;
      case 'tool.requested':
        if (event.path === root && this.#clientTools.has(event.tool))
          this.#calls.set(event.callId, {
            id: callIdFor(event.runId, event.callId),
            name: event.tool,
            arguments: JSON.stringify(event.input),
          });
        break;
      case 'tool.approval-requested':
      case 'tool.ambiguous':
      case 'person.asked':
        this.#open.set(event.id, event);
        break;
      default:
    }
  }

  /** The calls that the client is to run. */
  calls(root: string): readonly ClientCall[] {
    return [...this.#open.values()].flatMap((asked) => this.#callOf(asked, root) ?? []);
  }

  /** The open requests to people. */
  people(root: string): readonly PersonAsked[] {
    return [...this.#open.values()]
      .filter((asked) => this.#callOf(asked, root) === undefined)
      .map((asked): PersonAsked => {
        const { id } = asked;
        if (asked.type === 'person.asked') return { id, kind: 'question', text: asked.question };
        const { description: text, tool: name, input } = asked;
        const kind = asked.type === 'tool.ambiguous' ? 'ambiguous' : 'approval';
        return { id, kind, text, call: { name, arguments: JSON.stringify(input) } };
      });
  }

  #callOf(asked: Asked, root: string): ClientCall | undefined {
    if (asked.type !== 'person.asked' || asked.path !== root || asked.callId === undefined) return undefined;
    return this.#calls.get(asked.callId);
  }
}
