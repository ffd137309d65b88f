import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/terminal.ts';
import { noticeLines } from '../words/notice-lines.ts';
import { asksForName } from '../../inspect/drawing/approval-words.ts';
import { approvalsSoFar, waitingNotices } from './request-words.ts';

/** A run in a store. */
export interface KeptRun {
  readonly store: JournalStore;
  readonly runId: string;
  /** Option for further commands on it: ` --store runs.db`, or empty. */
  readonly option: string;
  /** Additional option for resuming it: ` --agent agent.ts`, or empty if its record names the code. */
  readonly agentOption?: string | undefined;
  /** The time at which it was forked from another, in ms since 1970. */
  readonly forkedAt?: number | undefined;
  /** True to park it as soon as it waits for a person, or for long. */
  readonly isParked: boolean;
}

/** The interval at which the state of the run is read, in ms. */
const LOOK_MS = 100;
/** A run that has to wait longer is left, in ms. */
const LONG_MS = 10_000;

/**
 * Watches a stored run while it waits: keeps the process alive, shows what it waits for and how to answer, and parks it
 * if requested.
 */
export class Waiting {
  /** Resolves when the run is left. */
  readonly parked: Promise<'parked'>;
  readonly #kept: KeptRun;
  readonly #session: Session;
  readonly #isAnsweredHere: boolean;
  readonly #timer: NodeJS.Timeout;
  readonly #shown = new Set<string>();
  readonly #since = Date.now();
  #open: () => readonly OpenRequest[] = () => [];
  #park: () => void = () => undefined;

  constructor(kept: KeptRun, session: Session, isAnsweredHere: boolean) {
    this.#kept = kept;
    this.#session = session;
    this.#isAnsweredHere = isAnsweredHere;
    this.parked = new Promise((resolve) => {
      this.#park = () => {
        resolve('parked');
      };
    });
    // Nothing else keeps the process alive while a run waits for a letter.
    this.#timer = setInterval(() => {
      // A failed query may succeed the next time; a lost store is detected by the run itself.
      this.#look().catch(() => undefined);
    }, LOOK_MS);
  }

  /** Attaches to the run: its open requests can be shown, unless its own copy of troupe does not provide them. */
  watch(run: { readonly requests?: readonly OpenRequest[] | undefined }): void {
    this.#open = () => run.requests ?? [];
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    this.#tell(this.#open());
    if (this.#kept.isParked && (await this.#isLong())) this.#park();
  }

  async #isLong(): Promise<boolean> {
    const { store, runId } = this.#kept;
    const entry = await store.entry(runId);
    // A status written by an earlier process is outdated once the run is resumed.
    if (entry?.status !== 'waiting' || entry.updatedAt < this.#since) return false;
    if (this.#open().length > 0 || entry.dueAt === undefined) return true;
    return entry.dueAt > Date.now() + LONG_MS;
  }

  /** Shows each request once, and again when one of several people has approved it. */
  #tell(open: readonly OpenRequest[]): void {
    // A person at the terminal is asked there, but has no name: they cannot approve what needs one.
    const fresh = open.map(
      (request) => (!this.#isAnsweredHere || needsName(request)) && !this.#shown.has(stateOf(request)),
    );
    if (!fresh.includes(true)) return;
    const { terminal, command, sidePaint: paint } = this.#session;
    const { runId, option } = this.#kept;
    for (const [index, notice] of waitingNotices(open, runId, option, command).entries())
      if (fresh[index] === true)
        for (const line of noticeLines(paint.yellow('!'), notice, widthOf(terminal.stderr)))
          terminal.stderr.write(`${line}\n`);
    for (const request of open) this.#shown.add(stateOf(request));
  }
}

const needsName = (request: OpenRequest): boolean => request.kind !== 'question' && asksForName(request);

const stateOf = (request: OpenRequest): string => `${request.id} ${approvalsSoFar(request)}`;
