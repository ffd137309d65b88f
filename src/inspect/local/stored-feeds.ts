import type { Agent } from '../../contracts/agents/agent.ts';
import { errorData, TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { openRequestsOf } from '../../runtime/journal/letters/requests.ts';
import { replay } from '../../runtime/journal/replay/replay.ts';
import { recordsIn } from '../../runtime/journal/resume/stored-run.ts';
import type { Recorder, RecorderOptions } from '../recording/recorder.ts';
import { recorder } from '../recording/recorder.ts';
import type { AskedOf } from './feed.ts';
import { Feed } from './feed.ts';
import { AskedRuns } from './trial/asked-runs.ts';

/** An agent of any types. */
export type AnyAgent = Agent<unknown, unknown, unknown>;

/** The agents of stored runs: a list, matched by name, or a function that finds one. */
export type AgentsOfRuns =
  | readonly AnyAgent[]
  | ((run: RunEntry) => AnyAgent | undefined | Promise<AnyAgent | undefined>);

/** Parameters of viewing stored runs. */
export interface StoredFeedsSetup extends RecorderOptions {
  readonly store: JournalStore;
  readonly agents: AgentsOfRuns;
}

/** The interval at which a journal is looked at for new records, in ms. */
const LOOK_MS = 500;
/** Pause between two replays, as a multiple of the last one's duration, however much is written meanwhile. */
const REST = 4;
/** Maximum number of recordings kept without viewers. */
const KEPT = 4;

/** Recordings of stored runs: each is replayed when it is first viewed, and again when its journal has grown. */
export class StoredFeeds {
  readonly #setup: StoredFeedsSetup;
  readonly #feeds = new Map<string, Promise<StoredFeed>>();

  constructor(setup: StoredFeedsSetup) {
    this.#setup = setup;
  }

  /**
   * Returns the recording of a stored run.
   *
   * @throws {TroupeError} `journal.unknown`; `agent.unknown` if its agent is not known; the errors of `replay`.
   */
  async at(runId: string): Promise<Feed> {
    const known = this.#feeds.get(runId) ?? openFeed(runId, this.#setup);
    // Least recently used first.
    this.#feeds.delete(runId);
    this.#feeds.set(runId, known);
    try {
      const found = await known;
      await this.#forgetSome();
      await found.look();
      return found.feed;
    } catch (thrown) {
      this.#feeds.delete(runId);
      throw thrown;
    }
  }

  /** The recording of a stored run, and its model calls. @throws as `at` */
  async callsOf(runId: string): Promise<Pick<Gone, 'asked' | 'recorder'>> {
    await this.at(runId);
    const found = await this.#feeds.get(runId);
    if (found !== undefined) return found.gone;
    throw new TroupeError('journal.unknown', `Cannot read run '${runId}' as it was closed meanwhile`);
  }

  /** The agent of a stored run. @throws `journal.unknown`, `agent.unknown` */
  agentOf(runId: string): Promise<AnyAgent> {
    return agentOf(runId, this.#setup);
  }

  async close(): Promise<void> {
    for (const opening of this.#feeds.values()) (await opening.catch(() => undefined))?.close();
    this.#feeds.clear();
  }

  async #forgetSome(): Promise<void> {
    for (const [runId, opening] of this.#feeds) {
      if (this.#feeds.size <= KEPT) return;
      const found = await opening.catch(() => undefined);
      if (found?.feed.isWatched !== true) this.#feeds.delete(runId);
    }
  }
}

const agentOf = async (runId: string, { store, agents }: StoredFeedsSetup): Promise<AnyAgent> => {
  const entry = await store.entry(runId);
  if (entry === undefined)
    throw new TroupeError('journal.unknown', `Cannot show run '${runId}' as it is not in ${store.name}`);
  const found =
    typeof agents === 'function' ? await agents(entry) : agents.find(({ name }) => name === entry.agent);
  if (found !== undefined) return found;
  const message = `Cannot show run '${runId}' as its agent '${entry.agent}' is unknown: pass it in \`agents\`, or name its file (npx troupe inspect FILE --store STORE)`;
  throw new TroupeError('agent.unknown', message, { runId });
};

/** The result of replaying a journal. */
interface Gone {
  readonly recorder: Recorder;
  readonly asked: AskedRuns;
  readonly requests: readonly AskedOf[];
  /** Rows of the journal. */
  readonly rows: number;
}

const openFeed = async (runId: string, setup: StoredFeedsSetup): Promise<StoredFeed> => {
  const agent = await agentOf(runId, setup);
  const again = () => replayRun(agent, runId, setup);
  return new StoredFeed(await again(), again, runId, setup);
};

const replayRun = async (agent: AnyAgent, runId: string, setup: StoredFeedsSetup): Promise<Gone> => {
  const { store, capacity, secrets } = setup;
  const { length: rows } = await store.read(runId);
  const record = recorder({ capacity, secrets });
  const asked = new AskedRuns(record);
  await replay(agent, runId, { store, inspect: asked });
  const { records } = await recordsIn(store, runId);
  return {
    recorder: record,
    asked,
    rows,
    requests: openRequestsOf(records).map((request) => ({ ...request, run: runId })),
  };
};

/** A stored run with viewers. */
class StoredFeed {
  readonly feed: Feed;
  readonly #runId: string;
  readonly #store: JournalStore;
  readonly #again: () => Promise<Gone>;
  #gone: Gone;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #restsUntil = 0;

  constructor(gone: Gone, again: () => Promise<Gone>, runId: string, { store }: StoredFeedsSetup) {
    this.#gone = gone;
    this.#again = again;
    this.#runId = runId;
    this.#store = store;
    this.feed = new Feed(gone.recorder.recording, () => this.#gone.requests);
    this.feed.onWatched = (isWatched) => {
      clearInterval(this.#timer);
      if (!isWatched) return;
      this.#timer = setInterval(() => {
        // The error is shown to viewers; the next attempt may succeed.
        this.look().catch((thrown: unknown) => {
          const message = 'Cannot follow the run';
          this.feed.say('problem', errorData(thrown, 'journal.failed', { message }));
          clearInterval(this.#timer);
        });
      }, LOOK_MS).unref();
    };
  }

  get gone(): Gone {
    return this.#gone;
  }

  /** Replays the journal if it has grown. */
  async look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  close(): void {
    clearInterval(this.#timer);
    this.feed.close();
  }

  async #lookOnce(): Promise<void> {
    const { rows } = this.#gone;
    if (performance.now() < this.#restsUntil) return;
    if ((await this.#store.read(this.#runId, rows, 1)).length === 0) return;
    const begun = performance.now();
    this.#gone = await this.#again();
    const over = performance.now();
    this.#restsUntil = over + REST * (over - begun);
    this.feed.goOnWith(this.#gone.recorder.recording);
  }
}
