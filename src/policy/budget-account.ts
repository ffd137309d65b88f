import type { BudgetKind, BudgetLine, BudgetSpent, BudgetUse } from '../contracts/runs/budget.ts';
import { budgetKinds } from '../contracts/runs/budget.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { BudgetDrawn } from '../contracts/journals/journal-record.ts';
import type { LazyAbort } from '../base/promises/lazy-abort.ts';
import type { BudgetLimits } from './budget-limits.ts';
import type { WorkTime } from './work-time.ts';

/** Cost of a model call. */
export interface CallCost {
  readonly tokens: number;
  /** In US dollars. */
  readonly usd: number;
}

/** The reservation of a model call. Settling is idempotent. */
export interface Reservation {
  /** Ends the reservation and charges the actual usage. */
  settle(used: CallCost): void;
}

/** Called when usage reaches the warning level. */
export type OnWarning = (kind: BudgetKind, line: BudgetLine) => void;

interface Waiting {
  readonly account: BudgetAccount;
  readonly wanted: Wanted;
  readonly settle: (answer: Reservation | BudgetSpent) => void;
}

/** Dollars in integer billionths: sums are exact, and reservations add up to 0 again. */
interface Amounts {
  readonly tokens: number;
  readonly usd: number;
}

/** The cost that a call is expected to have at most, and the dollars that it costs in any case. */
interface Wanted extends Amounts {
  readonly leastUsd: number;
}

const BILLION = 1e9;
const amountsOf = ({ tokens, usd }: CallCost): Amounts => ({ tokens, usd: Math.ceil(usd * BILLION) });
/** Only these are reserved: steps and tool calls are charged when they are taken. */
const RESERVED = ['tokens', 'usd'] as const;

/** Collaborators of an account. */
export interface AccountPlace {
  readonly limits: BudgetLimits;
  /** Address of the agent that owns the budget. */
  readonly path: string;
  /** In ms since 1970, never falling: an account has no clock of its own. */
  readonly now: () => number;
  /** Waits for people, which do not count as time. Default: none. */
  readonly work?: WorkTime | undefined;
  readonly above?: BudgetAccount | undefined;
  readonly onWarning?: OnWarning | undefined;
  /** Called on each use, with the key of the effect that took a step or a call. */
  readonly onUse?: ((account: BudgetAccount, key?: string) => void) | undefined;
  /** Usage from before the run was resumed. */
  readonly drawn?: BudgetDrawn | undefined;
}

/**
 * The account of one budget in a run. Accounts form a tree: usage below counts above.
 *
 * I1 A call starts only if each account above it has something left, and room for the call's reservation unless no other call
 * is in progress there.
 * I2 So no account is exceeded by more than one call, and by usage beyond the reservations.
 * I3 A call whose input alone costs more than what is left of the dollars is not made.
 * I4 Reservations are released when their calls end, in any way.
 */
export class BudgetAccount {
  readonly path: string;
  readonly limits: BudgetLimits;
  readonly #now: () => number;
  readonly #work: WorkTime | undefined;
  #startedAt: number;
  #isRestored = false;
  readonly #onWarning: OnWarning | undefined;
  readonly #onUse: AccountPlace['onUse'];
  /** This account and all above it. */
  readonly #line: readonly BudgetAccount[];
  readonly #used = { steps: 0, tokens: 0, usd: 0, toolCalls: 0 };
  readonly #reserved = { tokens: 0, usd: 0 };
  readonly #warned = new Set<BudgetKind>();
  /** Waiting calls of the whole tree, as a settlement anywhere may make room anywhere. */
  readonly #waiting: Set<Waiting>;

  constructor({ limits, path, now, work, above, onWarning, onUse, drawn }: AccountPlace) {
    this.limits = limits;
    this.path = path;
    this.#now = now;
    this.#work = work;
    this.#startedAt = now();
    this.#onWarning = onWarning;
    this.#onUse = onUse;
    if (drawn !== undefined) this.restore(drawn);
    this.#line = above === undefined ? [this] : [this, ...above.#line];
    this.#waiting = above === undefined ? new Set() : above.#waiting;
  }

  /** Current usage. */
  get drawn(): BudgetDrawn {
    return { ...this.#used, since: this.#startedAt };
  }

  /** Restores usage from before a resume; accounts above are unchanged. */
  restore({ steps, tokens, usd, toolCalls, since }: BudgetDrawn): void {
    if (since !== undefined) {
      this.#startedAt = since;
      this.#isRestored = true;
    }
    Object.assign(this.#used, { steps, tokens, usd, toolCalls });
  }

  /** Starts the time of the budget at `at`, unless it was restored from an earlier start. */
  begin(at: number): void {
    if (!this.#isRestored) this.#startedAt = at;
  }

  /** End of its time, in ms since 1970; `Infinity` without a limit, and while the time stands still. */
  get endsAt(): number {
    if (this.#work?.isWaiting(this.path) === true) return Infinity;
    return this.#startedAt + (this.limits.timeMs ?? Infinity) + this.#waitedMs(this.#now());
  }

  /** Time that is left, here or above, in ms; `Infinity` without a limit. */
  get leftMs(): number {
    return Math.min(...this.#line.map((account) => account.endsAt - account.#now()));
  }

  /** The stop reason for exceeding the time at `now`. */
  lateAt(now: number): BudgetSpent {
    const { path, limits } = this;
    return {
      kind: 'budget',
      budget: 'timeMs',
      limit: limits.timeMs ?? Infinity,
      used: this.#workedMs(now),
      path,
    };
  }

  /** Amount reserved at the moment. */
  get reserved(): CallCost {
    return { tokens: this.#reserved.tokens, usd: this.#reserved.usd / BILLION };
  }

  /** True if tokens or money are limited, here or above, so that calls need an estimate. */
  get limitsCalls(): boolean {
    return this.#line.some(({ limits }) => (limits.tokens ?? limits.usd) !== undefined);
  }

  /** The tightest limit of a kind, here or above; `Infinity` if there is none. */
  limitFor(kind: BudgetKind): number {
    return Math.min(Infinity, ...this.#line.map(({ limits }) => limits[kind] ?? Infinity));
  }

  /** True if money is limited, here or above. */
  get limitsMoney(): boolean {
    return this.#line.some(({ limits }) => limits.usd !== undefined);
  }

  /** True if money is limited, here or above, and models without a price are refused. */
  get refusesUnpriced(): boolean {
    return this.#line.some(({ limits }) => limits.usd !== undefined && limits.unpriced === 'refuse');
  }

  /**
   * Reserves the cost of a call: at once, as soon as other calls end, or not at all. `leastUsd` is what it costs in any case, in US
   * dollars.
   *
   * Rejects with `run.aborted` if the call is cancelled.
   */
  reserve(
    cost: CallCost,
    abort: LazyAbort,
    leastUsd = 0,
  ): Reservation | BudgetSpent | Promise<Reservation | BudgetSpent> {
    const wanted = { ...amountsOf(cost), leastUsd: Math.floor(leastUsd * BILLION) };
    const atOnce = this.#tryToReserve(wanted);
    if (atOnce !== undefined) return atOnce;
    return new Promise((resolve, reject) => {
      const settle: Waiting['settle'] = (answer) => {
        this.#waiting.delete(waiting);
        forget();
        resolve(answer);
      };
      const waiting: Waiting = { account: this, wanted, settle };
      this.#waiting.add(waiting);
      const forget = abort.onAbort(() => {
        this.#waiting.delete(waiting);
        const message = 'Cannot wait for the budget as nobody wants the call any more';
        reject(new TroupeError('run.aborted', message));
      });
    });
  }

  /** Charges one step or tool call; returns the budget that refuses it, if any. */
  take(kind: 'steps' | 'toolCalls', key?: string): BudgetSpent | undefined {
    for (const account of this.#line) {
      if (account.#isLate()) return account.#spent('timeMs');
      if (account.#used[kind] >= (account.limits[kind] ?? Infinity)) return account.#spent(kind);
    }
    for (const account of this.#line) {
      account.#used[kind] += 1;
      account.#onUse?.(account, key);
      account.#warn();
    }
    return undefined;
  }

  /** Charges usage without a reservation. */
  charge(cost: CallCost): void {
    this.#free(NOTHING, amountsOf(cost));
  }

  /** The state of the budgets that apply to the agent at `path`. */
  use(path: string, spent?: BudgetSpent): BudgetUse {
    const lines: Partial<Record<BudgetKind, BudgetLine>> = {};
    for (const account of this.#line)
      for (const kind of budgetKinds) {
        const line = account.#lineOf(kind);
        if (line !== undefined && line.fraction > (lines[kind]?.fraction ?? -1)) lines[kind] = line;
      }
    const limitsOwnSteps = this.path === path && this.limits.steps !== undefined;
    return {
      ...lines,
      ...(limitsOwnSteps ? { limitsOwnSteps } : {}),
      ...(spent === undefined ? {} : { spent }),
    };
  }

  /** Undefined if the answer depends on calls in progress. */
  #tryToReserve(wanted: Wanted): Reservation | BudgetSpent | undefined {
    for (const account of this.#line) {
      if (account.#isLate()) return account.#spent('timeMs');
      for (const kind of RESERVED)
        // Free calls are possible on a budget of 0, too.
        if (wanted[kind] > 0 && account.#used[kind] >= account.#limitOf(kind)) return account.#spent(kind);
      if (account.#used.usd + wanted.leastUsd > account.#limitOf('usd'))
        return { ...account.#spent('usd'), neededUsd: wanted.leastUsd / BILLION };
    }
    if (this.#line.some((account) => account.#isFullFor(wanted))) return undefined;
    for (const account of this.#line) for (const kind of RESERVED) account.#reserved[kind] += wanted[kind];
    let isOver = false;
    return {
      settle: (used) => {
        if (isOver) return;
        isOver = true;
        this.#free(wanted, amountsOf(used));
      },
    };
  }

  #isFullFor(wanted: Amounts): boolean {
    return RESERVED.some(
      (kind) =>
        this.#reserved[kind] > 0 &&
        this.#used[kind] + this.#reserved[kind] + wanted[kind] > this.#limitOf(kind),
    );
  }

  #free(wanted: Amounts, used: Amounts): void {
    for (const account of this.#line) {
      for (const kind of RESERVED) {
        account.#reserved[kind] -= wanted[kind];
        account.#used[kind] += used[kind];
      }
      account.#onUse?.(account);
      account.#warn();
    }
    // Each waiting call is tried in order: a small one may fit before a large one.
    for (const { account, wanted: still, settle } of this.#waiting) {
      const answer = account.#tryToReserve(still);
      if (answer !== undefined) settle(answer);
    }
  }

  #warn(): void {
    if (this.#onWarning === undefined || this.#warned.size === budgetKinds.length) return;
    for (const kind of budgetKinds) {
      if (this.limits[kind] === undefined || this.#warned.has(kind)) continue;
      const line = this.#lineOf(kind);
      if (line === undefined || line.used === 0 || line.fraction < this.limits.warnAt) continue;
      this.#warned.add(kind);
      this.#onWarning(kind, line);
    }
  }

  #lineOf(kind: BudgetKind): BudgetLine | undefined {
    const limit = this.limits[kind];
    if (limit === undefined) return undefined;
    const used = this.#usedOf(kind);
    return { limit, used, fraction: limit === 0 ? 1 : used / limit, path: this.path };
  }

  #usedOf(kind: BudgetKind): number {
    if (kind === 'timeMs') return this.#workedMs(this.#now());
    return kind === 'usd' ? this.#used.usd / BILLION : this.#used[kind];
  }

  #workedMs(now: number): number {
    return now - this.#startedAt - this.#waitedMs(now);
  }

  #waitedMs(now: number): number {
    return this.#work?.waitedMs(this.path, now) ?? 0;
  }

  #limitOf(kind: 'tokens' | 'usd'): number {
    const limit = this.limits[kind] ?? Infinity;
    return kind === 'usd' ? limit * BILLION : limit;
  }

  #isLate(): boolean {
    return this.limits.timeMs !== undefined && this.#usedOf('timeMs') > this.limits.timeMs;
  }

  #spent(budget: BudgetKind): BudgetSpent {
    const limit = this.limits[budget] ?? Infinity;
    return { kind: 'budget', budget, limit, used: this.#usedOf(budget), path: this.path };
  }
}

const NOTHING: Amounts = { tokens: 0, usd: 0 };

/** Checks whether the answer is a spent budget instead of a reservation. */
export const isSpent = (answer: Reservation | BudgetSpent): answer is BudgetSpent => 'kind' in answer;
