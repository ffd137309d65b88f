import { randomId } from '../../base/random-id.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { FoundRun } from '../../runtime/serve/runs/live-run.ts';

/** Contexts that are remembered without a store; of more, the oldest is forgotten. */
const MOST_CONTEXTS = 10_000;

/** The contexts of tasks: with a store each is a thread, so that a later task knows what was said; without one they are names alone. */
export class ContextIds {
  readonly #store: JournalStore | undefined;
  readonly #known = new Map<string, string>();

  constructor(store: JournalStore | undefined) {
    this.#store = store;
  }

  /** The context of a new task, and the thread that it continues. */
  begin(given: string): { readonly contextId: string; readonly thread?: string } {
    const contextId = given === '' ? randomId() : given;
    return this.#store === undefined ? { contextId } : { contextId, thread: contextId };
  }

  /** Remembers the context of a run. */
  keep(runId: string, contextId: string): void {
    if (this.#store !== undefined) return;
    this.#known.set(runId, contextId);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > MOST_CONTEXTS) this.#known.delete(oldest);
  }

  /** The context of a run; of one that no context was named for, its own id. */
  async of(found: FoundRun): Promise<string> {
    const { runId, thread } = found.live ?? found.stored;
    return thread ?? this.#known.get(runId) ?? (await this.#store?.entry(runId))?.thread ?? runId;
  }
}
