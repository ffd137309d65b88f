import { signal } from '@preact/signals';

/** The open form: a message being written, a fork, or a confirmation. */
export const opened = signal<'message' | 'abort' | 'kill' | 'fork' | undefined>(undefined);
