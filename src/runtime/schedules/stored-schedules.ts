import { TroupeError } from '../../contracts/errors/error.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { nextDue } from './decide-due.ts';
import { dueTimesOf } from './due-times.ts';
import { QueuedMessages } from './queued-messages.ts';
import type { StoredSchedule } from './schedule.ts';
import { runIdOf } from './schedule-keeper.ts';
import { ScheduleLog } from './schedule-log.ts';
import type { ScheduleEntry, ScheduleState } from './schedule-state.ts';
import { timeRuleOf } from './stored-rule.ts';

/** A schedule that is defined. */
type DefinedState = ScheduleState & { readonly definition: NonNullable<ScheduleState['definition']> };

/** The schedules of a store, without their code: as any process can list and change them. */
export class StoredSchedules {
  readonly #store: JournalStore;
  readonly #names: KeyValueFiles;

  constructor(store: JournalStore) {
    this.#store = store;
    this.#names = store.files('schedules');
  }

  /** Enters a name, before its log is begun. */
  async enter(name: string): Promise<void> {
    if ((await this.#names.read(name)) === undefined) await this.#names.write(name, '');
  }

  /** By name. */
  async list(): Promise<readonly StoredSchedule[]> {
    const listed: StoredSchedule[] = [];
    for (const name of await this.#names.names()) {
      const state = await new ScheduleLog(this.#store, name).read();
      if (isDefined(state)) listed.push(await describeSchedule(name, state));
    }
    return listed;
  }

  /** @throws {TroupeError} `schedule.unknown` */
  async state(name: string): Promise<DefinedState> {
    const state =
      (await this.#names.read(name)) === undefined
        ? undefined
        : await new ScheduleLog(this.#store, name).read();
    if (state !== undefined && isDefined(state)) return state;
    const known = (await this.#names.names()).join(', ');
    throw new TroupeError(
      'schedule.unknown',
      `Cannot find the schedule '${name}' as ${this.#store.name} has none of that name: ${known === '' ? 'it has no schedule' : `it has ${known}`}`,
    );
  }

  pause(name: string): Promise<void> {
    return this.#change(name, { type: 'paused' });
  }

  resume(name: string): Promise<void> {
    return this.#change(name, { type: 'resumed' });
  }

  /** Removes a schedule and what of it has not begun. A log that cannot be read is removed, too. */
  async remove(name: string): Promise<void> {
    if ((await this.#names.read(name)) === undefined) await this.state(name);
    await new ScheduleLog(this.#store, name).remove();
    await new QueuedMessages(this.#store, name).clear();
    // Last: one whose removal was interrupted can be removed again.
    await this.#names.remove(name);
  }

  async #change(name: string, entry: ScheduleEntry): Promise<void> {
    await this.state(name);
    await new ScheduleLog(this.#store, name).append(entry);
  }
}

const isDefined = (state: ScheduleState): state is DefinedState => state.definition !== undefined;

const describeSchedule = async (name: string, state: DefinedState): Promise<StoredSchedule> => {
  const { definition, isPaused, pending, last } = state;
  const { agent, when, thread, missed, overlap } = definition.rule;
  const nextAt = await nextOf(state);
  return {
    name,
    agent,
    missed,
    overlap,
    isPaused,
    pending: pending.map(({ key }) => runIdOf(name, key)),
    ...(when === undefined ? {} : { when }),
    ...(thread === undefined ? {} : { thread }),
    ...(nextAt === undefined ? {} : { nextAt }),
    ...(last === undefined ? {} : { last: runIdOf(name, last) }),
  };
};

/** The next due time, as far as this process can tell. */
const nextOf = async (state: DefinedState): Promise<number | undefined> => {
  try {
    return nextDue(state, await dueTimesOf(timeRuleOf(state.definition)));
  } catch {
    return undefined;
  }
};
