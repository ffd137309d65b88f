import { printableJson } from '../../../base/text/printable.ts';
import { systemClock } from '../../../base/clock.ts';
import {
  aBoolean,
  aFunction,
  anything,
  aText,
  fulfilling,
  isObject,
  optional,
} from '../../../base/schemas/option-schemas.ts';
import type { JsonObject } from '../../../base/json/json.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import type { ErrorData } from '../../../contracts/errors/error-data.ts';
import type { EventSource, StreamOptions } from '../../../runtime/serve/streams/event-source.ts';
import { openSource } from '../../../runtime/serve/streams/event-source.ts';
import { pausedTexts } from '../../../runtime/serve/streams/paused-texts.ts';
import type { SseOptions } from '../../../runtime/serve/streams/sse.ts';
import { sseStream } from '../../../runtime/serve/streams/sse.ts';
import type { UiChunk } from './ui-chunk.ts';
import type { UiPlace } from './ui-message-fold.ts';
import { UiMessageFold } from './ui-message-fold.ts';

/** Options of a message for `useChat`. */
export interface UiMessageOptions extends StreamOptions, Pick<SseOptions, 'heartbeatMs' | 'headers'> {
  /**
   * The request, as {@link readUiMessages} reads it: a message whose run waited for people is continued where it ended.
   * Default: the whole run is sent.
   */
  readonly continues?: { readonly place?: UiPlace | undefined } | undefined;
  /** Default: the id of the run, so that a client that resumes replaces the message. */
  readonly messageId?: string | undefined;
  /**
   * Major version of the package `ai` in the page. Version 6 cannot remove what it was sent: there a text that was thrown away stays,
   * marked by `providerMetadata.troupe.isDiscarded`, and the page has to leave it out. Default 7.
   */
  readonly sdk?: 6 | 7 | undefined;
  /** Keeps the stream open while the run waits for people, for a page that answers by requests of its own. Default false. */
  readonly staysOpen?: boolean | undefined;
  /** Called if the client hangs up before the end, as its `stop()` does. Default: the run continues, and can be resumed. */
  readonly onDisconnect?: (() => void) | undefined;
  /** The words for a run that failed. Default: the error's message, without secrets. */
  readonly errorText?: ((error: ErrorData) => string) | undefined;
  /** Metadata of the message, beside the run's own. */
  readonly metadata?: JsonObject | undefined;
}

/**
 * Answers a request of the AI SDK's `useChat`: a run as one message of its UI message stream, version 1.
 *
 * Texts and thoughts stream; calls, their approvals and results are tool parts; questions to people, plans, warnings and members of
 * a team are `data-*` parts; usage, cost and status are its metadata. A text that was thrown away is removed from the page. The
 * message ends when the run waits for people, as `useChat` sends an approval only then, and {@link readUiMessages} reads it. A
 * client that joins late, or resumes, is sent all that was said. Without a `source` the answer is 204: nothing is under way.
 *
 * @example
 * const chat = await readUiMessages(request);
 * return uiMessageResponse(desk.stream(chat.input, { thread: chat.chatId }));
 *
 * @throws {TroupeError} `input.invalid` for what is no run, or an option that does not fit.
 */
export const uiMessageResponse = (
  source: EventSource | undefined,
  options: UiMessageOptions = {},
): Response => {
  const { continues, headers, onDisconnect, staysOpen = false, clock = systemClock } = checkOptions(options);
  if (source === undefined) return new Response(null, { status: 204 });
  const fold = new UiMessageFold({ ...options, place: continues?.place });
  const events = openSource(source, options);
  const texts = pausedTexts(events, fold, { textOf: sseText, end: END }, staysOpen ? undefined : clock);
  return sseStream(onReturn(texts, onDisconnect), '', {
    ...options,
    headers: { 'x-vercel-ai-ui-message-stream': 'v1', ...headers },
  });
};

const checkOptions = optionsCheck<UiMessageOptions>(
  { code: 'input.invalid', owner: 'the message', verb: 'send' },
  () => ({
    continues: optional(fulfilling(isObject, 'not what `readUiMessages` returns')),
    messageId: optional(aText(1)),
    sdk: optional(fulfilling((given) => given === 6 || given === 7, 'not a version: write 6 or 7')),
    staysOpen: optional(aBoolean()),
    onDisconnect: optional(aFunction()),
    errorText: optional(aFunction()),
    metadata: optional(fulfilling(isObject, 'not an object')),
    ...elsewhere,
  }),
);

/** Options that are checked where they are used. */
const elsewhere = {
  heartbeatMs: anything(),
  headers: anything(),
  middleware: anything(),
  secrets: anything(),
  clock: anything(),
  capacity: anything(),
  overflow: anything(),
};

const onReturn = (
  texts: AsyncIterator<string, undefined>,
  notify: (() => void) | undefined,
): AsyncIterator<string, undefined> => ({
  next: () => texts.next(),
  return: async () => {
    notify?.();
    await texts.return?.();
    return { value: undefined, done: true };
  },
});

const END = 'data: [DONE]\n\n';

const sseText = (chunk: UiChunk): string => `data: ${printableJson(chunk)}\n\n`;
