import { callerKeyOf } from '../../runtime/serve/http/callers.ts';
import { SAFE_HEADERS } from '../../runtime/serve/http/reply.ts';
import { sseStream } from '../../runtime/serve/streams/sse.ts';
import type { AgentCall } from './agent-call.ts';

/** The way in which a binding writes events. */
export interface EventWords<Event> {
  readonly textOf: (event: Event) => string;
  /** The last text of a stream that fails. */
  readonly failureText: (thrown: unknown) => string;
}

/** Answers by server-sent events. The first is awaited, so that what is refused is no stream. */
export const streamReply = async <Event>(
  { caller, serving, ending }: AgentCall,
  events: AsyncIterator<Event, void>,
  words: EventWords<Event>,
): Promise<Response> => {
  const first = await events.next();
  if (first.done === true) throw new Error('a stream without a first event');
  const texts = textsOf(first.value, events, words, ending.abort);
  const open = serving.streams.open(callerKeyOf(caller), texts, () => '');
  return sseStream(open, '', { clock: serving.clock, headers: SAFE_HEADERS });
};

/** Events as texts. `release` is called at the end, and first when the client is gone, so that what they come from ends. */
const textsOf = <Event>(
  first: Event,
  rest: AsyncIterator<Event, void>,
  { textOf, failureText }: EventWords<Event>,
  release: () => void,
): AsyncIterator<string, undefined> => {
  let isFirst = true;
  let isOver = false;
  const done = { value: undefined, done: true } as const;
  return {
    next: async () => {
      if (isOver) return done;
      try {
        const next = isFirst ? { value: first, done: false as const } : await rest.next();
        isFirst = false;
        if (next.done !== true) return { value: textOf(next.value), done: false };
        release();
        return done;
      } catch (thrown) {
        isOver = true;
        release();
        return { value: failureText(thrown), done: false };
      }
    },
    return: async () => {
      isOver = true;
      release();
      await rest.return?.();
      return done;
    },
  };
};
