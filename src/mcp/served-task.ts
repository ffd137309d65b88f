import type { CallToolResult } from '@modelcontextprotocol/server';
import { systemClock } from '../base/clock.ts';
import { randomId } from '../base/random-id.ts';
import { messageOf } from '../contracts/errors/error.ts';
import { activityOf } from '../events/progress/activity.ts';
import type { AnyAgent } from '../runtime/define/agent-registry.ts';
import { failedResult, resultOf } from './call-result.ts';
import type { ServedRun, Wish } from './served-run.ts';

/** The status of a task, as both revisions of the protocol have it, but for `failed`. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled';

/** A task as a list has it. */
export interface ListedTask {
  readonly id: string;
  readonly status: TaskStatus;
  /** True if it is completed by a result that says that the call failed. */
  readonly hasFailed: boolean;
  /** In ms since 1970, as below. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Time from its start for which it is kept, in ms; null while nothing limits it. */
  readonly ttlMs: number | null;
  /** Its last activity, for people. */
  readonly message?: string | undefined;
}

/** The facts of a task that are known from its start. */
export interface TaskFacts {
  readonly id: string;
  readonly agent: AnyAgent;
  readonly run: ServedRun;
  /** In ms since 1970. */
  readonly createdAt: number;
  /** Time that it waits for an answer to a question, in ms. */
  readonly patienceMs: number;
  /** Time that it is kept after its end, in ms; absent if a store keeps it. */
  readonly keptMs?: number | undefined;
}

/**
 * A run that a client follows as a task.
 *
 * I1 Once it is completed or cancelled it changes no more.
 * I2 The key of a question is the id of its request: equal after a restart, and never that of another question.
 */
export class ServedTask implements ListedTask {
  readonly id: string;
  readonly agent: AnyAgent;
  readonly createdAt: number;
  readonly #run: ServedRun;
  /** Time that it waits for an answer to a question, in ms. */
  readonly patienceMs: number;
  readonly #keptMs: number | undefined;
  readonly #wishes = new Map<string, Wish>();
  #result: CallToolResult | undefined;
  #isCancelled = false;
  #updatedAt: number;
  #message: string | undefined;
  #changed: (() => void)[] = [];

  constructor({ id, agent, run, createdAt, patienceMs, keptMs }: TaskFacts) {
    this.id = id;
    this.agent = agent;
    this.createdAt = createdAt;
    this.#updatedAt = createdAt;
    this.#run = run;
    this.patienceMs = patienceMs;
    this.#keptMs = keptMs;
    run.handle.events$.subscribe((event) => {
      const activity = activityOf(event);
      if (activity === undefined) return;
      this.#message = activity.line;
      this.#updatedAt = systemClock.now();
    });
    void this.#follow();
  }

  get status(): TaskStatus {
    if (this.#isCancelled) return 'cancelled';
    if (this.#result !== undefined) return 'completed';
    return this.#wishes.size > 0 ? 'input_required' : 'working';
  }
  get isOver(): boolean {
    return this.#isCancelled || this.#result !== undefined;
  }
  get hasFailed(): boolean {
    return this.#result?.isError === true;
  }
  /** The result of a completed task. */
  get result(): CallToolResult | undefined {
    return this.#result;
  }
  get updatedAt(): number {
    return this.#updatedAt;
  }
  get ttlMs(): number | null {
    return this.isOver && this.#keptMs !== undefined ? this.#updatedAt - this.createdAt + this.#keptMs : null;
  }
  get message(): string | undefined {
    return this.isOver ? undefined : this.#message;
  }
  /** Its open questions, by key. */
  get questions(): ReadonlyMap<string, Wish> {
    return this.#wishes;
  }

  /** Resolves when its status, or its questions, may have changed. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  /** Answers a question; undefined refuses it. An unknown key is ignored, as its question may be answered already. */
  answer(key: string, text: string | undefined): void {
    const wish = this.#wishes.get(key);
    if (!this.#wishes.delete(key) || wish === undefined) return;
    if (text === undefined) wish.refuse();
    else wish.answer(text);
    this.#notify();
  }

  cancel(reason: string): void {
    if (this.isOver) return;
    this.#isCancelled = true;
    this.#notify();
    this.#run.handle.abort(reason);
  }

  /** Leaves a stored run to another process; aborts one that has no store. */
  async leave(isStored: boolean): Promise<void> {
    if (this.isOver) return;
    const { handle } = this.#run;
    if (isStored) await handle.suspend().catch(() => undefined);
    else handle.abort('the server is closed');
  }

  async #follow(): Promise<void> {
    try {
      for (;;) {
        const next = await this.#run.next();
        if ('wish' in next) this.#open(next.wish);
        else if (next.result.status === 'aborted') return this.#end(undefined);
        else return this.#end(await resultOf(next.result, this.agent, this.#run.bytesOf));
      }
    } catch (thrown) {
      return this.#end(failedResult(messageOf(thrown)));
    }
  }

  /** Completes it by a result, or has it cancelled. */
  #end(result: CallToolResult | undefined): void {
    if (this.isOver) return;
    this.#isCancelled = result === undefined;
    this.#result = result;
    this.#wishes.clear();
    this.#notify();
  }

  #open(wish: Wish): void {
    const { requests } = this.#run.handle;
    const asked = requests.find(
      (each) => each.kind === 'question' && each.question === wish.question && !this.#wishes.has(each.id),
    );
    const key = wish.id ?? asked?.id ?? randomId();
    this.#wishes.set(key, wish);
    const timer = systemClock.setTimeout(() => {
      this.answer(key, undefined);
    }, this.patienceMs);
    wish.signal.addEventListener('abort', () => {
      systemClock.clearTimeout(timer);
      if (this.#wishes.delete(key)) this.#notify();
    });
    this.#notify();
  }

  #notify(): void {
    this.#updatedAt = systemClock.now();
    for (const tell of this.#changed.splice(0)) tell();
  }
}
