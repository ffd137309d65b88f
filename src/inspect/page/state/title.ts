import { effect } from '@preact/signals';
import { currentRun } from '../page-state.ts';
import { isRunShown } from './home.ts';
import { titleOf } from './wait-words.ts';
import { waitingRuns } from './waits.ts';

/** Keeps the title of the window up to date. */
export const keepTitle = (): void => {
  effect(() => {
    document.title = titleOf(waitingRuns.value, isRunShown.value ? currentRun.value : undefined);
  });
};
