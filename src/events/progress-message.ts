import type { ErrorData } from '../contracts/error.ts';
import type { EventOf, LiveEvent } from '../contracts/event.ts';
import type { Json } from '../contracts/json.ts';
import { oneLine } from './printable.ts';

/** A tool call as a person reads it. */
export interface ProgressCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly state: 'requested' | 'waiting' | 'running' | 'succeeded' | 'failed' | 'denied';
  /** What it does, in words. Safe to print. */
  readonly activity?: string | undefined;
  /** What the tool answered, as its agent was shown it. */
  readonly text?: string | undefined;
  readonly error?: ErrorData | undefined;
  readonly durationMs?: number | undefined;
}

/** What somebody said in a run, whole. As it was written: print with `printable`. */
export interface ProgressMessage {
  /** Of one run and place in it: the same wherever it is read, so fit for a React key. */
  readonly id: string;
  /** `agent` is one to another, or to a team. */
  readonly role: 'user' | 'assistant' | 'agent';
  readonly at: number;
  /** Of whom it is; of the user's it is who was told. */
  readonly path: string;
  readonly agent: string;
  readonly step?: number | undefined;
  /** Of a message from one agent to another: to whom. */
  readonly to?: string | undefined;
  readonly text: string;
  readonly reasoning?: string | undefined;
  /** What was given to the run, where that was no text. */
  readonly data?: Json | undefined;
  /** The calls that go with it, in the order in which they were wanted. */
  readonly calls: readonly ProgressCall[];
  /** The request that it asks, or answers. */
  readonly requestId?: string | undefined;
  /** What a critic said against it. */
  readonly rejected?: string | undefined;
}

type Messages = readonly ProgressMessage[];

/** The messages of a run after one more event, oldest first; the same array for an event that changes nothing. */
export const foldMessages = (messages: Messages, event: LiveEvent): Messages => {
  switch (event.type) {
    case 'run.started':
      return [...messages, { ...spoken(event, 'user', textOf(event)), ...dataOf(event.input) }];
    case 'model.answered':
      if (event.text === '' && event.calls === 0) return messages;
      return [
        ...messages,
        {
          ...spoken(event, 'assistant', event.text),
          ...(event.reasoning === undefined ? {} : { reasoning: event.reasoning }),
        },
      ];
    case 'message.sent': {
      const { from, to, text } = event;
      if (from === 'person') return [...messages, { ...spoken(event, 'user', text), path: to }];
      return [...messages, { ...spoken(event, 'agent', text), to }];
    }
    case 'person.asked':
      return [...messages, { ...spoken(event, 'assistant', event.question), requestId: event.id }];
    case 'person.answered':
      return [...messages, { ...spoken(event, 'user', event.text), requestId: event.id }];
    case 'agent.critiqued':
      return event.verdict === 'revise' ? withRejection(messages, event) : messages;
    case 'run.ended':
      return withOutput(messages, event);
    default:
      return withCalls(messages, event);
  }
};

type Durable = Exclude<LiveEvent, { type: 'model.delta' }>;

const spoken = (
  { runId, seq, at, path, agent, step }: Durable,
  role: ProgressMessage['role'],
  text: unknown,
): ProgressMessage => {
  // An event may have come from elsewhere, where nobody checked it.
  if (typeof text !== 'string') throw new TypeError('its text is none');
  const placed = { id: `${runId}#${seq}`, role, at, path, agent };
  return { ...placed, ...(step === undefined ? {} : { step }), text, calls: [] };
};

const textOf = ({ input, task }: EventOf<'run.started'>): string => {
  if (typeof input !== 'string') return JSON.stringify(input);
  return input === '' && task !== undefined ? task.objective : input;
};

const dataOf = (value: Json): Pick<ProgressMessage, 'data'> =>
  typeof value === 'string' ? {} : { data: value };

/** The last message of an agent, if that is of this step. */
const lastOf = (messages: Messages, { path, step }: Durable): number => {
  const index = messages.findLastIndex(
    (message) => message.path === path && message.role === 'assistant' && message.requestId === undefined,
  );
  return messages[index]?.step === step ? index : -1;
};

const withRejection = (messages: Messages, event: EventOf<'agent.critiqued'>): Messages => {
  const index = lastOf(messages, event);
  const message = messages[index];
  return message === undefined ? messages : messages.with(index, { ...message, rejected: event.note ?? '' });
};

/** What a run came to, where nobody said so: a team, an agent that decides by itself, a tool that completes. */
const withOutput = (messages: Messages, event: EventOf<'run.ended'>): Messages => {
  const { output, path } = event;
  if (output === undefined) return messages;
  const last = messages.findLast((message) => message.path === path && message.role === 'assistant');
  if (last !== undefined && last.text !== '' && last.calls.length === 0 && last.requestId === undefined) {
    if (last.rejected === undefined && last.id.startsWith(`${event.runId}#`)) return messages;
  }
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return [...messages, { ...spoken(event, 'assistant', text), ...dataOf(output) }];
};

const withCalls = (messages: Messages, event: LiveEvent): Messages => {
  switch (event.type) {
    case 'tool.requested':
      return withCall(messages, event, { input: event.input, state: 'requested' });
    case 'tool.approval-requested':
    case 'tool.ambiguous':
      return withCall(messages, event, { state: 'waiting', activity: oneLine(event.description) });
    case 'tool.approved':
      return withCall(messages, event, {
        state: 'requested',
        ...(event.input === undefined ? {} : { input: event.input }),
      });
    case 'tool.denied':
      return withCall(messages, event, {
        state: 'denied',
        ...(event.reason === undefined ? {} : { text: event.reason }),
      });
    case 'tool.started':
      return withCall(messages, event, {
        input: event.input,
        state: 'running',
        activity: oneLine(event.description || `Using ${event.tool}`),
      });
    case 'tool.progressed':
      return withCall(messages, event, { activity: oneLine(event.text) });
    case 'tool.finished': {
      const { ok, text, error, durationMs } = event;
      const how = error === undefined ? {} : { error };
      return withCall(messages, event, { state: ok ? 'succeeded' : 'failed', text, durationMs, ...how });
    }
    default:
      return messages;
  }
};

type CallEvent = EventOf<
  | 'tool.requested'
  | 'tool.approval-requested'
  | 'tool.ambiguous'
  | 'tool.approved'
  | 'tool.denied'
  | 'tool.started'
  | 'tool.progressed'
  | 'tool.finished'
>;

const withCall = (messages: Messages, event: CallEvent, news: Partial<ProgressCall>): Messages => {
  const { callId, tool } = event;
  const found = lastOf(messages, event);
  const index = found < 0 ? messages.length : found;
  // Whoever decides by itself calls tools without a word.
  const message = messages[index] ?? spoken(event, 'assistant', '');
  const place = message.calls.findIndex((call) => call.callId === callId);
  const before = message.calls[place] ?? { callId, tool, input: null, state: 'requested' };
  // A call that was denied is told to have finished, too: with why.
  const state = before.state === 'denied' ? 'denied' : (news.state ?? before.state);
  const call: ProgressCall = { ...before, ...news, state };
  const calls = place < 0 ? [...message.calls, call] : message.calls.with(place, call);
  return index === messages.length
    ? [...messages, { ...message, calls }]
    : messages.with(index, { ...message, calls });
};
