import type { RuntimeEvent } from '../contracts/event.ts';

/** A log as its readers need it: how long it is, and what stands where. An array is one. */
export interface EventSource {
  readonly length: number;
  at(index: number): RuntimeEvent | undefined;
}
