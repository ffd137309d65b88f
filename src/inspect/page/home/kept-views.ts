import { signal } from '@preact/signals';
import type { KeptViews, SavedView } from './saved-views.ts';
import { viewsIn, viewsText } from './saved-views.ts';

const KEY = 'troupe-inspect-views';
const UNKEPT = 'This browser keeps nothing of the page: views last until it is closed';

const read = (): KeptViews => {
  try {
    return viewsIn(localStorage.getItem(KEY));
  } catch {
    return { views: [], note: UNKEPT };
  }
};

/** The saved views, in the order of their names. */
export const keptViews = signal<KeptViews>({ views: [], note: undefined });

/** Shows the views as they change, also in other windows; returns the end of it. */
export const watchViews = (): (() => void) => {
  // Views that could not be kept are known here alone.
  if (keptViews.peek().note !== UNKEPT) keptViews.value = read();
  const follow = ({ key }: StorageEvent): void => {
    if (key === KEY || key === null) keptViews.value = read();
  };
  addEventListener('storage', follow);
  return () => {
    removeEventListener('storage', follow);
  };
};

export const keepViews = (views: readonly SavedView[]): void => {
  keptViews.value = { views, note: undefined };
  try {
    localStorage.setItem(KEY, viewsText(views));
  } catch {
    keptViews.value = { views, note: UNKEPT };
  }
};
