import { takenHistory } from '../content/read-given.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { Content } from '../../contracts/content/part.ts';
import type { ModelChoice } from '../../contracts/models/model.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { AbortOptions, SuspendOptions } from '../../contracts/runs/run-control.ts';
import type { Tool, Toolset } from '../../contracts/tools/tool.ts';
import { checkModel } from './control-checks.ts';
import { Handle } from './handle.ts';
import type { Run } from './run.ts';
import { failToBegin } from './create-run.ts';

/** Starts a run; `history` replaces the one from its options, where it is known only then. */
export type StartTurn = (history?: readonly Turn[]) => void;

/** A queue in which a run waits for its turn. */
export interface StartQueue {
  /** Starts the run now, or when it is its turn. */
  enter(turn: StartTurn): void;
  /** Starts an aborted run now if possible, so that it can end. */
  skip(turn: StartTurn): void;
  over(turn: StartTurn): void;
}

/**
 * The handle of a run that may be queued: calls made meanwhile are applied when it starts.
 *
 * I1 A queued run has written no event and done no work.
 * I2 A run that is aborted while queued ends at once: `run.started` and `run.ended`, and no effect.
 */
export class QueuedHandle<Output, State> extends Handle<Output, State> {
  readonly #run: Run;
  readonly #queue: StartQueue;
  #hasBegun = false;
  /** Calls to apply when the run starts. */
  #deferred: (() => void)[] = [];
  #turn: StartTurn = () => undefined;

  constructor(run: Run, queue: StartQueue) {
    super(run);
    this.#run = run;
    this.#queue = queue;
  }

  /** Enters the queue; the run starts now if it is the first. */
  enter(input: unknown, options: RunOptions): void {
    const { signal } = options;
    const skip = (): void => {
      this.#queue.skip(this.#turn);
    };
    const leave = (): void => {
      signal?.removeEventListener('abort', skip);
      this.#queue.over(this.#turn);
    };
    this.#turn = (earlier = takenHistory(options)) => {
      this.#begin(input, earlier);
    };
    this.#run.result.then(leave, leave);
    this.#queue.enter(this.#turn);
    if (this.#hasBegun) return;
    // The run listens to the signal too, and registered first: it is aborted before it starts.
    if (signal?.aborted === true) skip();
    else signal?.addEventListener('abort', skip, { once: true });
  }

  override pause(): void {
    this.#defer(() => {
      super.pause();
    });
  }
  override resume(): void {
    this.#defer(() => {
      super.resume();
    });
  }
  override step(unit?: 'step' | 'effect'): Promise<void> {
    return new Promise((resolve) => {
      this.#defer(() => {
        resolve(super.step(unit));
      });
    });
  }
  /** While the run is queued, true for its root only: no other agent exists yet. */
  override send(given: Content | Message, path?: string): boolean {
    // Read at once, as the caller's bytes may change.
    const message = this.#run.content.messageOf(given);
    if (this.#hasBegun) return super.send(message, path);
    if (path !== undefined && path !== this.#run.root.path) return false;
    this.#defer(() => {
      super.send(message, path);
    });
    return true;
  }
  override async sendWhenRoom(message: Content | Message, path?: string): Promise<boolean> {
    return this.#hasBegun ? super.sendWhenRoom(message, path) : this.send(message, path);
  }
  override use(model: ModelChoice): void {
    checkModel(model);
    this.#defer(() => {
      super.use(model);
    });
  }
  override addTools(tools: readonly (Tool | Toolset)[], path?: string): Promise<readonly ErrorData[]> {
    return new Promise((resolve) => {
      this.#defer(() => {
        resolve(super.addTools(tools, path));
      });
    });
  }
  /** Stores a queued run first, or rejects with the reason why it cannot be stored. */
  override async suspend(options?: SuspendOptions): Promise<void> {
    if (!this.#hasBegun && this.#run.journal.keeps) {
      this.#run.gate.pause();
      const begun = new Promise<void>((resolve) => {
        this.#defer(resolve);
      });
      this.#queue.skip(this.#turn);
      await Promise.race([begun, this.result]);
    }
    await super.suspend(options);
  }
  override abort(reason?: string, options?: AbortOptions): void {
    super.abort(reason, this.#hasBegun ? options : undefined);
    this.#queue.skip(this.#turn);
  }

  #defer(what: () => void): void {
    if (this.#hasBegun) what();
    else this.#deferred.push(what);
  }

  #begin(input: unknown, history: readonly Turn[] | undefined): void {
    this.#hasBegun = true;
    try {
      this.#run.begin(input, history);
    } catch (thrown) {
      // Ends like any failed run, so that the queue continues even if its caller is gone.
      failToBegin(this.#run, thrown);
    }
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const apply of deferred) apply();
  }
}
