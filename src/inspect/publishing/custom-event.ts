import type { EventOf } from '../../contracts/event.ts';

/** An event of an app's own, as a run tells it. */
export type CustomEvent = EventOf<'custom.emitted'>;
