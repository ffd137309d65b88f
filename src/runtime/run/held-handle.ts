import type { ModelChoice } from '../../contracts/agent.ts';
import type { ErrorData } from '../../contracts/error.ts';
import type { Message } from '../../contracts/message.ts';
import type { RunOptions } from '../../contracts/run.ts';
import type { AbortOptions, SuspendOptions } from '../../contracts/run-control.ts';
import type { Tool, Toolset } from '../../contracts/tool.ts';
import { Handle } from './handle.ts';
import type { Run } from './run.ts';
import { failToBegin } from './create-run.ts';

/** Begins a run; what was said before takes the place of its history, where that is known only then. */
export type Turn = (history?: RunOptions['history']) => void;

/** Where a run waits for its turn. */
export interface Line {
  /** Begins now, or when it is its turn. */
  enter(turn: Turn): void;
  /** Begins now where that can be, as it was aborted. */
  skip(turn: Turn): void;
  over(turn: Turn): void;
}

/**
 * The handle of a run that may have to wait in line: what it is told meanwhile, the run is told when it begins.
 *
 * I1  A run that waits has written no event, and done no work.
 * I2  One that is aborted while it waits ends at once: `run.started` and `run.ended`, and no effect.
 */
export class HeldHandle<Output, State> extends Handle<Output, State> {
  readonly #run: Run;
  readonly #queue: Line;
  #hasBegun = false;
  /** What to tell the run when it begins. */
  #untold: (() => void)[] = [];
  #turn: Turn = () => undefined;

  constructor(run: Run, queue: Line) {
    super(run);
    this.#run = run;
    this.#queue = queue;
  }

  /** Takes its place in the line; the run begins now, if there is nobody before it. */
  enter(input: unknown, { history, signal }: RunOptions): void {
    const skip = (): void => {
      this.#queue.skip(this.#turn);
    };
    const leave = (): void => {
      signal?.removeEventListener('abort', skip);
      this.#queue.over(this.#turn);
    };
    this.#turn = (earlier = history) => {
      this.#begin(input, earlier);
    };
    this.#run.result.then(leave, leave);
    this.#queue.enter(this.#turn);
    if (this.#hasBegun) return;
    // The run listens too, and came first: it has its abort before it begins.
    if (signal?.aborted === true) skip();
    else signal?.addEventListener('abort', skip, { once: true });
  }

  override pause(): void {
    this.#tell(() => {
      super.pause();
    });
  }
  override resume(): void {
    this.#tell(() => {
      super.resume();
    });
  }
  override step(unit?: 'step' | 'effect'): Promise<void> {
    return new Promise((resolve) => {
      this.#tell(() => {
        resolve(super.step(unit));
      });
    });
  }
  /** While the run waits, true for its root: it will be there. Nobody else is yet. */
  override send(message: string | Message, path?: string): boolean {
    if (this.#hasBegun) return super.send(message, path);
    if (path !== undefined && path !== this.#run.root.path) return false;
    this.#tell(() => {
      super.send(message, path);
    });
    return true;
  }
  override sendWhenRoom(message: string | Message, path?: string): Promise<boolean> {
    return this.#hasBegun ? super.sendWhenRoom(message, path) : Promise.resolve(this.send(message, path));
  }
  override use(model: ModelChoice): void {
    this.#tell(() => {
      super.use(model);
    });
  }
  override addTools(tools: readonly (Tool | Toolset)[], path?: string): Promise<readonly ErrorData[]> {
    return new Promise((resolve) => {
      this.#tell(() => {
        resolve(super.addTools(tools, path));
      });
    });
  }
  /** One that has not begun is stored first, or says why it could not be. */
  override async suspend(options?: SuspendOptions): Promise<void> {
    if (!this.#hasBegun && this.#run.journal.keeps) {
      this.#run.gate.pause();
      const begun = new Promise<void>((resolve) => {
        this.#tell(resolve);
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

  #tell(what: () => void): void {
    if (this.#hasBegun) what();
    else this.#untold.push(what);
  }

  #begin(input: unknown, history: RunOptions['history']): void {
    this.#hasBegun = true;
    try {
      this.#run.begin(input, history);
    } catch (thrown) {
      // Whoever asked for it may be gone by now: it ends like any run that failed, and the line goes on.
      failToBegin(this.#run, thrown);
    }
    const untold = this.#untold;
    this.#untold = [];
    for (const tell of untold) tell();
  }
}
