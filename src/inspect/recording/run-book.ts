import type { EventBody, LiveEvent } from '../../contracts/events/event.ts';
import type { InspectedRun } from '../../contracts/events/inspection.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import { inputText } from '../drawing/input-text.ts';
import type { RunFigures } from './run-sums.ts';
import { RunSums } from './run-sums.ts';

/** A run that was recorded, or is being, with what it has used so far. */
export interface RecordedRun extends RunFigures {
  readonly runId: string;
  /** The name of its root. */
  readonly agent: string;
  readonly startedAt: number;
  /** The first words of its input. */
  readonly title: string;
  /** Its status; a suspended run has left this process, and continues where it is resumed. */
  readonly status: 'running' | 'paused' | 'suspended' | RunStatus;
}

/** A run of the book, and its sums so far. */
interface Known {
  readonly run: RecordedRun;
  readonly sums: RunSums;
  readonly now: () => number;
}

type BegunRun = Pick<InspectedRun, 'runId' | 'agent' | 'now'> & Partial<Pick<InspectedRun, 'redact'>>;

const MOST = 1_000;
const LONGEST_TITLE = 120;

/** The runs, present and past, the newest last. */
export class RunBook {
  readonly #runs = new Map<string, Known>();
  readonly #redact: (text: string) => string;

  /** `redact` redacts secrets in a text. */
  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  get runs(): readonly RecordedRun[] {
    return [...this.#runs.values()].map(({ run, sums, now }) => {
      const isOver = run.status !== 'running' && run.status !== 'paused';
      const soFar = isOver ? {} : { durationMs: Math.max(0, now() - run.startedAt) };
      return { ...run, ...sums.figures, ...soFar };
    });
  }

  /** A run is about to start; returns the recorder of its events. */
  begins(run: BegunRun): (event: EventBody | LiveEvent, at: number) => void {
    const { runId, agent, redact = (value) => value } = run;
    const sums = new RunSums();
    const now = (): number => run.now();
    let known: RecordedRun = { runId, agent, startedAt: now(), title: '', status: 'running' };
    const change = (changed: Partial<RecordedRun>): void => {
      known = { ...known, ...changed };
      // Another of the same id may have taken its place.
      if (this.#runs.get(runId)?.sums === sums) this.#runs.set(runId, { run: known, sums, now });
    };
    this.#runs.delete(runId);
    this.#runs.set(runId, { run: known, sums, now });
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MOST) break;
      this.#runs.delete(oldest);
    }
    return (event, at) => {
      sums.take(event, at);
      if (event.type === 'run.started')
        change({ title: titleOf(redact(event.input), this.#redact), startedAt: at });
      else if (event.type === 'run.paused') change({ status: 'paused' });
      else if (event.type === 'run.resumed') change({ status: 'running' });
      else if (event.type === 'run.ended') change({ status: statusAtEnd(event) });
    };
  }
}

/** The status that a run has in this process once it has ended there. */
export const statusAtEnd = ({ status, error }: RunEnded): 'suspended' | RunStatus =>
  error?.code === 'run.suspended' ? 'suspended' : status;

type RunEnded = Pick<Extract<LiveEvent, { type: 'run.ended' }>, 'status' | 'error'>;

const titleOf = (given: unknown, redact: (text: string) => string): string => {
  const input = inputText(given);
  // Half a secret would not be found any more.
  const text = redact(typeof input === 'string' ? input : JSON.stringify(input));
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1)}…` : line;
};
