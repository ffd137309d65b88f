import { countOf, several, spanOf } from '../figures.ts';
import type { RecordedTimes, Work, WorkStatus } from '../../recording/work-of.ts';
import { timeOf } from '../../recording/work-of.ts';

/** A status, for people. */
export const statusWords: Readonly<Record<WorkStatus, string>> = {
  idle: 'not yet',
  active: 'at work',
  waits: 'waits for a person',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
  skipped: 'skipped',
};

/** Says the status of a part in a few words: `240 of 1,000 · 3 failed`, `done · 2 times · 1.2 s`. */
export const workWords = (work: Work, times: RecordedTimes): string => {
  const { status, actors, members } = work;
  const failures = (all: readonly { readonly status: string }[]): string => {
    const count = all.filter((each) => each.status === 'failed').length;
    return count === 0 ? '' : `${countOf(count)} failed`;
  };
  const time = timeOf(work, times);
  const span = time === undefined ? '' : spanOf(time);
  if (members !== undefined) {
    const all = [...members.values()];
    const engaged = all.filter((each) => each.status !== 'idle');
    const waiting = all.some((each) => each.status === 'waits') ? statusWords.waits : '';
    return joinWords(`${countOf(engaged.length)} of ${countOf(all.length)}`, failures(all), waiting);
  }
  if (status === 'idle') return '';
  if (actors.length <= 1) return joinWords(statusWords[status], span);
  return joinWords(statusWords[status], several(actors.length, 'time'), failures(actors), span);
};

const joinWords = (...parts: readonly string[]): string => parts.filter((each) => each !== '').join(' · ');
