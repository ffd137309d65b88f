import type { MessagePriority } from './message.ts';
import { messagePriorities } from './message.ts';

/**
 * Urgency among waiting requests: `control` keeps the system running, a `human` is waiting, `peer` is between agents,
 * `data` may take its time. Equal ones are served in order of arrival.
 */
export type Priority = MessagePriority;

/** Most urgent first. */
export const priorities: readonly Priority[] = messagePriorities;

/** The priority where none is given. */
export const defaultPriority: Priority = 'peer';
