import { AlertGroup } from './alert-group.ts';
import type { Alert, AlertSubject } from './alert.ts';
import type { AlertRule } from './alert-rule.ts';
import { isLatency, WINDOW_MS } from './alert-rule.ts';
import type { Measure, OpenWork } from './measure.ts';
import type { Sample } from './read-measure.ts';
import { sampleIn, subjectOf } from './read-measure.ts';

/** Maximum number of subjects of a rule: invented names must not fill the memory. The rest is one subject. */
const MOST_SUBJECTS = 200;
const OTHER = '(other)';

/** A rule, and its values by subject. */
export class RuleWatch {
  readonly rule: AlertRule;
  readonly #mutedMs: number;
  readonly #groups = new Map<string, AlertGroup>();
  /** Slow work in progress, with the time at which it was counted last. */
  #overdue = new Map<OpenWork, number>();
  #silentUntil = -Infinity;

  constructor(rule: AlertRule, mutedMs: number) {
    this.rule = rule;
    this.#mutedMs = mutedMs;
  }

  /** The alerts whose condition holds. */
  get firing(): readonly Alert[] {
    return [...this.#groups.values()].flatMap(({ firing }) => firing ?? []);
  }

  silence(untilMs: number): void {
    this.#silentUntil = untilMs;
  }

  /** Takes in a measure, and returns the alert that follows from it. */
  take(measure: Measure): Alert | undefined {
    const sample = sampleIn(measure, this.rule);
    if (sample === undefined) return undefined;
    const group = this.#groupOf(measure.subject);
    return group?.add(sample) === true ? group.check(sample.at, this.#isSilentAt(sample.at)) : undefined;
  }

  /** Judges all subjects by the time, and by work in progress; returns the alerts that follow. */
  check(now: number, open: Iterable<OpenWork> = []): readonly Alert[] {
    this.#countOverdue(now, open);
    const found: Alert[] = [];
    for (const [key, group] of this.#groups) {
      const alert = group.check(now, this.#isSilentAt(now));
      if (alert !== undefined) found.push(alert);
      if (group.isIdle(now)) this.#groups.delete(key);
    }
    return found;
  }

  #isSilentAt(now: number): boolean {
    return now < this.#silentUntil;
  }

  /** Counts work that is slow already, and again for as long as it goes on: a run that hangs has no end to be measured by. */
  #countOverdue(now: number, open: Iterable<OpenWork>): void {
    const { metric, over, percentile, windowMs = WINDOW_MS } = this.rule;
    if (!isLatency(metric) || over === undefined || percentile !== undefined) return;
    const overdue = new Map<OpenWork, number>();
    for (const work of open) {
      const ms = now - work.startedAt;
      if (metric !== `${work.kind}.latency` || ms <= over) continue;
      const countedAt = this.#overdue.get(work);
      const isDue = countedAt === undefined || now - countedAt >= windowMs / 2;
      if (isDue) this.#groupOf(work.subject)?.add(sampleOf(work, now));
      overdue.set(work, isDue ? now : countedAt);
    }
    this.#overdue = overdue;
  }

  #groupOf(given: AlertSubject): AlertGroup | undefined {
    const subject = subjectOf(this.rule, given);
    if (subject === undefined) return undefined;
    const key = JSON.stringify(subject);
    const found = this.#groups.get(key);
    if (found !== undefined) return found;
    return this.#groups.size < MOST_SUBJECTS ? this.#open(key, subject) : this.#other(subject);
  }

  #other(subject: AlertSubject): AlertGroup {
    const other = Object.fromEntries(Object.keys(subject).map((part) => [part, OTHER]));
    const key = JSON.stringify(other);
    return this.#groups.get(key) ?? this.#open(key, other);
  }

  #open(key: string, subject: AlertSubject): AlertGroup {
    const group = new AlertGroup(this.rule, key, subject, this.#mutedMs);
    this.#groups.set(key, group);
    return group;
  }
}

const sampleOf = ({ runId, startedAt }: OpenWork, now: number): Sample => ({
  at: now,
  runId,
  value: now - startedAt,
  weight: 1,
});
