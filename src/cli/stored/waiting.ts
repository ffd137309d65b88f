import type { LiveEvent } from '../../contracts/event.ts';
import type { JournalStore } from '../../contracts/journal.ts';
import type { Session } from '../session.ts';
import type { WaitingRequest } from './open-requests.ts';
import { answeringCommand, foldRequests, requestWords } from './open-requests.ts';

/** A run that is kept in a store. */
export interface KeptRun {
  readonly store: JournalStore;
  readonly runId: string;
  /** What has to follow a command on it: ` --store runs.db`, or nothing. */
  readonly option: string;
  /** It is left where it is as soon as it has to wait for somebody, or long. */
  readonly isParked: boolean;
}

/** How often is looked how the run stands, in ms. */
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
  readonly #told = new Set<WaitingRequest>();
  #open: readonly WaitingRequest[] = [];
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
      void this.#look();
    }, LOOK_MS);
  }

  show(event: LiveEvent): void {
    this.#open = foldRequests(this.#open, event);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (!this.#isAnsweredHere) for (const request of this.#open) this.#tell(request);
    if (this.#kept.isParked && (await this.#isLong())) this.#park();
  }

  async #isLong(): Promise<boolean> {
    const { store, runId } = this.#kept;
    const entry = await store.entry(runId);
    if (entry?.status !== 'waiting') return false;
    if (this.#open.length > 0 || entry.dueAt === undefined) return true;
    return entry.dueAt > Date.now() + LONG_MS;
  }

  #tell(request: WaitingRequest): void {
    if (this.#told.has(request)) return;
    this.#told.add(request);
    const { terminal, sidePaint: paint } = this.#session;
    const { runId, option } = this.#kept;
    const what = request.kind === 'question' ? 'an answer' : 'a yes';
    const how = `troupe ${answeringCommand(request, runId)}${option}`;
    terminal.stderr.write(`  ${paint.yellow('!')} Waits for ${what}: ${requestWords(request)} · ${how}\n`);
  }
}
