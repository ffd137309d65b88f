import type { MessagePriority } from './message.ts';
import { messagePriorities } from './message.ts';

/**
 * How urgent it is, where several wait for the same thing: `control` keeps the system going, a `human` waits for it, `peer` is what
 * agents do for each other, `data` may take its time. The equally urgent go in the order of coming.
 */
export type Priority = MessagePriority;

/** Most urgent first. */
export const priorities: readonly Priority[] = messagePriorities;

/** Where nobody says how urgent it is. */
export const defaultPriority: Priority = 'peer';
