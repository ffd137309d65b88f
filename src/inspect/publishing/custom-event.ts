import type { EventOf } from '../../contracts/events/event.ts';

/** A custom event of an app, as emitted by a run. */
export type CustomEvent = EventOf<'custom.emitted'>;
