import type { RuntimeEvent } from '../../../contracts/events/runtime-event.ts';
import type { ResumedEntry } from '../../recording/entry.ts';
import { countBelow } from '../timeline.ts';
import type { Report, Tone } from './problem-of.ts';
import { interruption, reportsOf, tones } from './problem-of.ts';

/** One time that a problem occurred. */
export interface Occurrence {
  /** The place of the entry that reported it first. */
  readonly n: number;
  readonly at: number;
  readonly run: string;
  /** The actor, by its id in the recording. */
  readonly actor: string;
  readonly path: string;
  readonly agent: string;
  readonly call?: string | undefined;
  /** All events that reported this very error, in order. */
  readonly reports: readonly { readonly n: number; readonly type: string; readonly tone: Tone }[];
}

/** Equal problems of a recording: the same words, for the same causes. */
export interface Problem {
  readonly key: string;
  /** Of its worst report. */
  readonly title: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly causes: readonly string[];
  readonly occurrences: readonly Occurrence[];
}

interface Kept extends Omit<Problem, 'title'> {
  title: string;
  tone: Tone;
  readonly occurrences: (Occurrence & { readonly reports: Occurrence['reports'][number][] })[];
  /** Its occurrences by the error that they are of. */
  readonly byError: Map<string, number>;
}

/** The place of a report, and what it was reported by. */
interface ReportPlace extends Pick<Occurrence, 'n' | 'at' | 'run' | 'actor' | 'path' | 'agent'> {
  readonly type: string;
}

/** The number of problems of each tone. */
export type ProblemCounts = Readonly<Record<Tone, number>>;

/**
 * All problems of a recording: equal ones once, each with all its occurrences.
 *
 * P1  An error that several events report is one occurrence, where it was reported first.
 */
export class Problems {
  readonly #all = new Map<string, Kept>();
  /** Counts changes. */
  changes = 0;

  /** All of them, in order of their first occurrence. */
  get all(): readonly Problem[] {
    return [...this.#all.values()];
  }

  /** Takes in the event at a place of the recording. */
  take(n: number, actor: string, event: RuntimeEvent): void {
    const { runId: run, at, agent, type } = event;
    const place = { n, at, run, actor, path: event.path, agent, type };
    for (const report of reportsOf(event)) this.#add(place, report);
  }

  /** Takes in that a run was interrupted, and resumed by another process. */
  interrupted({ n, at, actor, run }: ResumedEntry): void {
    const path = actor.slice(run.length + 1);
    this.#add({ n, at, run, actor, path, agent: path, type: 'resumed' }, interruption(path));
  }

  /** The number of occurrences up to a place, by tone; of one run, or of all. */
  countAt(length: number, run?: string): ProblemCounts {
    const counts = { error: 0, refusal: 0, stop: 0, setback: 0 };
    for (const problem of this.#all.values())
      for (const occurrence of occurrencesAt(problem, length))
        if (run === undefined || occurrence.run === run) counts[toneAt(occurrence, length)] += 1;
    return counts;
  }

  #add({ n, at, run, actor, agent, type, ...place }: ReportPlace, report: Report): void {
    this.changes += 1;
    const path = agentAt(place.path);
    const { tone, title, code, message, causes, errorId, goesUp, call } = report;
    const key = [code ?? title, message, ...causes].join('\n');
    let problem = this.#all.get(key);
    if (problem === undefined)
      this.#all.set(
        key,
        (problem = { key, title, tone, message, code, causes, occurrences: [], byError: new Map() }),
      );
    if (tones.indexOf(tone) < tones.indexOf(problem.tone)) Object.assign(problem, { title, tone });
    const { occurrences, byError } = problem;
    const error = errorId === undefined ? undefined : `${run} ${errorId}`;
    const known =
      error === undefined
        ? goesUp
          ? occurrences.findLast((each) => each.run === run && isWithin(each.path, path))
          : undefined
        : occurrences[byError.get(error) ?? -1];
    if (known !== undefined) {
      known.reports.push({ n, type, tone });
      return;
    }
    if (error !== undefined) byError.set(error, occurrences.length);
    occurrences.push({ n, at, run, actor: agentAt(actor), path, agent, call, reports: [{ n, type, tone }] });
  }
}

/** The address of the agent, for that of its helper. */
const agentAt = (address: string): string => address.replace(/\/~.*$/u, '');

const isWithin = (path: string, around: string): boolean => path === around || path.startsWith(`${around}/`);

/** The occurrences of a problem up to a place. */
const occurrencesAt = ({ occurrences }: Problem, length: number): readonly Occurrence[] => {
  const last = occurrences.at(-1);
  if (last === undefined || last.n < length) return occurrences;
  return occurrences.slice(
    0,
    countBelow(
      occurrences.map(({ n }) => n),
      length,
    ),
  );
};

/** The tone of an occurrence at a place: that of the worst report of it. */
export const toneAt = ({ reports }: Occurrence, length: number): Tone =>
  worst(reports.filter(({ n }, index) => index === 0 || n < length).map(({ tone }) => tone));

/** The worst of some tones. */
export const worst = (some: readonly Tone[]): Tone => tones.find((tone) => some.includes(tone)) ?? 'setback';
