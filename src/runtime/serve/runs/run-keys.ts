import type { Clock } from '../../../base/clock.ts';
import { sha256 } from '../../../base/sha256.ts';
import type { KeyValueFiles } from '../../../contracts/conversations/memory.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';

/** A run that was asked for by a key. */
export interface Claim {
  readonly runId: string;
  /** A digest of the body of the request. */
  readonly digest: string;
}

const DAY_MS = 86_400_000;
/** The room of a store in which keys are. */
const ROOM = 'serve-keys';
/** Keys that are remembered without a store; of more, the oldest is forgotten. */
const MOST_KEYS = 10_000;

/**
 * The runs that were asked for by an idempotency key, of the last day at least.
 *
 * Of several processes that share a store the first to append a claim has it: all read the same file, and its first line counts.
 */
export class RunKeys {
  readonly #files: KeyValueFiles | undefined;
  readonly #clock: Clock;
  /** Without a store. */
  readonly #claims = new Map<string, Claim>();
  /** Runs that were begun by a claim, without a store: they may be forgotten since. */
  readonly #begun = new Set<string>();

  constructor(store: JournalStore | undefined, clock: Clock) {
    this.#files = store?.files(ROOM);
    this.#clock = clock;
  }

  /** Claims a key of a caller for a run; returns the claim that counts, which may be an earlier one. */
  async claim(scope: string, key: string, wanted: Claim): Promise<Claim> {
    const name = sha256(`${scope}\n${key}`);
    if (this.#files === undefined) return this.#claimHere(name, wanted);
    const today = this.#day;
    const yesterday = await this.#files.read(fileOf(today - 1, name));
    if (yesterday !== undefined) return claimIn(yesterday) ?? wanted;
    const file = fileOf(today, name);
    const known = await this.#files.read(file);
    if (known === undefined) await this.#files.append(file, `${wanted.digest} ${wanted.runId}\n`);
    return claimIn(known ?? (await this.#files.read(file)) ?? '') ?? wanted;
  }

  /** Registers that the run of a claim was begun. */
  begin(runId: string): void {
    if (this.#files !== undefined) return;
    this.#begun.add(runId);
    const [oldest] = this.#begun;
    if (oldest !== undefined && this.#begun.size > MOST_KEYS) this.#begun.delete(oldest);
  }

  /** Checks whether the run of a claim was begun here; with a store, the store knows. */
  isBegun(runId: string): boolean {
    return this.#begun.has(runId);
  }

  /** Removes the keys that are older than a day. */
  async forgetOld(): Promise<void> {
    if (this.#files === undefined) return;
    const first = this.#day - 1;
    for (const name of await this.#files.names())
      if (Number.parseInt(name, 10) < first) await this.#files.remove(name);
  }

  get #day(): number {
    return Math.floor(this.#clock.now() / DAY_MS);
  }

  #claimHere(name: string, wanted: Claim): Claim {
    const known = this.#claims.get(name);
    if (known !== undefined) return known;
    this.#claims.set(name, wanted);
    const [oldest] = this.#claims.keys();
    if (oldest !== undefined && this.#claims.size > MOST_KEYS) this.#claims.delete(oldest);
    return wanted;
  }
}

const fileOf = (day: number, name: string): string => `${day}-${name}`;

const claimIn = (text: string): Claim | undefined => {
  const [, digest, runId] = /^([0-9a-f]{64}) (\S+)\n/.exec(text) ?? [];
  return digest === undefined || runId === undefined ? undefined : { digest, runId };
};
