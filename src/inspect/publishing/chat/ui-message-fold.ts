import type { Json, JsonObject } from '../../../base/json/json.ts';
import type { ErrorData } from '../../../contracts/errors/error-data.ts';
import type { DeltaEvent, EventOf, LiveEvent } from '../../../contracts/events/event.ts';
import { termsOf } from '../../../contracts/people/approval-terms.ts';
import type { PausingFold } from '../../../runtime/serve/streams/paused-texts.ts';
import { UiCalls } from './ui-calls.ts';
import type { UiChunk } from './ui-chunk.ts';
import { uiCallId } from './ui-chunk.ts';
import { UiData } from './ui-data.ts';
import { finishReasonOf, metadataOf, outputOf, waitingMetadata } from './ui-run-end.ts';
import type { UiVoice } from './ui-step.ts';
import { UiStep } from './ui-step.ts';

/** The place in a run up to which a client has a message. */
export interface UiPlace {
  readonly runId: string;
  /** Of the last event that the message contains. */
  readonly seq: number;
  /** The message to be continued; absent where the client expects another one. */
  readonly messageId?: string | undefined;
  /** The ids of the calls in that message. */
  readonly calls: readonly string[];
}

/** Options of a message of a chat. */
export interface UiFoldOptions {
  readonly messageId?: string | undefined;
  readonly sdk?: 6 | 7 | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly errorText?: ((error: ErrorData) => string) | undefined;
  readonly place?: UiPlace | undefined;
}

type ModelEnd = EventOf<'model.answered' | 'model.discarded' | 'model.interrupted' | 'model.failed'>;
type Request = EventOf<'tool.approval-requested' | 'tool.ambiguous'>;
type Durable = Exclude<LiveEvent, DeltaEvent>;
type Called = EventOf<'tool.requested' | 'tool.started' | 'tool.finished' | 'tool.denied'> | Request;

/**
 * Converts a run to the parts of one message of the AI SDK, event by event.
 *
 * I1  Nothing is sent before `start` or after the end, and whatever was started is ended before it.
 * I2  A client that has the message up to a place is sent what comes after it, and each call that it lacks before its result.
 */
export class UiMessageFold implements PausingFold<UiChunk> {
  readonly #options: UiFoldOptions;
  readonly #isLatest: boolean;
  readonly #calls = new UiCalls();
  readonly #data = new UiData();
  /** The ids of the approvals that this message asks for. */
  readonly #asked = new Set<string>();
  /** By call whose arguments stream, their length so far. */
  readonly #inputs = new Map<string, number>();
  #step: UiStep;
  #root = '';
  #speaker = '';
  #speakers = 0;
  #runId = '';
  #seq = -1;
  /** The client has all events up to this one. */
  #has = -1;
  #lastSaid: string | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(options: UiFoldOptions) {
    this.#options = options;
    this.#isLatest = (options.sdk ?? 7) >= 7;
    this.#step = new UiStep(this.#isLatest);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Checks whether the run does nothing but wait for people, and the client knows what they are asked. */
  get isWaiting(): boolean {
    return this.#hasBegun && !this.#isOver && this.#seq >= this.#has && this.#calls.isWaiting;
  }

  take(event: LiveEvent): readonly UiChunk[] {
    if (this.#isOver || (!this.#hasBegun && event.type !== 'run.started')) return [];
    if (event.type === 'observer.dropped') return [];
    this.#calls.take(event);
    if (event.type === 'model.delta') return this.#seq < this.#has ? [] : this.#delta(event);
    this.#seq = event.seq;
    if (event.type === 'run.started') return this.#begin(event);
    if (event.seq > this.#has) return this.#chunks(event);
    // The end is sent in any case: a client may claim to have what has not happened yet.
    const end = event.type === 'run.ended';
    if (!end) this.#chunks(event);
    if (end || event.seq === this.#has) this.#join();
    return end ? this.#chunks(event) : [];
  }

  /** Ends the message while the run waits for people. */
  pause(): readonly UiChunk[] {
    this.#isOver = true;
    const messageMetadata = waitingMetadata(this.#runId, this.#seq);
    return [...this.#step.finish(), { type: 'finish', finishReason: 'tool-calls', messageMetadata }];
  }

  /** Ends what is open, where the events end before the run does. */
  break(): readonly UiChunk[] {
    if (this.#isOver || !this.#hasBegun) return [];
    this.#isOver = true;
    return this.#step.finish();
  }

  #begin({ runId, path, seq }: EventOf<'run.started'>): readonly UiChunk[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    this.#root = path;
    this.#speaker = path;
    this.#runId = runId;
    const { metadata = {}, messageId = runId, place } = this.#options;
    const isContinued = place?.runId === runId && place.seq >= seq;
    if (isContinued) this.#has = place.seq;
    const id = isContinued ? (place.messageId ?? `${runId}.${place.seq}`) : messageId;
    return [{ type: 'start', messageId: id, messageMetadata: { ...metadata, runId, status: 'running' } }];
  }

  /** The client has what came so far: its own parts, and nothing open. */
  #join(): void {
    this.#step = new UiStep(this.#isLatest);
    this.#inputs.clear();
    this.#asked.clear();
    this.#speaker = this.#root;
    this.#calls.rejoin(this.#options.place?.calls ?? []);
  }

  #chunks(event: Durable): readonly UiChunk[] {
    switch (event.type) {
      case 'model.answered':
      case 'model.discarded':
      case 'model.interrupted':
      case 'model.failed':
        return this.#modelEnd(event);
      case 'tool.requested':
      case 'tool.started':
        return this.#call(event, event.input);
      case 'tool.approval-requested':
      case 'tool.ambiguous':
        return this.#request(event);
      case 'tool.approved':
        return this.#approved(event);
      case 'tool.denied':
        return this.#denied(event);
      case 'tool.finished':
        return this.#finished(event);
      case 'run.ended':
        return this.#end(event);
      default:
        return this.#data.take(event).map((chunk) => ('transient' in chunk ? chunk : this.#step.add(chunk)));
    }
  }

  /** Begins the step of who is about to say or do something, and names them where another one did before. */
  #enter({ path, agent, step = 0 }: LiveEvent, ownCall?: string): readonly UiChunk[] {
    const begun = this.#step.enter(`${path} ${step}`, this.#calls.isFreeAt(path, ownCall));
    if (path === this.#speaker) return begun;
    this.#speaker = path;
    this.#speakers += 1;
    const data = { path, agent };
    const id = `${this.#runId}/${this.#speakers}`;
    return [...begun, this.#step.add({ type: 'data-speaker', id, data })];
  }

  #voiceOf({ key, path, agent }: Pick<DeltaEvent, 'key' | 'path' | 'agent'>): UiVoice {
    return { key, ...(path === this.#root ? {} : { member: { path, agent } }) };
  }

  #delta(event: DeltaEvent): readonly UiChunk[] {
    const { key, offset, delta } = event;
    if (delta.type === 'progress') return [];
    if (delta.type === 'tool-call') return this.#inputDelta(event, delta);
    const had = this.#step.sent(key, delta.type).length;
    const at = offset ?? had;
    const rest = delta.text.slice(had - at);
    // After a gap nothing fits any more: the rest comes with the whole answer. Who joins again is given all of it once more.
    if (at > had || rest === '') return [];
    return [...this.#enter(event), ...this.#step.say(delta.type, this.#voiceOf(event), rest)];
  }

  #inputDelta(
    event: DeltaEvent,
    { index, name, text }: Extract<DeltaEvent['delta'], { type: 'tool-call' }>,
  ): readonly UiChunk[] {
    const { key, path, step = 0, offset } = event;
    // As the runtime numbers them.
    const toolCallId = uiCallId(this.#runId, path, `call_${step}_${index}`);
    const had = this.#inputs.get(toolCallId);
    if (had === undefined && (name === undefined || (offset ?? 0) > 0)) return [];
    const at = offset ?? had ?? 0;
    const rest = text.slice((had ?? 0) - at);
    if (at > (had ?? 0) || (rest === '' && had !== undefined)) return [];
    this.#inputs.set(toolCallId, (had ?? 0) + rest.length);
    const begun = had === undefined && name !== undefined ? this.#inputStart(event, toolCallId, name) : [];
    if (rest === '') return begun;
    return [...begun, this.#step.add({ type: 'tool-input-delta', toolCallId, inputTextDelta: rest }, key)];
  }

  #inputStart(event: DeltaEvent, toolCallId: string, toolName: string): readonly UiChunk[] {
    const { key } = event;
    const entered = this.#enter(event);
    this.#step.streams(key, { toolCallId, toolName });
    const start = { type: 'tool-input-start', toolCallId, toolName, ...this.#callerOf(event) } as const;
    return [...entered, this.#step.add(start, key)];
  }

  #callerOf({ path, agent }: LiveEvent): { readonly toolMetadata?: JsonObject } {
    return path === this.#root ? {} : { toolMetadata: { path, agent } };
  }

  #modelEnd(event: ModelEnd): readonly UiChunk[] {
    const { key, path, step = 0 } = event;
    if (event.type !== 'model.answered') {
      this.#forgetInputs(path, step, 0);
      return this.#step.discard(key);
    }
    const { text, reasoning = '', calls, providerCalls = [] } = event;
    if (text !== '') this.#lastSaid = text;
    // The whole is authoritative: another text is replaced by it.
    const isOther =
      !text.startsWith(this.#step.sent(key, 'text')) ||
      !reasoning.startsWith(this.#step.sent(key, 'reasoning'));
    if (isOther) this.#forgetInputs(path, step, 0);
    const errorText = 'The answer of the model has no such call';
    const stray = (isOther ? [] : this.#forgetInputs(path, step, calls)).map((toolCallId) =>
      this.#step.add({ type: 'tool-output-error', toolCallId, errorText }, key),
    );
    return [
      ...(isOther ? this.#step.discard(key) : []),
      ...this.#rest(event, 'reasoning', reasoning),
      ...this.#rest(event, 'text', text),
      ...this.#step.close(key),
      ...stray,
      ...providerCalls.flatMap((call, index) => this.#providerCall(event, call, index)),
    ];
  }

  #rest(event: EventOf<'model.answered'>, kind: 'text' | 'reasoning', whole: string): readonly UiChunk[] {
    const rest = whole.slice(this.#step.sent(event.key, kind).length);
    return rest === '' ? [] : [...this.#enter(event), ...this.#step.say(kind, this.#voiceOf(event), rest)];
  }

  /** Forgets the streamed arguments of the calls from `least` on, and returns their ids. */
  #forgetInputs(path: string, step: number, least: number): readonly string[] {
    const prefix = uiCallId(this.#runId, path, `call_${step}_`);
    const lost = [...this.#inputs.keys()].filter(
      (id) => id.startsWith(prefix) && Number(id.slice(prefix.length)) >= least,
    );
    for (const id of lost) this.#inputs.delete(id);
    return lost;
  }

  #providerCall(
    event: EventOf<'model.answered'>,
    {
      tool: toolName,
      input = null,
      problem,
    }: NonNullable<EventOf<'model.answered'>['providerCalls']>[number],
    index: number,
  ): readonly UiChunk[] {
    const toolCallId = `${event.key}.provider_${index}`;
    const of = { toolCallId, providerExecuted: true } as const;
    const call: UiChunk = { type: 'tool-input-available', ...of, toolName, input, ...this.#callerOf(event) };
    const result: UiChunk =
      problem === undefined
        ? { type: 'tool-output-available', ...of, output: null }
        : { type: 'tool-output-error', ...of, errorText: problem };
    return [...this.#enter(event), this.#step.add(call), this.#step.add(result)];
  }

  /** A call is sent once, however often it is tried. */
  #call(event: Called, input: Json): readonly UiChunk[] {
    const toolCallId = uiCallId(this.#runId, event.path, event.callId);
    if (!this.#calls.show(toolCallId)) return [];
    const isStreamed = this.#inputs.delete(toolCallId);
    const of = { toolCallId, toolName: event.tool, input, ...this.#callerOf(event) };
    return [
      ...(isStreamed ? [] : this.#enter(event, toolCallId)),
      this.#step.add({ type: 'tool-input-available', ...of }),
    ];
  }

  #request(event: Request): readonly UiChunk[] {
    const { id: approvalId, path, callId, description, expiresAt, type } = event;
    const toolCallId = uiCallId(this.#runId, path, callId);
    const approvalDescriptor = {
      kind: type === 'tool.ambiguous' ? 'ambiguous' : 'approval',
      description,
      path,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...termsOf(event),
    };
    this.#asked.add(approvalId);
    return [
      ...this.#call(event, event.input),
      this.#step.add({ type: 'tool-approval-request', approvalId, toolCallId, approvalDescriptor }),
    ];
  }

  #approved({ id, path, callId, tool, input, agent }: EventOf<'tool.approved'>): readonly UiChunk[] {
    const toolCallId = uiCallId(this.#runId, path, callId);
    const said = this.#answered(id, true);
    if (input === undefined) return said;
    const member = path === this.#root ? {} : { toolMetadata: { path, agent } };
    return [
      ...said,
      this.#step.add({ type: 'tool-input-available', toolCallId, toolName: tool, input, ...member }),
    ];
  }

  #denied(event: EventOf<'tool.denied'>): readonly UiChunk[] {
    const { id, path, callId, reason } = event;
    const toolCallId = uiCallId(this.#runId, path, callId);
    const call = this.#call(event, {});
    if (id !== undefined) {
      const denied: UiChunk = { type: 'tool-output-denied', toolCallId };
      return [...call, ...this.#answered(id, false, reason), this.#step.add(denied)];
    }
    // Nobody was asked: a denied part without an approval is none that a client could send back.
    const errorText = `Denied${reason === undefined ? '' : `: ${reason}`}`;
    return [...call, this.#step.add({ type: 'tool-output-error', toolCallId, errorText })];
  }

  /** Sends the answer to those who joined later, or did not give it. */
  #answered(approvalId: string, approved: boolean, reason?: string): readonly UiChunk[] {
    if (!this.#isLatest || !this.#asked.has(approvalId)) return [];
    const why = reason === undefined ? {} : { reason };
    return [this.#step.add({ type: 'tool-approval-response', approvalId, approved, ...why })];
  }

  #finished(event: EventOf<'tool.finished'>): readonly UiChunk[] {
    const { path, callId, ok, text } = event;
    const toolCallId = uiCallId(this.#runId, path, callId);
    const call = this.#call(event, {});
    const result: UiChunk = ok
      ? { type: 'tool-output-available', toolCallId, output: outputOf(text) }
      : { type: 'tool-output-error', toolCallId, errorText: text };
    return [...call, this.#step.add(result)];
  }

  #end(event: EventOf<'run.ended'>): readonly UiChunk[] {
    this.#isOver = true;
    const { status, error, stopReason } = event;
    const messageMetadata = metadataOf(event);
    const errorText = `The run has ${status}`;
    const streamed = [...this.#inputs.keys()];
    this.#inputs.clear();
    const open = [...new Set([...streamed, ...this.#calls.takeOpen()])].map((toolCallId): UiChunk => ({
      type: 'tool-output-error',
      toolCallId,
      errorText,
    }));
    const ended = [...open, ...this.#output(event), ...this.#step.finish()];
    if (status === 'aborted') {
      const reason = typeof stopReason['reason'] === 'string' ? stopReason['reason'] : status;
      return [...ended, { type: 'message-metadata', messageMetadata }, { type: 'abort', reason }];
    }
    if (status === 'failed') {
      const { errorText: wordsOf = ({ message }) => message } = this.#options;
      const words = error === undefined ? errorText : wordsOf(error);
      return [...ended, { type: 'message-metadata', messageMetadata }, { type: 'error', errorText: words }];
    }
    return [...ended, { type: 'finish', finishReason: finishReasonOf(event), messageMetadata }];
  }

  /** The output of a run, where it is not what was said last: of a team, or of a tool that completes. */
  #output(event: EventOf<'run.ended'>): readonly UiChunk[] {
    const { output, status } = event;
    if (output === undefined || status !== 'completed') return [];
    const isText = typeof output === 'string';
    const data: readonly UiChunk[] = isText
      ? []
      : [{ type: 'data-output', id: `${this.#runId}/output`, data: output }];
    const text = isText ? output : JSON.stringify(output);
    if (text === '' || (isText ? text === this.#lastSaid : this.#lastSaid !== undefined)) return data;
    const voice = { key: `${this.#runId}/output` };
    return [
      ...this.#enter(event),
      ...data,
      ...this.#step.say('text', voice, text),
      ...this.#step.close(voice.key),
    ];
  }
}
