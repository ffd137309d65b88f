import type { Clock } from '../../../base/clock.ts';
import { systemClock } from '../../../base/clock.ts';
import { releaseProcess } from '../../../base/release-process.ts';
import {
  aFunction,
  aTime,
  formOr,
  listOf,
  objectWith,
  oneOf,
  optional,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import { nearestName } from '../../../base/text/nearest-name.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { Hook, HookScope } from '../../../contracts/events/event.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import { WorkFollower } from '../work/follow-work.ts';
import { followed } from '../work/followed-events.ts';
import { NewWork } from '../work/new-work.ts';
import { tenantIn } from '../work/followed-run.ts';
import type { Work } from '../work/work.ts';
import type { Alert } from './alert.ts';
import type { AlertChannel } from './alert-channel.ts';
import { ChannelLine } from './alert-channel.ts';
import type { AlertRule } from './alert-rule.ts';
import { openingRules, ruleSchema } from './alert-rule.ts';
import { Measures } from './measure.ts';
import { RuleWatch } from './rule-watch.ts';

/** Options of {@link alerts}. Times are in ms. */
export interface AlertsOptions {
  /** Default: one, for runs of more than 5,000 ms. */
  readonly rules?: readonly AlertRule[] | undefined;
  /** Functions that deliver an alert, such as that of {@link webhook}, or `'log'`: a line of JSON by `console.warn`. Default `['log']`. */
  readonly channels?: readonly ('log' | AlertChannel)[] | undefined;
  /** Reads the tenant of a run from the `context` that it was given. Default: the one that `by` of its engine names. */
  readonly tenant?: ((context: unknown) => string | undefined) | undefined;
  /** Time for which the same rule and subject is not sent again. Default 300,000. */
  readonly mutedMs?: number | undefined;
  /** Time between checks, beside those as work ends; while there is work in progress, or an alert fires. Default 5,000. */
  readonly everyMs?: number | undefined;
  /** Time that a channel may take for an alert. Default 30,000. */
  readonly channelMs?: number | undefined;
  /** Maximum number of alerts in the history. Default 1,000. */
  readonly keep?: number | undefined;
  /** Default: the clock of the runs. */
  readonly clock?: Clock | undefined;
}

/** An alert that a channel has failed to deliver. */
export interface AlertFailure {
  readonly alert: string;
  /** The name of its function, or `log`. */
  readonly channel: string;
  /** Message of the error. */
  readonly error: string;
}

/** A hook that raises alerts. */
export interface AlertsHook extends Hook, AsyncDisposable {
  /** Alerts as they were sent, the newest last, at most `keep`. */
  readonly history: readonly Alert[];
  /** The alerts whose condition holds by now, as they were sent last. */
  readonly firing: readonly Alert[];
  /** Deliveries that failed, the newest last: at most 100. */
  readonly failures: readonly AlertFailure[];
  /**
   * Sends no alert of a rule until a time, in ms since 1970; a time that has passed ends it. A condition that still holds then is sent.
   *
   * @throws {TroupeError} `input.invalid` for a rule that is not there, or what is no time.
   */
  silence(rule: string, untilMs: number): void;
  /**
   * Judges the runs of a store by the rules, in order of time, and returns the alerts that would have been sent: to try rules. Tenants
   * are those that `by` of an engine named, as no context is on record; runs that cannot be read are left out. Nothing is delivered.
   */
  over(store: Pick<JournalStore, 'list' | 'read'>): Promise<readonly Alert[]>;
  /** Ends the checks, and waits until all alerts are delivered or given up. */
  close(): Promise<void>;
}

const MOST_FAILURES = 100;

const check = optionsCheck<AlertsOptions>({ code: 'input.invalid', owner: 'alerts' }, () => ({
  rules: optional(listOf(ruleSchema(), 'not a list: write [{ name, metric, over }]')),
  channels: optional(
    listOf(
      formOr((given) => typeof given === 'function', aFunction(), oneOf(['log', 'a function'])),
      "not a list: write ['log', (alert) => …]",
    ),
  ),
  tenant: optional(aFunction()),
  mutedMs: optional(aTime()),
  everyMs: optional(aTime()),
  channelMs: optional(aTime()),
  keep: optional(wholeNumber(1)),
  clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
}));

/**
 * Raises alerts: rules over latency, errors, retries, cost, tokens, budgets and queues, judged as work ends and every 5 s, each sent
 * once to every channel and then muted for 300 s. For an engine, or for runs.
 *
 * Channels are apart from runs and from each other: one that throws, hangs or is slow is in `failures`, and reported as
 * `observer.failed` of the run, which is no error of it. When a condition holds no longer, the alert is sent once more, as `resolved`.
 *
 * @example
 * const watching = alerts({
 *   rules: [
 *     { name: 'slow runs', metric: 'run.latency', agent: '*', over: 5_000 },
 *     { name: 'failing tools', metric: 'error.rate', tool: '*', over: 0.2, least: 10, severity: 'critical' },
 *   ],
 *   channels: ['log', webhook({ url: 'https://ops.example/alerts', secret: process.env['ALERT_SECRET'] ?? '' })],
 * });
 * const engine = createGlobalEngine({ hooks: [watching] });
 *
 * @throws {TroupeError} `input.invalid` for options that do not fit, or two rules of one name.
 */
export const alerts = (options: AlertsOptions = {}): AlertsHook => new Alerts(check(options));

class Alerts implements AlertsHook {
  readonly name = 'alerts';
  readonly on = followed;
  readonly history: Alert[] = [];
  readonly failures: AlertFailure[] = [];
  readonly #options: AlertsOptions;
  readonly #watches: readonly RuleWatch[];
  readonly #lines: readonly ChannelLine[];
  readonly #measures: Measures;
  readonly #follower: WorkFollower;
  /** A run is asked for its tenant once. */
  readonly #tenants = new WeakMap<HookScope, string | undefined>();
  #scope: HookScope = {};
  #timer: unknown;
  #isClosed = false;

  constructor(options: AlertsOptions) {
    this.#options = options;
    const { channels = ['log'], channelMs: timeoutMs = 30_000 } = options;
    this.#watches = watchesOf(options);
    this.#lines = channels.map(
      (channel, index) =>
        new ChannelLine({
          name: channelName(channel, index),
          send: channel === 'log' ? logAlert : channel,
          clock: () => this.#clock,
          timeoutMs,
          failed: (alert, name, error) => {
            this.#channelFailed(alert, name, error);
          },
        }),
    );
    this.#measures = new Measures({
      tenantOf: (work) => this.#tenantOf(work),
      take: (measure) => {
        for (const watch of this.#watches) this.#send(watch.take(measure));
      },
    });
    this.#follower = new WorkFollower(new NewWork(this.#measures));
  }

  get firing(): readonly Alert[] {
    return this.#watches.flatMap(({ firing }) => firing);
  }

  handle(event: Parameters<Hook['handle']>[0], scope: HookScope): void {
    if (this.#isClosed) return;
    this.#scope = scope;
    this.#follower.take(event, scope);
    this.#arm();
  }

  silence(rule: string, untilMs: number): void {
    const found = this.#watches.find((watch) => watch.rule.name === rule);
    if (found === undefined) throw unknownRule(rule, this.#watches);
    if (typeof untilMs !== 'number' || Number.isNaN(untilMs))
      throw new TroupeError(
        'input.invalid',
        `Cannot silence the rule '${rule}' as its time is not a number of ms since 1970: found ${foundText(untilMs)}`,
      );
    found.silence(untilMs);
  }

  async over(store: Pick<JournalStore, 'list' | 'read'>): Promise<readonly Alert[]> {
    // What reads stores is loaded when a store is read.
    const { alertsOver } = await import('./alerts-over.ts');
    return alertsOver(store, watchesOf(this.#options), this.#options.everyMs ?? EVERY_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    await Promise.all(this.#lines.map((line) => line.idle()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #clock(): Clock {
    return this.#options.clock ?? this.#scope.clock ?? systemClock;
  }

  /** A process that has nothing else to do does not stay for a check. */
  #arm(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    if (!this.#measures.isBusy && this.firing.length === 0) return;
    const clock = this.#clock;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      const now = clock.now();
      const open = [...this.#measures.open()];
      for (const watch of this.#watches) for (const alert of watch.check(now, open)) this.#send(alert);
      this.#arm();
    }, this.#options.everyMs ?? EVERY_MS);
    releaseProcess(this.#timer);
  }

  #send(alert: Alert | undefined): void {
    if (alert === undefined) return;
    this.history.push(alert);
    if (this.history.length > (this.#options.keep ?? KEEP)) this.history.shift();
    for (const line of this.#lines) line.offer(alert);
  }

  #tenantOf(work: Work): string | undefined {
    const { tenant: read } = this.#options;
    if (read === undefined) return tenantIn(work);
    const { scope } = work;
    if (this.#tenants.has(scope)) return this.#tenants.get(scope);
    let found: unknown;
    try {
      found = read(scope.context);
    } catch (thrown) {
      scope.failed?.(thrown);
    }
    const tenant = typeof found === 'string' && found !== '' ? found : undefined;
    this.#tenants.set(scope, tenant);
    return tenant;
  }

  #channelFailed(alert: Alert, channel: string, error: unknown): void {
    this.failures.push({ alert: alert.id, channel, error: messageOf(error) });
    if (this.failures.length > MOST_FAILURES) this.failures.shift();
    this.#scope.failed?.(error);
  }
}

const EVERY_MS = 5_000;
const MUTED_MS = 300_000;
const KEEP = 1_000;

const watchesOf = ({ rules = openingRules, mutedMs = MUTED_MS }: AlertsOptions): readonly RuleWatch[] => {
  const names = rules.map(({ name }) => name);
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined)
    throw new TroupeError(
      'input.invalid',
      `Cannot define alerts as two of its rules have the name '${double}': a rule is silenced by its name`,
    );
  return rules.map((rule) => new RuleWatch(rule, mutedMs));
};

const unknownRule = (name: string, watches: readonly RuleWatch[]): TroupeError => {
  const names = watches.map(({ rule }) => rule.name);
  const near = nearestName(String(name), names);
  const hint = near === undefined ? `there are ${names.join(', ')}` : `did you mean '${near}'?`;
  return new TroupeError(
    'input.invalid',
    `Cannot silence the rule ${foundText(name)} as it is unknown: ${hint}`,
  );
};

const channelName = (channel: 'log' | AlertChannel, index: number): string => {
  const name = channel === 'log' ? channel : channel.name;
  return name === '' ? `channel ${index + 1}` : name;
};

/** One line: names in it are from models and people, too. */
const logAlert: AlertChannel = (alert) => {
  // oxlint-disable-next-line no-console -- It is the channel that was asked for.
  console.warn(JSON.stringify(alert));
};
