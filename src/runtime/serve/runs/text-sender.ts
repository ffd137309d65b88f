import type { Clock } from '../../../base/clock.ts';
import { isLogged } from '../../../contracts/events/is-logged.ts';
import type { DeltaEvent, LiveEvent } from '../../../contracts/events/event.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { LiveRun } from './live-run.ts';
import type { RelayedDelta } from './relayed-texts.ts';
import { HERE, NEWS, textsOf, WANTED, writeNotices } from './relayed-texts.ts';

/** Time in which deltas are collected, in ms. */
const COLLECT_MS = 40;
/** Time for which texts are sent unless they are wanted again, in ms. */
const WANTED_MS = 25_000;

/** The needs of a {@link TextSender}. */
export interface TextSenderSetup {
  readonly store: Pick<JournalStore, 'publish' | 'subscribe'>;
  readonly clock: Clock;
  readonly findRun: (runId: string) => LiveRun | undefined;
  readonly onProblem: (error: unknown) => void;
}

/**
 * Sends the texts of runs that this server has, as their models write them, to processes that want them: what is wanted nowhere costs nothing.
 *
 * A process that begins to read gets all of the answers under way, which is more than those have that read already: they are used to that.
 */
export class TextSender {
  readonly #setup: TextSenderSetup;
  readonly #sending = new Map<string, SentRun>();
  #unsubscribe: (() => Promise<void>) | undefined;
  #isEnded = false;

  constructor(setup: TextSenderSetup) {
    this.#setup = setup;
  }

  /** Resolves when others can ask for texts; never rejects. */
  async begin(): Promise<void> {
    const { store, onProblem } = this.#setup;
    try {
      this.#unsubscribe = await store.subscribe?.(WANTED, (wish) => {
        this.#want(wish);
      });
    } catch (thrown) {
      onProblem(thrown);
    }
    if (this.#isEnded) await this.#unsubscribe?.();
  }

  /** Tells those who wait for the texts of a run that they are here. */
  announce({ runId }: LiveRun): void {
    void this.#publish(textsOf(runId), HERE);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    for (const sent of this.#sending.values()) sent.end();
    await this.#unsubscribe?.();
  }

  /** `wish` is the id of a run, and a name of who reads, which is another for each that begins to. */
  #want(wish: string): void {
    const [runId = '', reader = ''] = wish.split(' ');
    const run = this.#setup.findRun(runId);
    if (run === undefined || run.isOver || this.#isEnded) return;
    const { clock } = this.#setup;
    const sent =
      this.#sending.get(runId) ??
      new SentRun(run, {
        clock,
        publish: (notice) => this.#publish(textsOf(runId), notice),
        onEnd: () => {
          this.#sending.delete(runId);
        },
      });
    this.#sending.set(runId, sent);
    sent.send(reader);
  }

  async #publish(topic: string, text: string): Promise<void> {
    try {
      await this.#setup.store.publish?.(topic, text);
    } catch (thrown) {
      // Texts are the least of what a store that is out of reach loses.
      if (!this.#isEnded) this.#setup.onProblem(thrown);
    }
  }
}

interface SentRunSetup {
  readonly clock: Clock;
  readonly publish: (notice: string) => Promise<void>;
  readonly onEnd: () => void;
}

/** A text that was written since the last notice. */
interface WaitingText {
  readonly after: number;
  /** Its first delta. */
  readonly first: DeltaEvent;
  readonly text: string;
}

/** The texts of one run that are wanted elsewhere. */
class SentRun {
  readonly #run: LiveRun;
  readonly #setup: SentRunSetup;
  readonly #readers = new Set<string>();
  /** By the number of the event before them, the key of their call, and their kind. */
  readonly #waiting = new Map<string, WaitingText>();
  #last = -1;
  #hasNews = false;
  #isSending = false;
  #collecting: unknown;
  #expiry: unknown;
  #unsubscribe: (() => void) | undefined;

  constructor(run: LiveRun, setup: SentRunSetup) {
    this.#run = run;
    this.#setup = setup;
    void run.over.then(() => {
      this.end();
      // Its last events are in the store.
      void setup.publish(NEWS);
    });
  }

  /** Sends what comes from now on; to a reader that is new, also the answers under way from their beginnings. */
  send(reader: string): void {
    const { clock } = this.#setup;
    clock.clearTimeout(this.#expiry);
    this.#expiry = clock.setTimeout(() => {
      this.end();
    }, WANTED_MS);
    if (this.#readers.has(reader)) return;
    this.#readers.add(reader);
    this.#unsubscribe?.();
    this.#waiting.clear();
    this.#last = -1;
    const subscription = this.#run.handle.events$.subscribe((event) => {
      this.#hear(event);
    });
    this.#unsubscribe = () => {
      subscription.unsubscribe();
    };
  }

  end(): void {
    const { clock, onEnd } = this.#setup;
    clock.clearTimeout(this.#expiry);
    clock.clearTimeout(this.#collecting);
    this.#unsubscribe?.();
    onEnd();
  }

  #hear(event: LiveEvent): void {
    if (isLogged(event)) {
      this.#last = event.seq;
      this.#hasNews = true;
    } else this.#collect(event);
    this.#collecting ??= this.#setup.clock.setTimeout(() => {
      void this.#flush();
    }, COLLECT_MS);
  }

  #collect(event: DeltaEvent): void {
    const { delta, key } = event;
    if (delta.type === 'progress') return;
    const kind = delta.type === 'tool-call' ? delta.index : delta.type;
    const place = `${this.#last} ${key} ${kind}`;
    const waiting = this.#waiting.get(place) ?? { after: this.#last, first: event, text: '' };
    this.#waiting.set(place, { ...waiting, text: waiting.text + delta.text });
  }

  /** Sends what is collected, and then that there are new events. */
  async #flush(): Promise<void> {
    this.#collecting = undefined;
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#hasNews || this.#waiting.size > 0) {
      const deltas = [...this.#waiting.values()].map(asRelayed);
      this.#waiting.clear();
      const notices = [...writeNotices(deltas), ...(this.#hasNews ? [NEWS] : [])];
      this.#hasNews = false;
      for (const notice of notices) await this.#setup.publish(notice);
    }
    this.#isSending = false;
  }
}

const asRelayed = ({ after, first, text }: WaitingText): RelayedDelta => {
  const { delta } = first;
  return { after, delta: delta.type === 'progress' ? first : { ...first, delta: { ...delta, text } } };
};
