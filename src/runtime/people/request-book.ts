import { freezeJson } from '../../contracts/freeze-json.ts';
import type { Announcement } from '../../contracts/announced-request.ts';
import { requestOf } from '../../contracts/announced-request.ts';
import type { EventBody, RuntimeEvent } from '../../contracts/event.ts';
import type { OpenRequest } from '../../contracts/request.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import type { Approval } from '../../machines/tool-call-context.ts';

/** What a person said: of a call yes or no, to a question a text. */
export type Said = Approval | Told;

/** An answer to a question. */
export interface Told {
  readonly text: string;
}

/** Who said an event, and when. */
export type Place = Pick<RuntimeEvent, 'at' | 'path' | 'agent' | 'step'>;

/**
 * The requests to people in a run, frozen: what is approved is what was shown, as its events tell of them: which are open, and what was said to the others. It needs nothing
 * but events, so that whoever reads a journal knows as much as the process that runs it.
 */
export class RequestBook {
  /** By id, oldest first. */
  readonly #open = new SmallMap<string, OpenRequest>();
  /** What was said, by id; undefined where nobody said anything. */
  readonly #closed = new SmallMap<string, Said | undefined>();

  /** Takes in an event; one that was taken in before changes nothing. */
  heard(body: EventBody, { at, path, agent, step }: Place): void {
    switch (body.type) {
      case 'tool.approval-requested':
      case 'tool.ambiguous':
      case 'person.asked':
        this.#add(requestOf(body, { askedAt: at, path, agent, ...(step === undefined ? {} : { step }) }));
        break;
      case 'tool.approved':
        this.#close(body.id, {
          isApproved: true,
          ...(body.input === undefined ? {} : { input: body.input }),
        });
        break;
      case 'tool.denied':
        this.#close(body.id, {
          isApproved: false,
          ...(body.reason === undefined ? {} : { reason: body.reason }),
        });
        break;
      case 'person.answered':
        this.#close(body.id, { text: body.text });
        break;
      case 'request.withdrawn':
        this.#close(body.id, undefined);
        break;
      default:
    }
  }

  /** Oldest first. */
  get open(): readonly OpenRequest[] {
    return [...this.#open.values()];
  }
  get hasOpen(): boolean {
    return this.#open.size > 0;
  }
  at(id: string): OpenRequest | undefined {
    return this.#open.get(id);
  }
  /** Checks whether it was open once. */
  isClosed(id: string): boolean {
    return this.#closed.has(id);
  }
  /** What was said to a request; undefined where nothing was. */
  saidTo(id: string): Said | undefined {
    return this.#closed.get(id);
  }

  #add(request: OpenRequest): void {
    const { id } = request;
    if (!this.#open.has(id) && !this.#closed.has(id)) this.#open.set(id, freezeJson(request));
  }
  #close(id: string | undefined, said: Said | undefined): void {
    if (id !== undefined && this.#open.delete(id)) this.#closed.set(id, said);
  }
}

/** The event that announces a request. */
export const announcementOf = (request: OpenRequest): Announcement => {
  const { id, kind, expiresAt } = request;
  const base = { id, ...(expiresAt === undefined ? {} : { expiresAt }) };
  if (kind === 'question') {
    const { question, callId } = request;
    return { type: 'person.asked', ...base, question, ...(callId === undefined ? {} : { callId }) };
  }
  const { callId, tool, input, description } = request;
  const type = kind === 'ambiguous' ? 'tool.ambiguous' : 'tool.approval-requested';
  return { type, ...base, callId, tool, input, description };
};
