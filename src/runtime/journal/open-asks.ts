import type { Port } from '../../contracts/effect.ts';
import type { Ask } from '../../machines/asks.ts';

/** Ports that wait for a time or a person. */
const WAITING: ReadonlySet<Port> = new Set<Port>(['wake', 'pause', 'approve']);

/** The effects of a run that are under way: they say whether it works or waits, and until when. */
export class OpenAsks {
  readonly #open = new Map<string, Ask>();
  /** Effects at work that wait for somebody. */
  readonly #waiting = new Set<string>();

  get status(): 'running' | 'waiting' {
    if (this.#open.size === 0) return 'running';
    for (const [key, { port }] of this.#open)
      if (!WAITING.has(port) && !this.#waiting.has(key)) return 'running';
    return 'waiting';
  }

  /** When the first of those that wait for a time is due. */
  get dueAt(): number | undefined {
    let first = Infinity;
    for (const ask of this.#open.values())
      if (ask.port === 'wake' || ask.port === 'pause') first = Math.min(first, ask.input.dueAt);
    return first === Infinity ? undefined : first;
  }

  open(ask: Ask): void {
    this.#open.set(ask.key, ask);
  }

  close(key: string): void {
    this.#open.delete(key);
    this.#waiting.delete(key);
  }

  waits(key: string, isWaiting: boolean): void {
    if (isWaiting) this.#waiting.add(key);
    else this.#waiting.delete(key);
  }
}
