import type { Observable } from 'rxjs';
import { mergeMap, scan } from 'rxjs';
import type { LiveEvent } from '../../contracts/events/event.ts';
import { printableJson } from '../../base/text/printable.ts';
import type { AgUiEvent, AgUiNames } from './ag-ui-event.ts';
import { AgUiFold } from './ag-ui-fold.ts';
import type { EventSource, StreamOptions } from '../../runtime/serve/streams/event-source.ts';
import { flatMapItems, openSource } from '../../runtime/serve/streams/event-source.ts';
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

/**
 * Answers the request of an AG-UI client (`HttpAgent`): a run as {@link toAgUi} converts it, by server-sent events.
 *
 * @example
 * const { threadId, runId, messages } = await request.json();
 * return agUiResponse(desk.stream(lastUserText(messages), { thread: threadId }), { threadId, runId });
 */
export const agUiResponse = (
  source: EventSource,
  options: AgUiNames & StreamOptions & Pick<SseOptions, 'heartbeatMs' | 'headers'> = {},
): Response => {
  const fold = new AgUiFold(options);
  const texts = flatMapItems(openSource(source, options), (event) =>
    fold.take(event).map((each) => `data: ${printableJson(each)}\n\n`),
  );
  return sseStream(texts, '', options);
};
