import type { Observable } from 'rxjs';
import { mergeMap, scan } from 'rxjs';
import { systemClock } from '../../base/clock.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import { printableJson } from '../../base/text/printable.ts';
import type { AgUiEvent, AgUiNames } from './ag-ui-event.ts';
import { AgUiFold } from './ag-ui-fold.ts';
import { AgUiMessage } from './chat/ag-ui-message.ts';
import type { EventSource, StreamOptions } from '../../runtime/serve/streams/event-source.ts';
import { flatMapItems, openSource } from '../../runtime/serve/streams/event-source.ts';
import { pausedTexts } from '../../runtime/serve/streams/paused-texts.ts';
import type { AgUiSubmission } from './chat/read-ag-ui.ts';
import type { SseOptions } from '../../runtime/serve/streams/sse.ts';
import { sseStream } from '../../runtime/serve/streams/sse.ts';

/**
 * Converts a run to events of the AG-UI protocol, in an order that its clients accept: text and reasoning as messages,
 * tool calls with their results, steps, custom events, and one end.
 *
 * The protocol cannot revoke text: its message is ended, and a custom event `model.discarded` names it.
 *
 * @example
 * toAgUi(handle.events$, { threadId }).subscribe((event) => socket.send(JSON.stringify(event)));
 */
export const toAgUi = (events$: Observable<LiveEvent>, names: AgUiNames = {}): Observable<AgUiEvent> =>
  events$.pipe(
    // Made by the first event: a seed would be shared by all who watch.
    scan((before: Folded | undefined, event): Folded => {
      const fold = before?.fold ?? new AgUiFold(names);
      return { fold, events: fold.take(event) };
    }, undefined),
    mergeMap((folded) => folded?.events ?? []),
  );

interface Folded {
  readonly fold: AgUiFold;
  readonly events: readonly AgUiEvent[];
}

/** Options of a response to an AG-UI client. */
export interface AgUiResponseOptions
  extends AgUiNames, StreamOptions, Pick<SseOptions, 'heartbeatMs' | 'headers'> {
  /**
   * The request, as {@link readAgUi} reads it: it gives the names, and the stream ends with an interrupt when the run waits for
   * people, or for tools of the client. Default: the stream stays open meanwhile.
   */
  readonly chat?: AgUiSubmission | undefined;
}

/**
 * Answers the request of an AG-UI client (`HttpAgent`): a run as {@link toAgUi} converts it, by server-sent events.
 *
 * @example
 * const chat = await readAgUi(request);
 * return agUiResponse(desk.stream(chat.input, { thread: chat.threadId }), { chat });
 */
export const agUiResponse = (source: EventSource, options: AgUiResponseOptions = {}): Response => {
  const { chat, clock = systemClock } = options;
  const events = openSource(source, options);
  if (chat !== undefined)
    return sseStream(pausedTexts(events, new AgUiMessage(chat), { textOf: sseText }, clock), '', options);
  const fold = new AgUiFold(options);
  return sseStream(
    flatMapItems(events, (event) => fold.take(event).map(sseText)),
    '',
    options,
  );
};

const sseText = (event: AgUiEvent): string => `data: ${printableJson(event)}\n\n`;
