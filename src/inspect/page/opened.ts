import { signal } from '@preact/signals';

type Form = 'message' | 'abort' | 'kill' | 'fork';

/** The open form: a message being written, a fork, or a confirmation. */
export const opened = signal<Form | undefined>(undefined);

/** Closes a form whose command was taken, but none that was opened in its place meanwhile. */
export const closeForm = (form: Form): void => {
  if (opened.peek() === form) opened.value = undefined;
};
