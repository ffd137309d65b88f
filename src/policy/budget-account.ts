import type { BudgetKind, BudgetLine, BudgetSpent, BudgetUse } from '../contracts/budget.ts';
import { budgetKinds } from '../contracts/budget.ts';
import { TroupeError } from '../contracts/error.ts';
import type { BudgetDrawn } from '../contracts/journal-record.ts';
import type { LazyAbort } from '../contracts/lazy-abort.ts';
import type { BudgetLimits } from './budget-limits.ts';

/** What a model call takes. */
export interface CallCost {
  readonly tokens: number;
  /** In US dollars. */
  readonly usd: number;
}

/** What a model call holds until it is over. Settling twice changes nothing. */
export interface Reservation {
  /** The call is over: what it held is free again, what it used is gone. */
  settle(used: CallCost): void;
}

/** Told when a budget is used as far as its owner wanted to know. */
export type OnWarning = (kind: BudgetKind, line: BudgetLine) => void;

interface Waiting {
  readonly account: BudgetAccount;
  readonly wanted: Amounts;
  readonly settle: (answer: Reservation | BudgetSpent) => void;
}

/** Dollars in billionths, whole: sums are exact, and what was reserved comes to 0 again. */
interface Amounts {
  readonly tokens: number;
  readonly usd: number;
}

const BILLION = 1e9;
const amountsOf = ({ tokens, usd }: CallCost): Amounts => ({ tokens, usd: Math.ceil(usd * BILLION) });
/** Steps and tool calls cost nothing in themselves until they are taken, so only these are reserved. */
const RESERVED = ['tokens', 'usd'] as const;

/** Where an account stands. */
export interface AccountPlace {
  readonly limits: BudgetLimits;
  /** Of the agent whose budget it is. */
  readonly path: string;
  /** In ms since 1970, never falling: an account has no clock of its own. */
  readonly now: () => number;
  readonly above?: BudgetAccount | undefined;
  readonly onWarning?: OnWarning | undefined;
  /** Told whenever more is used, and by which effect where it took a step or a call. */
  readonly onUse?: ((account: BudgetAccount, key?: string) => void) | undefined;
  /** What was used before, where the run is taken up again. */
  readonly drawn?: BudgetDrawn | undefined;
}

/**
 * The account of one budget in a run; accounts form a tree, and whatever is used below is used above.
 *
 * I1  A call begins only if each account above it has something left, and room for what the call reserves unless no other
 *     call is under way there.
 * I2  So no account is overshot by more than one call, and what calls used beyond what they reserved.
 * I3  What was reserved is free again once the calls are over, however they end.
 */
export class BudgetAccount {
  readonly path: string;
  readonly limits: BudgetLimits;
  readonly #now: () => number;
  #startedAt: number;
  #isRestored = false;
  readonly #onWarning: OnWarning | undefined;
  readonly #onUse: AccountPlace['onUse'];
  /** This account, and all above it. */
  readonly #line: readonly BudgetAccount[];
  readonly #used = { steps: 0, tokens: 0, usd: 0, toolCalls: 0 };
  readonly #reserved = { tokens: 0, usd: 0 };
  readonly #warned = new Set<BudgetKind>();
  /** Those of the whole tree: what is settled anywhere may make room anywhere. */
  readonly #waiting: Set<Waiting>;

  constructor({ limits, path, now, above, onWarning, onUse, drawn }: AccountPlace) {
    this.limits = limits;
    this.path = path;
    this.#now = now;
    this.#startedAt = now();
    this.#onWarning = onWarning;
    this.#onUse = onUse;
    if (drawn !== undefined) this.restore(drawn);
    this.#line = above === undefined ? [this] : [this, ...above.#line];
    this.#waiting = above === undefined ? new Set() : above.#waiting;
  }

  /** What is used of it. */
  get drawn(): BudgetDrawn {
    return { ...this.#used, since: this.#startedAt };
  }

  /** Takes up what was used before; nothing above it is changed. */
  restore({ steps, tokens, usd, toolCalls, since }: BudgetDrawn): void {
    if (since !== undefined) {
      this.#startedAt = since;
      this.#isRestored = true;
    }
    Object.assign(this.#used, { steps, tokens, usd, toolCalls });
  }

  /** Starts the owner of the budget at `at`: its time counts from then on, unless it is known to count from earlier. */
  begin(at: number): void {
    if (!this.#isRestored) this.#startedAt = at;
  }

  /** When its time is up, in ms since 1970; `Infinity` without a limit. */
  get endsAt(): number {
    return this.#startedAt + (this.limits.timeMs ?? Infinity);
  }

  /** That its time is up at `now`. */
  lateAt(now: number): BudgetSpent {
    const { path, limits } = this;
    return {
      kind: 'budget',
      budget: 'timeMs',
      limit: limits.timeMs ?? Infinity,
      used: now - this.#startedAt,
      path,
    };
  }

  /** Reserved in this account at the moment. */
  get reserved(): CallCost {
    return { tokens: this.#reserved.tokens, usd: this.#reserved.usd / BILLION };
  }

  /** True if tokens or money are limited, here or above: what a call may use has to be known beforehand. */
  get limitsCalls(): boolean {
    return this.#line.some(({ limits }) => (limits.tokens ?? limits.usd) !== undefined);
  }

  /** The tightest limit of a kind, here or above; `Infinity` where there is none. */
  limitFor(kind: BudgetKind): number {
    return Math.min(Infinity, ...this.#line.map(({ limits }) => limits[kind] ?? Infinity));
  }

  /** True if money is limited, here or above. */
  get limitsMoney(): boolean {
    return this.#line.some(({ limits }) => limits.usd !== undefined);
  }

  /** True if money is limited, here or above, and a model without a price therefore refused. */
  get refusesUnpriced(): boolean {
    return this.#line.some(({ limits }) => limits.usd !== undefined && limits.unpriced === 'refuse');
  }

  /**
   * Reserves what a call may cost: at once, as soon as others are through, or not at all.
   *
   * Rejects with `run.aborted` if nobody waits for the call any more.
   */
  reserve(cost: CallCost, abort: LazyAbort): Reservation | BudgetSpent | Promise<Reservation | BudgetSpent> {
    const wanted = amountsOf(cost);
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

  /** Takes one step, or one tool call; gives the budget that does not allow it, if one does not. */
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

  /** Adds what was used without having been reserved. */
  charge(cost: CallCost): void {
    this.#free(NOTHING, amountsOf(cost));
  }

  /** How the budgets that hold for the agent at `path` stand. */
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
      at: this.#now(),
      ...(limitsOwnSteps ? { limitsOwnSteps } : {}),
      ...(spent === undefined ? {} : { spent }),
    };
  }

  /** Undefined: not now, but others are under way that will make room or use it up. */
  #tryToReserve(wanted: Amounts): Reservation | BudgetSpent | undefined {
    for (const account of this.#line) {
      if (account.#isLate()) return account.#spent('timeMs');
      for (const kind of RESERVED)
        // What costs nothing can be had of a budget of 0, too.
        if (wanted[kind] > 0 && account.#used[kind] >= account.#limitOf(kind)) return account.#spent(kind);
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
    // Each is asked again, in the order in which they came: there may be room for a small one before a large one.
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
    if (kind === 'timeMs') return this.#now() - this.#startedAt;
    return kind === 'usd' ? this.#used.usd / BILLION : this.#used[kind];
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

/** Checks whether it is a budget that is spent, and no reservation. */
export const isSpent = (answer: Reservation | BudgetSpent): answer is BudgetSpent => 'kind' in answer;
