import { printableJson } from '../../base/text/printable.ts';
import { byteStream } from '../../runtime/serve/streams/byte-stream.ts';
import type { EventSource, StreamOptions } from '../../runtime/serve/streams/event-source.ts';
import { flatMapItems, openSource } from '../../runtime/serve/streams/event-source.ts';

/** Options of sending events as lines. */
export interface NdjsonOptions extends Omit<StreamOptions, 'clock'> {
  /** True if the deltas of models are sent, too. Default true. */
  readonly deltas?: boolean | undefined;
}

/**
 * Sends a run as lines of JSON, one per event, for a file, a pipe or a `Response`: read as fast as it is pulled. Safe
 * for a terminal; `parseEvent` reads all but deltas.
 *
 * @example
 * await ndjson(handle, { deltas: false }).pipeTo(Writable.toWeb(process.stdout));
 */
export const ndjson = (
  source: EventSource,
  { deltas = true, ...options }: NdjsonOptions = {},
): ReadableStream<Uint8Array> =>
  byteStream(
    flatMapItems(openSource(source, options), (event) =>
      deltas || event.type !== 'model.delta' ? [`${printableJson(event)}\n`] : [],
    ),
  );
