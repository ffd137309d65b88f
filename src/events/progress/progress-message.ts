import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { activityOf } from './activity.ts';
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
    case 'run.started': {
      const { input, task } = event;
      const said = input === '' && task !== undefined ? task.objective : input;
      return withSaid(messages, event, 'user', said);
    }
    case 'model.answered': {
      const { text, calls, reasoning } = event;
      return text === '' && calls === 0
        ? messages
        : withText(messages, event, 'assistant', text, { reasoning });
    }
    case 'message.sent': {
      const { from, to, text } = event;
      if (from === 'person') return withText(messages, event, 'user', text, { path: to });
      return withText(messages, event, 'agent', text, { to });
    }
    case 'person.asked':
      return withText(messages, event, 'assistant', event.question, { requestId: event.id });
    case 'person.answered':
      return withText(messages, event, 'user', event.text, { requestId: event.id });
    case 'agent.critiqued':
      return event.verdict === 'revise' ? withRejection(messages, event) : messages;
    case 'run.ended':
      return withOutput(messages, event);
    default:
      return withCalls(messages, event);
  }
};

type Durable = Exclude<LiveEvent, { type: 'model.delta' }>;

/** Adds a message. */
const withText = (
  messages: Messages,
  { runId, seq, at, path, agent, step }: Durable,
  role: ProgressMessage['role'],
  text: string,
  more: Partial<ProgressMessage> = {},
): Messages => {
  // An event from elsewhere may not be validated.
  if (typeof text !== 'string') throw new TypeError('no text');
  const message = { id: `${runId}#${seq}`, role, at, path, agent, step, text, calls: [], ...more };
  return [...messages, withoutUndefined(message)];
};

/** Adds an input or an output: one that is no text is the message's data, too. */
const withSaid = (messages: Messages, event: Durable, role: ProgressMessage['role'], said: Json): Messages =>
  typeof said === 'string'
    ? withText(messages, event, role, said)
    : withText(messages, event, role, JSON.stringify(said), { data: said });

/** The last message of an agent, if it is of this run and calls no tool. */
export const lastAnswerOf = (
  messages: Messages,
  path: string | undefined,
  runId: string | undefined,
): ProgressMessage | undefined => {
  const last = messages.findLast((message) => message.path === path && message.role === 'assistant');
  return last?.calls.length === 0 && last.id.startsWith(`${runId}#`) ? last : undefined;
};

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
  const last = lastAnswerOf(messages, path, event.runId);
  const isSaid = last !== undefined && last.text !== '' && last.requestId === undefined;
  if (isSaid && last.rejected === undefined) return messages;
  return withSaid(messages, event, 'assistant', output);
};

const withCalls = (messages: Messages, event: LiveEvent): Messages => {
  switch (event.type) {
    case 'tool.requested':
      return withCall(messages, event, { input: event.input, state: 'requested' });
    case 'tool.approval-requested':
    case 'tool.ambiguous':
      return withCall(messages, event, { state: 'waiting', activity: oneLine(event.description) });
    case 'tool.approved':
      return withCall(messages, event, { state: 'requested', input: event.input });
    case 'tool.denied':
      return withCall(messages, event, { state: 'denied', text: event.reason });
    case 'tool.started':
      return withCall(messages, event, {
        input: event.input,
        state: 'running',
        activity: activityOf(event)?.text,
      });
    case 'tool.progressed':
      return withCall(messages, event, { activity: activityOf(event)?.text });
    case 'tool.finished': {
      const { ok, text, error, durationMs } = event;
      return withCall(messages, event, { state: ok ? 'succeeded' : 'failed', text, durationMs, error });
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

type News = { readonly [Fact in keyof ProgressCall]?: ProgressCall[Fact] | undefined };

const withCall = (messages: Messages, event: CallEvent, news: News): Messages => {
  const { callId, tool } = event;
  const index = lastOf(messages, event);
  const message = messages[index];
  // An agent that decides by itself calls tools without a message.
  if (message === undefined) return withCall(withText(messages, event, 'assistant', ''), event, news);
  const place = message.calls.findIndex((call) => call.callId === callId);
  const before = message.calls[place] ?? { callId, tool, input: null, state: 'requested' };
  const after: ProgressCall = { ...before, ...withoutUndefined(news) };
  // A denied call finishes, too, with the reason.
  const call = before.state === 'denied' ? { ...after, state: before.state } : after;
  const calls = place < 0 ? [...message.calls, call] : message.calls.with(place, call);
  return messages.with(index, { ...message, calls });
};
