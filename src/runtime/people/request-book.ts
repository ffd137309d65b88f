import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { freezeJson } from '../../base/json/freeze-json.ts';
import type { Announcement } from '../../contracts/people/announced-request.ts';
import { requestOf } from '../../contracts/people/announced-request.ts';
import type { EventBody, RuntimeEvent } from '../../contracts/events/event.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import { termsOf, withApprover } from '../../contracts/people/approval-terms.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import type { PersonTime } from './person-time.ts';
import type { Approval } from '../../machines/tool-call/tool-call-context.ts';

/** A person's answer: an approval of a call, or a text for a question. */
export type PersonAnswer = Approval | TextAnswer;

/** An answer to a question. */
export interface TextAnswer {
  readonly text: string;
}

/** Envelope of an event. */
export type EventPlace = Pick<RuntimeEvent, 'at' | 'path' | 'agent' | 'step'>;

/**
 * The requests to people in a run, derived from its events alone, so that a reader of the journal knows as much as the process that runs
 * it. Requests are frozen: what is approved is what was shown.
 */
export class RequestBook {
  /** By id, oldest first. */
  readonly #open = new SmallMap<string, OpenRequest>();
  /** Answers by id; undefined for requests that were withdrawn. */
  readonly #closed = new SmallMap<string, PersonAnswer | undefined>();
  readonly #time: PersonTime | undefined;

  /** `time` counts how long the requests are open. */
  constructor(time?: PersonTime) {
    this.#time = time;
  }

  /** Applies an event; idempotent. */
  heard(body: EventBody, { at, path, agent, step }: EventPlace): void {
    switch (body.type) {
      case 'tool.approval-requested':
      case 'tool.ambiguous':
      case 'person.asked':
        this.#add(requestOf(body, { askedAt: at, path, agent, ...withoutUndefined({ step }) }));
        break;
      case 'tool.approval-given':
        this.#give(body.id, body.by);
        break;
      case 'tool.approved':
        this.#close(body.id, at, {
          isApproved: true,
          ...withoutUndefined({ input: body.input, by: body.by }),
        });
        break;
      case 'tool.denied':
        this.#close(body.id, at, {
          isApproved: false,
          ...withoutUndefined({ reason: body.reason, by: body.by }),
        });
        break;
      case 'person.answered':
        this.#close(body.id, at, { text: body.text });
        break;
      case 'request.withdrawn':
        this.#close(body.id, at, undefined);
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
  /** Checks whether a request was open once. */
  isClosed(id: string): boolean {
    return this.#closed.has(id);
  }
  /** The answer to a request; undefined if there is none. */
  answerTo(id: string): PersonAnswer | undefined {
    return this.#closed.get(id);
  }

  #add(request: OpenRequest): void {
    const { id } = request;
    if (this.#open.has(id) || this.#closed.has(id)) return;
    this.#open.set(id, freezeJson(request));
    this.#time?.changed(request.path, request.callId, 1, request.askedAt);
  }
  /** One of several people has approved it. */
  #give(id: string, by: Approver): void {
    const request = this.#open.get(id);
    if (request === undefined || request.kind === 'question') return;
    const approvedBy = withApprover(request.approvedBy ?? [], by);
    this.#open.set(id, freezeJson({ ...request, approvedBy }));
  }
  #close(id: string | undefined, at: number, said: PersonAnswer | undefined): void {
    const request = id === undefined ? undefined : this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(request.id);
    this.#closed.set(request.id, said);
    this.#time?.changed(request.path, request.callId, -1, at);
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
  const { callId, tool, input, description, error } = request;
  const type = kind === 'ambiguous' ? 'tool.ambiguous' : 'tool.approval-requested';
  const why = error === undefined ? {} : { error };
  return { type, ...base, callId, tool, input, description, ...why, ...termsOf(request) };
};
