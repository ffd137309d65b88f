import type { Arrival } from '../../contracts/journals/journal-record.ts';

/** The last value that a call committed to continue from. */
export type Checkpoint = Extract<Arrival, { type: 'checkpointed' }>;
