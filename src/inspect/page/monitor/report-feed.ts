import { signal } from '@preact/signals';
import type { WorkReport } from '../../recording/report/work-report.ts';
import { watchAnswer } from '../home/watch-answer.ts';

/** The work of all runs, added up; undefined before it is loaded. */
export const workReport = signal<WorkReport | undefined>(undefined);

/** Keeps the report up to date while it is shown; returns the end of it. */
export const watchReport = (): (() => void) => watchAnswer('/api/report', workReport).stop;
