import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { oneLine } from '../../base/text/printable.ts';

/** A tool call as shown to people. */
export interface ProgressCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly state: 'requested' | 'waiting' | 'running' | 'succeeded' | 'failed' | 'denied';
  /** Its activity. Safe to print. */
  readonly activity?: string | undefined;
  /** Its result, as the agent was shown it. */
  readonly text?: string | undefined;
  readonly error?: ErrorData | undefined;
  readonly durationMs?: number | undefined;
}

/** A complete message of a run. Unescaped: print it with `printable`. */
export interface ProgressMessage {
  /** Derived from run and position: stable, so suitable as a React key. */
  readonly id: string;
  /** `agent` is a message between agents. */
  readonly role: 'user' | 'assistant' | 'agent';
  readonly at: number;
  /** The sender's path; for a user's message, the receiver's. */
  readonly path: string;
  readonly agent: string;
  readonly step?: number | undefined;
  /** Receiver of a message between agents. */
  readonly to?: string | undefined;
  readonly text: string;
  readonly reasoning?: string | undefined;
  /** The input of the run, if it is not text. */
  readonly data?: Json | undefined;
  /** Tool calls of the message, in requested order. */
  readonly calls: readonly ProgressCall[];
  /** The request that it makes or answers. */
  readonly requestId?: string | undefined;
  /** A critic's note that rejected it. */
  readonly rejected?: string | undefined;
  /** True for what `useAgent` had of an answer when its run was stopped. No log has it, and no later run is given it. */
  readonly isCut?: boolean | undefined;
}

type Messages = readonly ProgressMessage[];

/** Applies an event to the messages of a run, oldest first; the same array if nothing changes. */
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
  // An event from elsewhere may not be validated.
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

/** Index of the agent's last message, if it belongs to this step. */
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

/** Adds the output of a run that no message contains: of a team, an agent that decides by itself, or a completing tool. */
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
  // An agent that decides by itself calls tools without a message.
  const message = messages[index] ?? spoken(event, 'assistant', '');
  const place = message.calls.findIndex((call) => call.callId === callId);
  const before = message.calls[place] ?? { callId, tool, input: null, state: 'requested' };
  // A denied call finishes, too, with the reason.
  const state = before.state === 'denied' ? 'denied' : (news.state ?? before.state);
  const call: ProgressCall = { ...before, ...news, state };
  const calls = place < 0 ? [...message.calls, call] : message.calls.with(place, call);
  return index === messages.length
    ? [...messages, { ...message, calls }]
    : messages.with(index, { ...message, calls });
};
