import type { DeltaEvent, EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { AgUiDraft, AgUiEvent, AgUiNames } from './ag-ui-event.ts';
import { uiCallId } from './chat/ui-chunk.ts';

interface OpenMessage {
  readonly id: string;
  /** All that was sent of it. */
  text: string;
}

type ModelEnd = EventOf<'model.answered' | 'model.discarded' | 'model.interrupted' | 'model.failed'>;

/**
 * Converts a run to AG-UI, event by event.
 *
 * I1  Nothing is sent before RUN_STARTED or after the end, and whatever was started is ended before it.
 * I2  Of one call's messages and of the steps of one actor, one is open at a time.
 */
export class AgUiFold {
  readonly #names: AgUiNames;
  readonly #texts = new Map<string, OpenMessage>();
  readonly #reasonings = new Map<string, string>();
  /** By path, the step that is open. */
  readonly #steps = new Map<string, string>();
  readonly #calls = new Set<string>();
  #messages = 0;
  /** Set by the start of the run. */
  #place: LiveEvent | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(names: AgUiNames) {
    this.#names = names;
  }

  take(event: LiveEvent): readonly AgUiEvent[] {
    if (this.#isOver || (!this.#hasBegun && event.type !== 'run.started')) return [];
    return this.#drafts(event).map((draft) => ({ ...draft, timestamp: event.at }));
  }

  /** Ends the run for the client while it waits for people. */
  pause(timestamp: number, outcome: { readonly outcome?: Json }): readonly AgUiEvent[] {
    if (this.#isOver || this.#place === undefined) return [];
    this.#isOver = true;
    const finished = {
      type: 'RUN_FINISHED',
      ...this.#called(this.#place),
      result: { status: 'waiting' },
    } as const;
    return [...this.#closed(), { ...finished, ...outcome }].map((draft) => ({ ...draft, timestamp }));
  }

  /** The client has what came so far: nothing is open there, and it has the calls. */
  rejoin(): void {
    this.#texts.clear();
    this.#reasonings.clear();
    this.#steps.clear();
  }

  #drafts(event: LiveEvent): readonly AgUiDraft[] {
    switch (event.type) {
      case 'run.started':
        if (this.#hasBegun) return [];
        this.#hasBegun = true;
        this.#place = event;
        return [{ type: 'RUN_STARTED', ...this.#called(event) }];
      case 'run.ended':
        this.#isOver = true;
        return [...this.#closed(), this.#ended(event)];
      case 'phase.entered':
        return event.phase === 'OBSERVE' ? this.#step(event) : [];
      case 'step.ended':
        return this.#stepEnd(event.path);
      case 'model.delta':
        return this.#delta(event);
      case 'model.answered':
      case 'model.discarded':
      case 'model.interrupted':
      case 'model.failed':
        return this.#modelEnd(event);
      case 'tool.started':
        return this.#call(callIdOf(event), event.tool, JSON.stringify(event.input));
      case 'tool.finished':
        return this.#result(event);
      case 'custom.emitted':
        return [{ type: 'CUSTOM', name: event.name, value: event.data }];
      case 'tool.denied':
        return this.#denial(event);
      case 'tool.approval-requested':
        // So that a client can show the call that it is asked about.
        return [
          ...this.#call(callIdOf(event), event.tool, JSON.stringify(event.input)),
          { type: 'CUSTOM', name: event.type, value: { ...event } },
        ];
      case 'person.asked':
        return [{ type: 'CUSTOM', name: event.type, value: { ...event } }];
      default:
        return [];
    }
  }

  #called({ runId }: LiveEvent) {
    return { threadId: this.#names.threadId ?? runId, runId: this.#names.runId ?? runId };
  }

  #ended(event: EventOf<'run.ended'>): AgUiDraft {
    const { status, stopReason, output, error } = event;
    if (status === 'failed' || status === 'aborted') {
      const message = error?.message ?? `The run has ${status}`;
      return { type: 'RUN_ERROR', message, code: error?.code ?? status };
    }
    const result = { status, stopReason: stopReason.kind, ...(output === undefined ? {} : { output }) };
    return { type: 'RUN_FINISHED', ...this.#called(event), result };
  }

  #step({ path, step = 0 }: EventOf<'phase.entered'>): readonly AgUiDraft[] {
    const stepName = `${path} ${step}`;
    const before = this.#stepEnd(path);
    this.#steps.set(path, stepName);
    return [...before, { type: 'STEP_STARTED', stepName }];
  }

  #stepEnd(path: string): readonly AgUiDraft[] {
    const stepName = this.#steps.get(path);
    this.#steps.delete(path);
    return stepName === undefined ? [] : [{ type: 'STEP_FINISHED', stepName }];
  }

  #delta({ key, agent, delta }: DeltaEvent): readonly AgUiDraft[] {
    if ((delta.type !== 'text' && delta.type !== 'reasoning') || delta.text === '') return [];
    if (delta.type === 'text') return [...this.#reasoningEnd(key), ...this.#said(key, agent, delta.text)];
    const open = this.#reasonings.get(key);
    const messageId = open ?? this.#messageId(key);
    this.#reasonings.set(key, messageId);
    const content = { type: 'REASONING_MESSAGE_CONTENT', messageId, delta: delta.text } as const;
    if (open !== undefined) return [content];
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      content,
    ];
  }

  #said(key: string, agent: string, text: string): readonly AgUiDraft[] {
    const open = this.#texts.get(key);
    if (open !== undefined) {
      open.text += text;
      return [{ type: 'TEXT_MESSAGE_CONTENT', messageId: open.id, delta: text }];
    }
    const messageId = this.#messageId(key);
    this.#texts.set(key, { id: messageId, text });
    return [
      { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', name: agent },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text },
    ];
  }

  #modelEnd(event: ModelEnd): readonly AgUiDraft[] {
    const { key } = event;
    const reasoning = this.#reasoningEnd(key);
    const open = this.#texts.get(key);
    if (event.type !== 'model.answered') {
      if (open === undefined) return reasoning;
      return [
        ...reasoning,
        ...this.#textEnd(key),
        { type: 'CUSTOM', name: 'model.discarded', value: { messageId: open.id } },
      ];
    }
    const { text, agent } = event;
    const sent = open?.text ?? '';
    if (text.startsWith(sent)) {
      const rest = text.slice(sent.length);
      return [...reasoning, ...(rest === '' ? [] : this.#said(key, agent, rest)), ...this.#textEnd(key)];
    }
    // The final text is authoritative: a reader that did not keep up has missed pieces of it.
    return [
      ...reasoning,
      ...this.#textEnd(key),
      ...(text === '' ? [] : this.#said(key, agent, text)),
      ...this.#textEnd(key),
    ];
  }

  #textEnd(key: string): readonly AgUiDraft[] {
    const open = this.#texts.get(key);
    this.#texts.delete(key);
    return open === undefined ? [] : [{ type: 'TEXT_MESSAGE_END', messageId: open.id }];
  }

  #reasoningEnd(key: string): readonly AgUiDraft[] {
    const messageId = this.#reasonings.get(key);
    this.#reasonings.delete(key);
    if (messageId === undefined) return [];
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }

  /** A call is sent once, however often it is retried. */
  #call(toolCallId: string, toolCallName: string, delta: string): readonly AgUiDraft[] {
    if (this.#calls.has(toolCallId)) return [];
    this.#calls.add(toolCallId);
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  }

  #result(event: EventOf<'tool.finished'>): readonly AgUiDraft[] {
    const toolCallId = callIdOf(event);
    const call = this.#call(toolCallId, event.tool, '{}');
    this.#calls.delete(toolCallId);
    const result = { messageId: this.#messageId(toolCallId), toolCallId, content: event.text } as const;
    return [...call, { type: 'TOOL_CALL_RESULT', ...result, role: 'tool' }];
  }

  #denial(event: EventOf<'tool.denied'>): readonly AgUiDraft[] {
    const { tool, reason } = event;
    const toolCallId = callIdOf(event);
    const call = this.#call(toolCallId, tool, '{}');
    this.#calls.delete(toolCallId);
    const content = `Denied${reason === undefined ? '' : `: ${reason}`}`;
    const result = { messageId: this.#messageId(toolCallId), toolCallId, content } as const;
    return [...call, { type: 'TOOL_CALL_RESULT', ...result, role: 'tool' }];
  }

  #closed(): readonly AgUiDraft[] {
    return [
      ...[...this.#reasonings.keys()].flatMap((key) => this.#reasoningEnd(key)),
      ...[...this.#texts.keys()].flatMap((key) => this.#textEnd(key)),
      ...[...this.#steps.keys()].flatMap((path) => this.#stepEnd(path)),
    ];
  }

  /** A call may have several messages, one after the other. */
  #messageId(of: string): string {
    this.#messages += 1;
    return `${of} ${this.#messages}`;
  }
}

const callIdOf = ({
  runId,
  path,
  callId,
}: EventOf<'tool.approval-requested' | 'tool.started' | 'tool.finished' | 'tool.denied'>): string =>
  uiCallId(runId, path, callId);
