import type { Json } from './json.ts';

/**
 * Something said between agents, or from and to people. Never an event.
 *
 * It lands in the receiver's inbox and is seen at its next OBSERVE.
 */
export interface Message {
  /** The name of an agent, or `'person'`. */
  readonly from: string;
  readonly text: string;
  readonly data?: Json | undefined;
}
