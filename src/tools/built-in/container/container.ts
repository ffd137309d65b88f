import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../base/clock.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { ProcessResult } from '../../../contracts/environments/operations.ts';
import type { CommandRun } from '../host/command-files.ts';
import { ConfinedRoot } from '../host/host-root.ts';
import { LineProcess } from '../host/line-process.ts';
import { MARK } from '../host/marked.ts';
import type { SpawnPlan } from '../host/spawn.ts';
import { spawnCaptured } from '../host/spawn.ts';
import {
  engineFolder,
  engineVariables,
  isPodman,
  removeContainer,
  removeOrphans,
} from './container-engine.ts';
import { hostMark, newContainerName } from './container-owner.ts';
import type { ContainerPlan } from './container-plan.ts';
import type { ContainerPlace } from './engine-arguments.ts';
import { execArguments, killWords, READY, runArguments } from './engine-arguments.ts';

/** Time limit of ending what a command left behind, in ms. */
const KILL_MS = 10_000;

/**
 * A container of this process.
 *
 * I1 It ends with this process, also after `kill -9`: its first process waits for the end of an input that this process holds open. What
 *    an engine that failed meanwhile has left is removed at the next start.
 * I2 A command that is out of time or cancelled ends inside the container, with all that it started.
 */
export class Container {
  readonly #plan: ContainerPlan;
  readonly #place: ContainerPlace;
  #holder: LineProcess | undefined;
  #isReady = false;
  #over: string | undefined;

  private constructor(plan: ContainerPlan, place: ContainerPlace) {
    this.#plan = plan;
    this.#place = place;
  }

  /** Starts a container; on failure and on abort nothing of it is left. */
  static async start(plan: ContainerPlan, signal: AbortSignal): Promise<Container> {
    const folder = plan.folder === undefined ? undefined : await mountable(plan.folder);
    const place = placeOf(plan, folder, await isPodman(plan.engine));
    await removeOrphans(plan.engine);
    const container = new Container(plan, place);
    try {
      await container.#begin(signal);
    } catch (thrown) {
      await container.stop();
      throw thrown;
    }
    return container;
  }

  /** The reason why it is over; undefined while it lives. */
  get over(): string | undefined {
    return this.#over;
  }

  /** Runs a command in a folder of the container. */
  async run(
    words: readonly string[],
    { cwd = this.#plan.root, ...options }: Parameters<CommandRun>[1] & { readonly cwd?: string } = {},
  ): Promise<ProcessResult> {
    const { timeoutMs, maxOutputBytes } = this.#plan;
    const mark = `${MARK}=${randomUUID()}`;
    const limits = {
      input: options.input,
      signal: options.signal,
      timeoutMs: Math.min(options.timeoutMs ?? timeoutMs, timeoutMs),
      maxOutputBytes: options.most ?? maxOutputBytes,
    };
    this.#assertLives();
    try {
      const result = await this.#exec(execArguments(this.#place.name, mark, cwd, words), limits);
      // Only the engine's program was killed.
      if (result.exitCode === null) await this.#kill(mark);
      if (result.exitCode !== 0) this.#assertLives();
      return result;
    } catch (thrown) {
      if (options.signal?.aborted === true) await this.#kill(mark);
      throw thrown;
    }
  }

  /** Removes it, with everything that runs in it. Idempotent. */
  async stop(): Promise<void> {
    this.#over ??= 'it was removed';
    const { engine } = this.#plan;
    try {
      await removeContainer(engine, this.#place.name);
    } finally {
      await this.#holder?.stop();
    }
    // An engine that was just creating it has done so by now.
    if (!this.#isReady && this.#holder !== undefined) await removeContainer(engine, this.#place.name);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { engine, image, startMs } = this.#plan;
    let succeed = (): void => undefined;
    let fail: (reason: unknown) => void = () => undefined;
    const up = new Promise<void>((resolve, reject) => {
      succeed = resolve;
      fail = reject;
    });
    // It may fail before it is waited for.
    up.catch(() => undefined);
    const unfit = (reason: string): TroupeError =>
      new TroupeError('environment.unfit', `Cannot start a container of the image '${image}' as ${reason}`);
    const onAbort = (): void => fail(signal.reason);
    signal.throwIfAborted();
    this.#holder = await LineProcess.start({
      file: engine,
      args: runArguments(this.#plan, this.#place),
      cwd: engineFolder(),
      env: engineVariables(),
      maxLineBytes: 10_000,
      onLine: (line) => {
        if (line === READY) succeed();
      },
      onEnd: (reason) => {
        this.#over ??= reason;
        void this.#said().then((said) => fail(unfit(`${reason}${said}`)));
      },
    });
    const timer = systemClock.setTimeout(() => fail(unfit(`it was not up within ${startMs} ms`)), startMs);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      await up;
      this.#isReady = true;
    } finally {
      systemClock.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** The error output of the engine's program, for a message. */
  async #said(): Promise<string> {
    await this.#holder?.drainErrors();
    const said = this.#holder?.errors.trim() ?? '';
    return said === '' ? '' : `: ${said.slice(0, 500)}`;
  }

  #exec(args: readonly string[], limits: Omit<SpawnPlan, 'file' | 'args' | 'env'>): Promise<ProcessResult> {
    const file = this.#plan.engine;
    return spawnCaptured({ file, args, cwd: engineFolder(), env: engineVariables(), ...limits });
  }

  async #kill(mark: string): Promise<void> {
    const args = execArguments(this.#place.name, undefined, '/', killWords(mark));
    // A container that does not answer any more is removed at the end of the run.
    await this.#exec(args, { timeoutMs: KILL_MS, maxOutputBytes: 1_000 }).catch(() => undefined);
  }

  #assertLives(): void {
    if (this.#over !== undefined)
      throw new TroupeError('tool.failed', `Cannot use the container as it is over: ${this.#over}`, {
        retryable: 'no',
      });
  }
}

/** The real path of a folder, if it can be an argument that the engine reads as one. */
const mountable = async (folder: string): Promise<string> => {
  const real = await new ConfinedRoot(folder).find();
  if (!/[,"\n\r]/.test(real)) return real;
  throw new TroupeError(
    'environment.unfit',
    `Cannot mount the folder ${JSON.stringify(real)} as its path contains a comma, a quotation mark or a line break`,
  );
};

/** Numbers of a user who is not root, which most images have. */
const USER = '1000:1000';

const placeOf = (
  { user }: ContainerPlan,
  folder: string | undefined,
  isOfPodman: boolean,
): ContainerPlace => {
  const ours = process.getuid?.() ?? 0;
  const owner = ours === 0 || folder === undefined ? USER : `${ours}:${process.getgid?.() ?? ours}`;
  return {
    name: newContainerName(),
    host: hostMark(),
    folder,
    user: user ?? owner,
    keepsIds: folder !== undefined && ours !== 0 && isOfPodman,
    isPodman: isOfPodman,
  };
};
