import { letGo } from '../../base/promises/thenable.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { isTroupeError, type TroupeError } from '../../contracts/errors/error.ts';
import { malformedError } from '../wire/provider-stream.ts';
import { lateError, nameOf, typedError } from './batch-errors.ts';
import type { BatchMember } from './batch-member.ts';
import { BatchMembers } from './batch-members.ts';
import type { BatchReport, BatchResult, BatchSend, BatchService } from './batch-service.ts';
import type { QueueSetup } from './queue-setup.ts';
import { linesOf } from './result-lines.ts';

/** The facts about a batch that was submitted. */
export interface SentFacts {
  readonly id: string;
  /** When, in ms since 1970. */
  readonly at: number;
  /** The number of its requests; undefined if that is not known. */
  readonly requests?: number | undefined;
}

/** A call in the batch. */
interface Wanted {
  readonly member: BatchMember;
  readonly line: number | undefined;
  /** Called if the batch turns out to be another one, without a result for the call. Absent if it is certainly this one. */
  readonly absent: ((member: BatchMember) => void) | undefined;
}

/**
 * A batch that the provider has: looked at until it has ended, then its results are handed out.
 *
 * I1 A look that fails in a way that passes is repeated: what was submitted is paid for.
 * I2 It is cancelled only if each of its requests is known to be wanted by nobody.
 */
export class SentBatch {
  readonly #facts: SentFacts;
  readonly #setup: QueueSetup;
  readonly #service: BatchService;
  readonly #onOver: () => void;
  readonly #members = new BatchMembers((member) => {
    this.#forget(member);
    this.#endIfLeft();
  });
  readonly #wanted = new Map<string, Wanted>();
  /** Ids of requests that nobody wants any more. */
  readonly #gone = new Set<string>();
  #looks = 0;
  /** Failed looks in a row. */
  #failures = 0;
  /** Readings of all results in which some were missing. */
  #misses = 0;
  #hasEnded = false;

  constructor(facts: SentFacts, service: BatchService, setup: QueueSetup, onOver: () => void) {
    this.#facts = facts;
    this.#service = service;
    this.#setup = setup;
    this.#onOver = onOver;
  }

  /** Takes a call in; `line` is the place of its request in the batch. */
  join(member: BatchMember, line?: number, absent?: Wanted['absent']): void {
    this.#wanted.set(member.id, { member, line, absent });
    this.#members.join(member);
    // It was aborted while the batch was submitted.
    if (member.isOver) this.#forget(member);
  }

  /** Looks at the batch after that time, and shows that it is waited for. */
  lookIn(ms: number): void {
    const { id, requests } = this.#facts;
    const size = requests === undefined ? '' : ` (${requests} ${requests === 1 ? 'request' : 'requests'})`;
    const dueAt = this.#members.clock.now() + ms;
    for (const member of this.#members)
      member.shows(`the batch ${id} of ${nameOf(this.#setup.who)}${size}`, dueAt);
    this.lookSoon(ms);
  }

  /** Looks at a batch that may have ended long ago, after a time that is long enough for others to join. */
  lookSoon(ms: number): void {
    this.#endIfLeft();
    this.#members.arm(Math.min(ms, Math.max(0, this.#leftMs)), () => {
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#looks += 1;
    try {
      const report = await this.#members.request((send) => this.#service.report(this.#facts.id, send));
      if (report.hasEnded) await this.#handOut(report);
      this.#failures = 0;
    } catch (thrown) {
      const error = typedError(thrown, this.#setup.who);
      this.#failures += 1;
      if (error.retryable === 'no' || this.#failures >= MOST_FAILURES) this.#endFor(error);
      else this.#lookAgain(error.retryAfterMs);
      return;
    }
    this.#lookAgain();
  }

  #lookAgain(leastMs = 0): void {
    if (this.#leftMs <= 0) this.#endLate();
    if (this.#members.size === 0) {
      this.#onOver();
      return;
    }
    const { pollMs } = this.#setup;
    const longest = Math.max(pollMs, LONGEST_WAIT_MS);
    // What has ended is read again for those who have come since, or for what was missing.
    const waitMs = this.#hasEnded ? pollMs : Math.min(pollMs * GROWTH ** this.#looks, longest);
    this.lookIn(Math.max(waitMs, leastMs));
  }

  /** Time that is left to wait. */
  get #leftMs(): number {
    return this.#facts.at + this.#setup.timeoutMs - this.#members.clock.now();
  }

  /** Reads all results, and settles the calls that were there before. Calls without a result stay, to be looked for once more. */
  async #handOut(report: BatchReport): Promise<void> {
    this.#hasEnded = true;
    const wanted = [...this.#members].flatMap(({ id }) => this.#wanted.get(id) ?? []);
    const ids = new Set(wanted.map(({ member }) => member.id));
    const results = new Map<string, BatchResult | TroupeError>();
    let unreadable = 0;
    for (const file of report.files)
      await this.#members.request(async (send) => {
        for await (const line of linesOf(await this.#service.lines(file, send))) {
          const result = this.#resultIn(line);
          if (result === undefined) unreadable += 1;
          else if (results.has(result.id))
            results.set(result.id, this.#malformed('its batch holds two results for it'));
          else if (ids.has(result.id)) results.set(result.id, result);
        }
      });
    this.#misses += 1;
    for (const each of wanted) this.#settle(each, results.get(each.member.id), report, unreadable);
  }

  #settle(
    { member, line, absent }: Wanted,
    result: BatchResult | TroupeError | undefined,
    report: BatchReport,
    unreadable: number,
  ): void {
    if (isTroupeError(result)) member.fail(result);
    else if (result !== undefined) {
      if ('body' in result) member.succeed(result.body);
      else member.fail(typedError(result.thrown, this.#setup.who));
    } else if (absent !== undefined && unreadable === 0) absent(member);
    else if (report.whyWithout !== undefined) member.fail(report.whyWithout(line));
    else if (this.#misses >= MOST_MISSES)
      member.fail(
        this.#malformed(
          `its batch ${this.#facts.id} has no result for it${unreadable === 0 ? '' : ` (${unreadable} lines cannot be read)`}`,
        ),
      );
  }

  #resultIn(line: string): BatchResult | undefined {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return undefined;
    }
    return isJsonObject(value) ? this.#service.result(value, this.#facts.id) : undefined;
  }

  #endLate(): void {
    const error = lateError(this.#setup.who, this.#setup.timeoutMs);
    for (const member of this.#members) member.fail(error);
  }

  #endFor(error: TroupeError): void {
    this.#hasEnded = true;
    for (const member of this.#members) member.fail(error);
  }

  #forget({ id, wait }: BatchMember): void {
    // It continues elsewhere, and is wanted there.
    if (!this.#hasEnded && wait?.hasLeft() !== true) this.#gone.add(id);
  }

  #endIfLeft(): void {
    if (this.#members.size > 0) return;
    this.#onOver();
    if (this.#gone.size !== this.#facts.requests) return;
    this.#gone.clear();
    // Nobody waits for it: a batch that is not cancelled is paid for, that is all.
    letGo(this.#service.cancel(this.#facts.id, NO_ABORT()));
  }

  #malformed(found: string): TroupeError {
    return malformedError(this.#setup.who, found);
  }
}

const GROWTH = 1.5;
const LONGEST_WAIT_MS = 600_000;
/** Two hours and a half, with the default wait between them. */
const MOST_FAILURES = 20;
const MOST_MISSES = 3;

const NO_ABORT = (): BatchSend => ({ signal: new AbortController().signal });
