import type { RuntimeEvent } from '../../contracts/events/event.ts';

/** A readable log: its length and its entries. An array is one. */
export interface EventSource {
  readonly length: number;
  at(index: number): RuntimeEvent | undefined;
}
