import type { SnapshotFrom } from 'xstate';
import { initialTransition, transition } from 'xstate';
import type { AlertEvent } from '../../../machines/alerts/alert-machine.ts';
import { alertMachine } from '../../../machines/alerts/alert-machine.ts';
import type { Alert, AlertSubject } from './alert.ts';
import { alertOf } from './alert.ts';
import type { AlertRule } from './alert-rule.ts';
import { isLatency, WINDOW_MS } from './alert-rule.ts';
import { judge, MOST_BEFORE } from './judge.ts';
import type { Sample } from './read-measure.ts';

/** Maximum number of values kept; beyond it the oldest go. */
const MOST_SAMPLES = 10_000;
/** Of many values a check is a long sum: it is due when this part of them is new. */
const PART_NEW = 64;
const MOST_RUNS = 5;

/** The values of a rule for one subject, and its alert. */
export class AlertGroup {
  readonly #rule: AlertRule;
  readonly #key: string;
  readonly #subject: AlertSubject;
  readonly #samples: Sample[] = [];
  #level = 0;
  #added = 0;
  #lastValue = 0;
  #alert: SnapshotFrom<typeof alertMachine>;
  #latest: Alert | undefined;

  constructor(rule: AlertRule, key: string, subject: AlertSubject, mutedMs: number) {
    this.#rule = rule;
    this.#key = key;
    this.#subject = subject;
    [this.#alert] = initialTransition(alertMachine, { mutedMs });
  }

  /** The alert that was sent last, while its condition holds. */
  get firing(): Alert | undefined {
    return this.#alert.value === 'firing' ? this.#latest : undefined;
  }

  /** True if there is nothing to remember by a time. */
  isIdle(now: number): boolean {
    this.#forgetBefore(now);
    const { context, value } = this.#alert;
    return value !== 'firing' && context.mutedUntil <= now && this.#samples.length === 0 && this.#level === 0;
  }

  /** Adds a value; true if a check is due. */
  add(sample: Sample): boolean {
    if (this.#rule.metric === 'queue.depth') this.#level = Math.max(0, this.#level + sample.value);
    this.#samples.push(sample);
    if (this.#samples.length > MOST_SAMPLES) this.#samples.splice(0, MOST_SAMPLES / 10);
    this.#added += 1;
    // A call that waits for a moment is no queue: it is looked at now and then.
    if (this.#rule.metric === 'queue.depth') return false;
    return this.#rule.deviation !== undefined || this.#added * PART_NEW >= this.#samples.length;
  }

  /** Judges the rule, and returns the alert that is to be sent; a silenced one waits until it is not. */
  check(now: number, isSilenced: boolean): Alert | undefined {
    this.#added = 0;
    this.#forgetBefore(now);
    const judged = judge(this.#rule, { samples: this.#samples, level: this.#level }, now);
    this.#lastValue = judged?.value ?? this.#lastValue;
    if (judged?.isMet === true) return isSilenced ? undefined : this.#move({ type: 'met', at: now }, now);
    return this.#alert.value === 'firing' ? this.#move({ type: 'cleared' }, now, isSilenced) : undefined;
  }

  #move(event: AlertEvent, now: number, isSilenced = false): Alert | undefined {
    const before = this.#alert;
    [this.#alert] = transition(alertMachine, before, event);
    const isSent = this.#alert.context.sent > before.context.sent;
    if ((event.type === 'met' && !isSent) || isSilenced) return undefined;
    const alert = alertOf({
      key: this.#key,
      rule: this.#rule,
      status: event.type === 'met' ? 'firing' : 'resolved',
      subject: this.#subject,
      at: now,
      value: this.#lastValue,
      runs: this.#runs(),
      repeats: before.context.repeats,
    });
    this.#latest = alert;
    return alert;
  }

  #runs(): readonly string[] {
    const { metric, over = -Infinity, under = Infinity } = this.#rule;
    const isBehind = ({ value }: Sample): boolean =>
      isLatency(metric) ? value > over && value < under : value > 0;
    const newest = this.#samples.filter(isBehind).map(({ runId }) => runId);
    return [...new Set(newest.toReversed())].slice(0, MOST_RUNS);
  }

  /** A deviation is judged by values from before the window, too. */
  #forgetBefore(now: number): void {
    const { windowMs = WINDOW_MS, rise, deviation } = this.#rule;
    const least = now - windowMs * (rise === undefined ? 1 : 2);
    const samples = this.#samples;
    let old = 0;
    while (old < samples.length && (samples[old]?.at ?? 0) <= least) old += 1;
    if (deviation !== undefined) old = Math.max(0, Math.min(old, samples.length - MOST_BEFORE - 1));
    if (old > 0) samples.splice(0, old);
  }
}
