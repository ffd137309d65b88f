import type { Decision, Script } from './decision.ts';
import type { Deciding, JudgedRun, RunMaker } from './judged-run.ts';
import type { OrderReport } from './order-report.ts';
import { shrinkScript } from './shrink.ts';
import type { SimulationFailure, SimulationReport } from './simulation-report.ts';

/** Seeds of one failure that a report names. */
const NAMED = 20;

const DAY_MS = 86_400_000;

type OpenFailure = { -readonly [Field in keyof SimulationFailure]: SimulationFailure[Field] };

/** Keeps the runs of one simulation, and shrinks what is new among their failures. */
export class Ledger {
  orders: OrderReport | undefined;
  readonly #maker: RunMaker;
  readonly #about: { readonly agent: string; readonly seed: number; readonly shrinking: number };
  readonly #failures = new Map<string, OpenFailure>();
  readonly #ends: Partial<Record<JudgedRun['status'], number>> = {};
  readonly #happened: Record<string, number> = {};
  // The platform's time: that of the runs is not it.
  readonly #startedAt = performance.now();
  #runs = 0;
  #durationMs = 0;

  constructor(
    maker: RunMaker,
    about: { readonly agent: string; readonly seed: number; readonly shrinking: number },
  ) {
    this.#maker = maker;
    this.#about = about;
  }

  /** By the virtual clock, all runs together. */
  get days(): number {
    return this.#durationMs / DAY_MS;
  }

  /** The number of different failures. */
  get failures(): number {
    return this.#failures.size;
  }

  /** Takes in a run. */
  async enter(deciding: Deciding, run: JudgedRun): Promise<void> {
    this.#runs += 1;
    this.#durationMs += run.durationMs;
    this.#ends[run.status] = (this.#ends[run.status] ?? 0) + 1;
    for (const decision of run.decisions) {
      const name = nameOf(decision);
      this.#happened[name] = (this.#happened[name] ?? 0) + 1;
    }
    const rules = new Map(run.findings.toReversed().map(({ rule, reason }) => [rule, reason]));
    for (const rule of rules.keys()) await this.#fail(rule, deciding, run);
  }

  report(isStopped: boolean): SimulationReport {
    const elapsedMs = Math.max(1, Math.round(performance.now() - this.#startedAt));
    const failures = [...this.#failures.values()];
    return {
      verdict: this.#verdict(isStopped),
      agent: this.#about.agent,
      seed: this.#about.seed,
      runs: this.#runs,
      failures,
      ends: this.#ends,
      happened: this.#happened,
      ...(this.orders === undefined ? {} : { orders: this.orders }),
      days: this.days,
      elapsedMs,
      daysPerHour: Math.round((this.days * 3_600_000) / elapsedMs),
    };
  }

  #verdict(isStopped: boolean): SimulationReport['verdict'] {
    if (this.#failures.size > 0) return 'failed';
    if (isStopped) return 'stopped';
    return this.orders === undefined || this.orders.dependsOn.length === 0 ? 'holds' : 'depends';
  }

  async #fail(rule: string, { seed }: Deciding, { decisions }: JudgedRun): Promise<void> {
    const known = this.#failures.get(rule);
    if (known !== undefined) {
      known.times += 1;
      if (known.seeds.length < NAMED && !known.seeds.includes(seed)) known.seeds = [...known.seeds, seed];
      return;
    }
    const make = (left: readonly Decision[]): Promise<JudgedRun> =>
      this.#maker.make({ seed, decisions: left });
    const shrunk = await shrinkScript(
      decisions,
      async (left) => (await make(left)).findings.some((each) => each.rule === rule),
      this.#about.shrinking,
    );
    const last = await make(shrunk.decisions);
    const reason =
      last.findings.find((each) => each.rule === rule)?.reason ??
      'it does not happen again by its script: the agent does not do the same each time';
    const script: Script = { agent: this.#about.agent, seed, decisions: shrunk.decisions };
    this.#failures.set(rule, {
      rule,
      reason,
      seeds: [seed],
      times: 1,
      script,
      story: last.story(`${rule}: ${reason}`),
      decisions: decisions.length,
      shrunkIn: shrunk.runs,
    });
  }
}

/** The kind of a decision: that of a fault, or its aspect. */
const nameOf = (decision: Decision): string =>
  decision.what === 'fault' || decision.what === 'says' || decision.what === 'does'
    ? decision.value
    : decision.what;
