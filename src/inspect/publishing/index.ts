/**
 * Publishes runs: to people elsewhere by publishers, to clients by server-sent events, lines of JSON or AG-UI; through
 * middleware, to several consumers at once, together with an app's custom events.
 */

// Publishers
export { publishTo } from './publish-to.ts';
export type { PublishingHook, PublishOptions, PublishStats } from './publish-to.ts';
export type { PublishedBatch, Publisher } from './publisher.ts';
export { publicationSchema } from './publication.ts';
export type { Publication, PublicationKind } from './publication.ts';
export type { Silence } from './silence.ts';
export { nostrPublisher } from './nostr.ts';
export type { NostrOptions } from './nostr.ts';

// Streams for clients
export { sseResponse } from './sse.ts';
export type { SseOptions } from './sse.ts';
export { ndjson } from './ndjson.ts';
export type { NdjsonOptions } from './ndjson.ts';
export { agUiResponse, toAgUi } from './ag-ui.ts';
export type { AgUiEvent, AgUiNames } from './ag-ui-event.ts';
export type { EventSource, StreamOptions } from './event-source.ts';

// Streams within the process
export { around, through } from '../../events/stream/middleware.ts';
export type { AroundEvent, EventMiddleware } from '../../events/stream/middleware.ts';
export { multiplex } from '../../events/stream/multiplex.ts';
export type {
  Consumer,
  ConsumerStats,
  Multiplexed,
  MultiplexOptions,
} from '../../events/stream/multiplex.ts';
export { buffered } from '../../events/stream/buffered.ts';
export type { Buffered } from '../../events/stream/buffered.ts';
export type { BufferOptions, EventOverflow } from '../../events/stream/overflow-buffer.ts';
export { typing$ } from '../../events/progress/typing.ts';
export type { Typing, TypingOptions } from '../../events/progress/typing.ts';

// Events of an app's own
export { defineEvent } from './define-event.ts';
export type { AnyEventDefinition, EventDefinition } from './define-event.ts';
export { eventRegistry } from './event-registry.ts';
export type { CustomEvent } from './custom-event.ts';
export type { EventDeadLetter, EventRegistry } from './event-registry.ts';
