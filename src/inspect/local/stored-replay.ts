import type { Agent } from '../../contracts/agents/agent.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { RecordedRequests } from '../../runtime/journal/letters/requests.ts';
import { FollowedReplay } from '../../runtime/journal/replay/followed-replay.ts';
import type { NewRecords } from '../../runtime/journal/replay/journal-reader.ts';
import { JournalReader } from '../../runtime/journal/replay/journal-reader.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import { beganIn, knownSecrets } from '../../runtime/journal/resume/stored-run.ts';
import type { Recorder, RecorderOptions } from '../recording/recorder.ts';
import { recorder } from '../recording/recorder.ts';
import type { AskedOf } from './feed.ts';
import { AskedRuns } from './trial/asked-runs.ts';

/** The recording of a run that was replayed, and its model calls. */
export interface ReplayedCalls {
  readonly recorder: Recorder;
  readonly asked: AskedRuns;
}

/** A stored run that is replayed for viewers. */
export interface ReplayedRun {
  readonly agent: Agent<unknown, unknown, unknown>;
  readonly runId: string;
  readonly store: JournalStore;
  readonly options: RecorderOptions;
}

/**
 * Replays a stored run as far as its journal goes.
 *
 * @throws {TroupeError} the errors of `replay`.
 */
export const openReplay = async (run: ReplayedRun): Promise<StoredReplay> => {
  const found = new StoredReplay(run);
  await found.look();
  return found;
};

/** A replay of a stored run that moves on as its journal grows: each row is read once, and each record replayed once. */
export class StoredReplay {
  readonly #run: ReplayedRun;
  #part: Part;

  constructor(run: ReplayedRun) {
    this.#run = run;
    this.#part = new Part(run);
  }

  get calls(): ReplayedCalls {
    return this.#part;
  }

  /** The requests that are open. */
  get requests(): readonly AskedOf[] {
    return this.#part.requests.open.map((request) => ({ ...request, run: this.#run.runId }));
  }

  /** Replays what was written since; returns true if there was something. */
  async look(): Promise<boolean> {
    try {
      return await this.#part.look();
    } catch (thrown) {
      if (!this.#part.hasBegun || !isTroupeError(thrown, 'journal.diverged')) throw thrown;
    }
    // What came belongs where the replay was past already: from the start it is in its place.
    const anew = new Part(this.#run);
    await anew.look();
    this.#part = anew;
    return true;
  }
}

/** One replay, from the start on. */
class Part implements ReplayedCalls {
  readonly recorder: Recorder;
  readonly asked: AskedRuns;
  readonly requests = new RecordedRequests();
  readonly #run: ReplayedRun;
  readonly #reader: JournalReader;
  #replay: FollowedReplay | undefined;

  constructor(run: ReplayedRun) {
    const { agent, runId, store, options } = run;
    this.#run = run;
    this.recorder = recorder(options);
    this.asked = new AskedRuns(this.recorder);
    this.#reader = new JournalReader(store, runId, knownSecrets(journaledDefinition(agent), {}));
  }

  get hasBegun(): boolean {
    return this.#replay !== undefined;
  }

  async look(): Promise<boolean> {
    const found = await this.#reader.next();
    if (found.records.length === 0 && this.hasBegun) return false;
    const replay = this.#replay ?? this.#begin(found);
    replay.take(found.records, found.fields);
    this.#replay = replay;
    this.requests.take(found.records);
    return true;
  }

  #begin({ records }: NewRecords): FollowedReplay {
    const { agent, runId } = this.#run;
    const began = beganIn(runId, records);
    const definition = journaledDefinition(agent);
    const { recording } = this.recorder;
    return new FollowedReplay({ definition, began, options: { inspect: this.asked }, hold: recording });
  }
}
