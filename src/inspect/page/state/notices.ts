import { effect, signal } from '@preact/signals';
import { oneLine } from '../../drawing/plain-text.ts';
import { runName } from '../session.ts';
import { isExported } from '../page-state.ts';
import { hashOf, openingRoute } from './route.ts';
import type { WaitingRun } from './wait-words.ts';
import { newlyWaiting } from './wait-words.ts';
import { waitingRuns } from './waits.ts';

const KEY = 'troupe-inspect-notices';

/** On if the browser notifies of what waits while one looks elsewhere; undefined where it cannot. */
export const notices = signal<'on' | 'off' | undefined>(undefined);

const isWanted = (): boolean => {
  try {
    return localStorage.getItem(KEY) === 'on';
  } catch {
    return false;
  }
};

const want = (value: 'on' | 'off'): void => {
  notices.value = value;
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // The choice then lasts until the page is closed.
  }
};

/** Asks the browser for permission, by a click; then, and by the next one, turns notices on and off. */
export const turnNotices = async (): Promise<void> => {
  if (notices.peek() === 'on') want('off');
  else if ((await Notification.requestPermission()) === 'granted') want('on');
  else notices.value = undefined;
};

/** Notifies of runs that begin to wait for a person, once for each, while the page is not looked at. */
export const keepNotices = (): void => {
  if (isExported.peek() || !('Notification' in globalThis)) return;
  // One who has refused is not asked again: that is the browser's to change.
  if (Notification.permission !== 'denied')
    notices.value = Notification.permission === 'granted' && isWanted() ? 'on' : 'off';
  let before: ReadonlyMap<string, number> = new Map();
  effect(() => {
    const now = waitingRuns.value;
    const news = newlyWaiting(before, now);
    before = new Map(now.map(({ run, count }) => [run.run, count]));
    if (notices.peek() !== 'on' || document.hasFocus()) return;
    for (const each of news) notify(each);
  });
};

const notify = ({ run }: WaitingRun): void => {
  const notice = new Notification(`${oneLine(run.agent, 40)} waits for you`, {
    body: runName(run),
    // Another of the same run takes its place.
    tag: run.run,
  });
  notice.addEventListener('click', () => {
    window.focus();
    location.hash = hashOf({ ...openingRoute, run: run.run });
    notice.close();
  });
};
