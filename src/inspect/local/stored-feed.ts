import type { TroupeError } from '../../contracts/errors/error.ts';
import { errorData, toError } from '../../contracts/errors/error.ts';
import { Feed } from './feed.ts';
import type { ReplayedCalls, StoredReplay } from './stored-replay.ts';

/** The interval at which a journal is looked at for new records, in ms. */
const LOOK_MS = 500;

/** A stored run with viewers. */
export class StoredFeed {
  readonly feed: Feed;
  readonly #replay: StoredReplay;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #failure: TroupeError | undefined;

  constructor(replay: StoredReplay) {
    this.#replay = replay;
    this.feed = new Feed(replay.calls.recorder.recording, () => replay.requests);
    this.feed.onWatched = (isWatched) => {
      clearInterval(this.#timer);
      if (!isWatched) return;
      this.#timer = setInterval(() => {
        // Viewers are shown the error.
        this.look().catch(() => undefined);
      }, LOOK_MS).unref();
    };
  }

  get calls(): ReplayedCalls {
    return this.#replay.calls;
  }

  /** Moves on to the end of the journal. After an error it stays where it is, and throws it again. */
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
    if (this.#failure !== undefined) throw this.#failure;
    try {
      if (!(await this.#replay.look())) return;
    } catch (thrown) {
      throw this.#fail(thrown);
    }
    const { recording } = this.calls.recorder;
    if (recording === this.feed.recording) this.feed.renewRequests();
    else this.feed.goOnWith(recording);
  }

  /** Shows the error to viewers, and looks no more. */
  #fail(thrown: unknown): TroupeError {
    clearInterval(this.#timer);
    const error = toError(errorData(thrown, 'journal.failed', { message: 'Cannot follow the run' }));
    this.#failure = error;
    this.feed.say('problem', error.data);
    return error;
  }
}
