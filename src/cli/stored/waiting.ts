import type { JournalStore } from '../../contracts/journal.ts';
import type { OpenRequest } from '../../contracts/request.ts';
import type { Session } from '../session.ts';
import { waitingLines } from './request-words.ts';

/** A run that is kept in a store. */
export interface KeptRun {
  readonly store: JournalStore;
  readonly runId: string;
  /** What has to follow a command on it: ` --store runs.db`, or nothing. */
  readonly option: string;
  /** What has to follow besides where it is resumed: ` --agent agent.ts`, or nothing where its record says by which code. */
  readonly agentOption?: string | undefined;
  /** It is left where it is as soon as it has to wait for somebody, or long. */
  readonly isParked: boolean;
}

/** The interval at which the state of the run is read, in ms. */
const LOOK_MS = 100;
/** A run that has to wait longer is left, in ms. */
const LONG_MS = 10_000;

/** Watches over a kept run while it waits: keeps the process, says what is waited for and how it is answered, and leaves it where it is to be. */
export class Waiting {
  /** Resolves when the run is left. */
  readonly parked: Promise<'parked'>;
  readonly #kept: KeptRun;
  readonly #session: Session;
  readonly #isAnsweredHere: boolean;
  readonly #timer: NodeJS.Timeout;
  readonly #told = new Set<string>();
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
    // Nothing else holds a process whose run waits for a letter.
    this.#timer = setInterval(() => {
      // A store that cannot be asked now may be asked the next time; the run itself finds one that is gone.
      this.#look().catch(() => undefined);
    }, LOOK_MS);
  }

  /** The run is there: what it waits for can be seen, unless a copy of troupe of its own does not tell. */
  watch(run: { readonly requests?: readonly OpenRequest[] | undefined }): void {
    this.#open = () => run.requests ?? [];
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (!this.#isAnsweredHere) this.#tell(this.#open());
    if (this.#kept.isParked && (await this.#isLong())) this.#park();
  }

  async #isLong(): Promise<boolean> {
    const { store, runId } = this.#kept;
    const entry = await store.entry(runId);
    // What an earlier process wrote says nothing of how the run stands now that it is gone on with.
    if (entry?.status !== 'waiting' || entry.updatedAt < this.#since) return false;
    if (this.#open().length > 0 || entry.dueAt === undefined) return true;
    return entry.dueAt > Date.now() + LONG_MS;
  }

  #tell(open: readonly OpenRequest[]): void {
    if (open.every(({ id }) => this.#told.has(id))) return;
    const { terminal, sidePaint: paint } = this.#session;
    const { runId, option } = this.#kept;
    for (const [index, line] of waitingLines(open, runId, option).entries())
      if (!this.#told.has(open[index]?.id ?? '')) terminal.stderr.write(`  ${paint.yellow('!')} ${line}\n`);
    for (const { id } of open) this.#told.add(id);
  }
}
