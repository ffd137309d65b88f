import { signal } from '@preact/signals';

/** The name of this page among those that look at the same runs. */
export const pageName = Math.random().toString(36).slice(2);

/** A command that a page gave, and its run. */
export interface Deed {
  readonly by: string;
  readonly do: string;
  readonly run?: string | undefined;
}

/** Number of pages that look at the runs, with this one. */
export const company = signal(1);

/** The last command of another page, for a while. */
export const deed = signal<Deed | undefined>(undefined);

/** Time for which a command of another page is shown, in ms. */
const SHOWN_MS = 12_000;

let forgotten: ReturnType<typeof setTimeout> | undefined;

/** Shows what a page did, unless it is this one. */
export const noteDeed = (done: Deed): void => {
  if (done.by === pageName) return;
  clearTimeout(forgotten);
  deed.value = done;
  forgotten = setTimeout(() => {
    deed.value = undefined;
  }, SHOWN_MS);
};
