import { printableJson } from '../../events/printable.ts';
import { byteStream } from './byte-stream.ts';
import type { EventSource, StreamOptions } from './event-source.ts';
import { flattened, openSource } from './event-source.ts';

/** How events are sent as lines. */
export interface NdjsonOptions extends Omit<StreamOptions, 'clock'> {
  /** True if the deltas of models are sent, too. Default true. */
  readonly deltas?: boolean | undefined;
}

/**
 * A run as lines of JSON, one event each, for a file, a pipe or a `Response`: it is read as fast as it is pulled. A terminal may show
 * them; `parseEvent` reads all but deltas.
 *
 * @example
 * await ndjson(handle, { deltas: false }).pipeTo(Writable.toWeb(process.stdout));
 */
export const ndjson = (
  source: EventSource,
  { deltas = true, ...options }: NdjsonOptions = {},
): ReadableStream<Uint8Array> =>
  byteStream(
    flattened(openSource(source, options), (event) =>
      deltas || event.type !== 'model.delta' ? [`${printableJson(event)}\n`] : [],
    ),
  );
