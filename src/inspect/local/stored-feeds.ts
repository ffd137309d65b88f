import type { Agent } from '../../contracts/agents/agent.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import type { RecorderOptions } from '../recording/recorder.ts';
import type { Feed } from './feed.ts';
import { StoredFeed } from './stored-feed.ts';
import type { ReplayedCalls } from './stored-replay.ts';
import { openReplay } from './stored-replay.ts';

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

/** Maximum number of recordings kept without viewers. */
const KEPT = 4;

/** Recordings of stored runs: each is replayed when it is first viewed, and moves on when its journal has grown. */
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
    return (await this.#current(runId)).feed;
  }

  /** The feed of a run as its journal is now. */
  async #current(runId: string): Promise<StoredFeed> {
    const known = this.#feeds.get(runId);
    const opening = known ?? this.#open(runId);
    // Least recently used first.
    this.#feeds.delete(runId);
    this.#feeds.set(runId, opening);
    try {
      const found = await opening;
      await this.#forgetSome();
      await found.look();
      return found;
    } catch (thrown) {
      if (this.#feeds.get(runId) === opening) this.#feeds.delete(runId);
      if (known === undefined) throw thrown;
      // One that cannot be followed any more is opened anew: its journal may have been replaced.
      return this.#current(runId);
    }
  }

  async #open(runId: string): Promise<StoredFeed> {
    const { store, capacity, secrets } = this.#setup;
    const agent = await this.agentOf(runId);
    return new StoredFeed(await openReplay({ agent, runId, store, options: { capacity, secrets } }));
  }

  /** The recording of a stored run, and its model calls. @throws as `at` */
  async callsOf(runId: string): Promise<ReplayedCalls> {
    return (await this.#current(runId)).calls;
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
