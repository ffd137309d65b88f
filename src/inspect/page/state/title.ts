import { effect } from '@preact/signals';
import { currentRun } from '../page-state.ts';
import { isHome } from './home.ts';
import { titleOf } from './wait-words.ts';
import { waitingRuns } from './waits.ts';

/** Keeps the title of the window up to date. */
export const keepTitle = (): void => {
  effect(() => {
    document.title = titleOf(waitingRuns.value, isHome.value ? undefined : currentRun.value);
  });
};
