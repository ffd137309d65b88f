import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import { errorData, toError, TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { journaledDefinition } from '../journal/resume/resume.ts';
import { Deadline } from './deadline.ts';
import { dueTimesOf } from './due-times.ts';
import { QueuedMessages } from './queued-messages.ts';
import type {
  QueuedMessage,
  ScheduleOptions,
  ScheduleReport,
  Schedules,
  SchedulesOptions,
  StoredSchedule,
  WebhookInOptions,
} from './schedule.ts';
import type { StartRun } from './schedule-keeper.ts';
import { ScheduleKeeper, runIdOf } from './schedule-keeper.ts';
import { ScheduleLog } from './schedule-log.ts';
import { checkMessage, checkSchedule, checkSchedules } from './schedule-schema.ts';
import { startDue } from './start-due.ts';
import { defineSchedule, timeRuleOf } from './stored-rule.ts';
import { StoredSchedules } from './stored-schedules.ts';
import { handleWebhooks } from './webhook-handler.ts';

const LOOK_EVERY_MS = 10_000;
const GRACE_MS = 30_000;

/**
 * Runs agents at times and on messages: cron expressions, delays, heartbeats, queues and webhooks, each due time and each message exactly once.
 *
 * A schedule is in the store, its code in the process that adds it. The run of a due time is called `NAME@TIME`, that of a message `NAME@ID`: of any
 * number of processes that keep the same schedule one starts it, and one resumes it after a crash. Nothing looks before the first `add`; the process stays alive
 * until it is disposed of, which suspends what runs. What a store removes by `prune` it no longer knows: keep runs for longer than senders repeat messages.
 *
 * @example
 * await using live = schedules(sqliteStore('./runs.db'));
 * await live.add({
 *   name: 'digest', agent: clerk, input: 'Write the digest of today.', thread: 'digest',
 *   when: { cron: '0 8 * * 1-5', zone: 'Europe/Vienna' }, missed: 'once',
 * });
 *
 * @throws {TroupeError} `schedule.invalid` for options that do not fit.
 */
export const schedules = (store: JournalStore, options: SchedulesOptions = {}): Schedules =>
  new LiveSchedules(store, checkSchedules(options));

class LiveSchedules implements Schedules {
  readonly #store: JournalStore;
  readonly #stored: StoredSchedules;
  readonly #options: SchedulesOptions;
  readonly #clock: Clock;
  readonly #keepers = new Map<string, ScheduleKeeper>();
  /** Keepers of schedules that were removed, until their runs are over. */
  readonly #retired = new Set<ScheduleKeeper>();
  readonly #deadline: Deadline;
  readonly #lookEveryMs: number;
  #stopping: Promise<void> | undefined;

  constructor(store: JournalStore, options: SchedulesOptions) {
    this.#store = store;
    this.#stored = new StoredSchedules(store);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#lookEveryMs = options.lookEveryMs ?? LOOK_EVERY_MS;
    this.#deadline = new Deadline(this.#clock, () => this.#keepers.values());
  }

  async add<Input>(given: ScheduleOptions<Input>): Promise<void> {
    const schedule = checkSchedule<ScheduleOptions<Input>>(
      given,
      `the schedule ${foundText((given as Partial<ScheduleOptions<Input>> | undefined)?.name)}`,
    );
    journaledDefinition(schedule.agent);
    const { name } = schedule;
    this.#assertOpen(name);
    const definition = defineSchedule(schedule, this.#clock.now());
    // Checked before it is stored.
    await dueTimesOf(timeRuleOf(definition));
    const log = new ScheduleLog(this.#store, name);
    await this.#stored.enter(name);
    await log.append({ type: 'defined', ...definition });
    this.#assertOpen(name);
    const start: StartRun = (due, onHandle) =>
      startDue(schedule, due, { ...this.#options, store: this.#store }, onHandle);
    const keeper = this.#keepers.get(name) ?? this.#keeperOf(name, log);
    this.#keepers.set(name, keeper);
    keeper.start = start;
    keeper.wake();
  }

  #keeperOf(name: string, log: ScheduleLog): ScheduleKeeper {
    return new ScheduleKeeper({
      name,
      store: this.#store,
      log,
      messages: new QueuedMessages(this.#store, name),
      clock: this.#clock,
      lookEveryMs: this.#lookEveryMs,
      graceMs: this.#options.graceMs ?? GRACE_MS,
      report: (report) => {
        this.#report(report);
      },
      onWait: () => {
        this.#deadline.arm();
      },
    });
  }

  list(): Promise<readonly StoredSchedule[]> {
    return this.#stored.list();
  }

  async pause(name: string): Promise<void> {
    await this.#stored.pause(name);
  }

  async resume(name: string): Promise<void> {
    await this.#stored.resume(name);
    this.#keepers.get(name)?.wake();
  }

  async remove(name: string): Promise<void> {
    await this.#stored.remove(name);
    const keeper = this.#keepers.get(name);
    if (keeper === undefined) return;
    this.#keepers.delete(name);
    this.#retired.add(keeper);
    void keeper.retire().then(() => this.#retired.delete(keeper));
  }

  async send(name: string, message: QueuedMessage): Promise<boolean> {
    const { id, message: content } = checkMessage(message);
    const isNew = await this.#enqueue(name, id, content);
    this.#keepers.get(name)?.wake();
    return isNew;
  }

  handler(name: string, options: WebhookInOptions): (request: Request) => Promise<Response> {
    return handleWebhooks({ clock: this.#clock, send: (message) => this.#receive(name, message) }, options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#deadline.stop();
    await Promise.all([...this.#keepers.values(), ...this.#retired].map((keeper) => keeper.stop()));
  }

  async #receive(name: string, message: QueuedMessage): Promise<boolean> {
    try {
      return await this.send(name, message);
    } catch (thrown) {
      this.#report({
        type: 'failed',
        schedule: name,
        runId: runIdOf(name, message.id),
        isFinal: false,
        error: toError(errorData(thrown, 'journal.failed')),
      });
      throw thrown;
    }
  }

  async #enqueue(name: string, id: string, message: QueuedMessage['message']): Promise<boolean> {
    const known = await this.#stored.state(name);
    if (known.definition.rule.when !== undefined)
      throw new TroupeError(
        'schedule.invalid',
        `Cannot send a message to '${name}' as it is no queue: it has a \`when\``,
      );
    const isPending = (pending: typeof known.pending): boolean => pending.some(({ key }) => key === id);
    if (isPending(known.pending) || (await this.#store.entry(runIdOf(name, id))) !== undefined) return false;
    const full = (): TroupeError =>
      new TroupeError(
        'schedule.full',
        `Cannot send a message to '${name}' as its backlog is full: ${known.definition.rule.backlog} wait`,
        {
          retryable: 'yes',
        },
      );
    if (known.pending.length >= known.definition.rule.backlog) throw full();
    // The message first: what is on the log can be delivered.
    await new QueuedMessages(this.#store, name).write(id, message);
    const { pending } = await new ScheduleLog(this.#store, name).append({
      type: 'message',
      key: id,
      at: this.#clock.now(),
    });
    if (isPending(pending) || (await this.#store.entry(runIdOf(name, id))) !== undefined) return true;
    throw full();
  }

  #assertOpen(name: string): void {
    if (this.#stopping !== undefined)
      throw new TroupeError(
        'engine.closed',
        `Cannot add the schedule '${name}' as its schedules are disposed of`,
      );
  }

  #report(report: ScheduleReport): void {
    try {
      this.#options.onReport?.(report);
    } catch {
      // A listener cannot hurt a schedule.
    }
  }
}
