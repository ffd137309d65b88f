import type { Json } from '../../../base/json/json.ts';
import type { EventOf, LiveEvent } from '../../../contracts/events/event.ts';
import type { AgUiEvent } from '../ag-ui-event.ts';
import { AgUiFold } from '../ag-ui-fold.ts';
import type { PausingFold } from '../../../runtime/serve/streams/paused-texts.ts';
import type { AgUiSubmission } from './read-ag-ui.ts';
import { UiCalls } from './ui-calls.ts';
import { uiCallId } from './ui-chunk.ts';

type Request = EventOf<'tool.approval-requested' | 'tool.ambiguous' | 'person.asked'>;

/**
 * Converts the part of a run between two requests of an AG-UI client: it ends with an interrupt when the run waits for people, or
 * for tools of the client, and begins again with what follows the answers.
 *
 * I1  The client is sent nothing that it has, and no result of a call that it ran itself.
 */
export class AgUiMessage implements PausingFold<AgUiEvent> {
  readonly #chat: AgUiSubmission;
  readonly #fold: AgUiFold;
  readonly #calls = new UiCalls();
  readonly #requests = new Map<string, Request>();
  /** By id of the call, the name of the client's tool. */
  readonly #clientCalls = new Set<string>();
  #isSilent = false;
  #isOver = false;
  #at = 0;

  constructor(chat: AgUiSubmission) {
    this.#chat = chat;
    this.#fold = new AgUiFold(chat);
  }

  get isOver(): boolean {
    return this.#isOver;
  }
  get isWaiting(): boolean {
    return !this.#isOver && !this.#isSilent && this.#calls.isWaiting;
  }

  take(event: LiveEvent): readonly AgUiEvent[] {
    if (this.#isOver) return [];
    this.#at = event.at;
    this.#calls.take(event);
    this.#note(event);
    if (event.type === 'run.started') {
      this.#isSilent = this.#chat.answered?.runId === event.runId;
      return this.#fold.take(event);
    }
    if (event.type === 'run.ended') this.#isOver = true;
    if (this.#isSilent && !this.#ends(event)) {
      if (event.type !== 'model.delta') this.#fold.take(event);
      return [];
    }
    if (this.#isSilent) {
      this.#isSilent = false;
      this.#fold.rejoin();
    }
    return this.#fold.take(event).filter((each) => !this.#isClients(each));
  }

  pause(): readonly AgUiEvent[] {
    this.#isOver = true;
    const interrupts = [...this.#requests.values()].flatMap((request) =>
      this.#isOfClient(request) ? [] : [interruptOf(request)],
    );
    const outcome = interrupts.length === 0 ? {} : { outcome: { type: 'interrupt', interrupts } };
    return this.#fold.pause(this.#at, outcome);
  }

  /** The events ended before the run did: it was suspended. */
  break(): readonly AgUiEvent[] {
    return this.#isOver ? [] : this.#fold.pause(this.#at, {});
  }

  #note(event: LiveEvent): void {
    switch (event.type) {
      case 'tool.requested':
        if (this.#chat.tools.some(({ name }) => name === event.tool))
          this.#clientCalls.add(uiCallId(event.runId, event.path, event.callId));
        break;
      case 'tool.approval-requested':
      case 'tool.ambiguous':
      case 'person.asked':
        this.#requests.set(event.id, event);
        break;
      case 'tool.approved':
      case 'tool.denied':
      case 'person.answered':
      case 'request.withdrawn':
        if (event.id !== undefined) this.#requests.delete(event.id);
        break;
      default:
    }
  }

  /** Checks whether what comes is new to the client: what follows its answers, and the end in any case. */
  #ends(event: LiveEvent): boolean {
    if (event.type === 'run.ended') return true;
    const isAnswer =
      event.type === 'tool.approved' || event.type === 'tool.denied' || event.type === 'person.answered';
    return isAnswer && event.id !== undefined && this.#chat.answered?.ids.has(event.id) === true;
  }

  #isOfClient({ runId, path, callId }: Request): boolean {
    return callId !== undefined && this.#clientCalls.has(uiCallId(runId, path, callId));
  }

  #isClients(event: AgUiEvent): boolean {
    return event.type === 'TOOL_CALL_RESULT' && this.#chat.results.has(event.toolCallId);
  }
}

const interruptOf = (request: Request): { readonly [field: string]: Json } => {
  const { id, runId, path, callId, expiresAt, type } = request;
  const call = callId === undefined ? {} : { toolCallId: uiCallId(runId, path, callId) };
  const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() };
  if (type === 'person.asked')
    return { id, reason: 'question', message: request.question, responseSchema: ANSWER, ...call, ...expiry };
  const reason = type === 'tool.ambiguous' ? 'ambiguous' : 'approval';
  return { id, reason, message: request.description, responseSchema: APPROVAL, ...call, ...expiry };
};

const APPROVAL = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
};

const ANSWER = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
