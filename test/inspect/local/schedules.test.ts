import { onTestFinished, describe, expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import type { ScheduleList } from '../../../src/inspect/recording/report/listed-schedule.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { schedules } from '../../../src/runtime/schedules/schedules.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import type { Inspector } from '../../../src/inspect/local/inspect.ts';
import { askOpen, control, openInspector } from './local-kit.ts';

/** A store with a schedule, a one-time one, and a queue that is paused with a message in it. */
const storeWithSchedules = async () => {
  const store = memoryStore();
  const clerk = agent({ name: 'clerk', decide: () => answer('Done.') });
  const live = schedules(store, { clock: virtualClock(Date.UTC(2026, 2, 2, 6)) });
  await live.add({ name: 'digest', agent: clerk, input: 'Go.', when: { everyMs: 3_600_000 } });
  await live.add({ name: 'launch', agent: clerk, input: 'Go.', when: { at: new Date('2026-05-01') } });
  await live.add({ name: 'mail', agent: clerk, input: 'Go.' });
  await live.pause('mail');
  await live.send('mail', { id: 'one', message: 'Hello.' });
  onTestFinished(async () => {
    await live[Symbol.asyncDispose]();
    await store.close();
  });
  return store;
};

const listed = async (inspector: Inspector): Promise<ScheduleList> =>
  JSON.parse((await askOpen(inspector, '/api/schedules')).text) as ScheduleList;

describe('the schedules of an inspector', () => {
  test('are those of its store: when each is due, and what is pending', async () => {
    const store = await storeWithSchedules();
    const inspector = await openInspector({ store });
    const common = { store: store.name, agent: 'clerk', control: false };
    expect(await listed(inspector)).toEqual({
      problems: [],
      schedules: [
        {
          ...common,
          name: 'digest',
          when: { everyMs: 3_600_000 },
          isPaused: false,
          pending: [],
          nextAt: Date.UTC(2026, 2, 2, 7),
        },
        {
          ...common,
          name: 'launch',
          when: { at: Date.UTC(2026, 4, 1) },
          isPaused: false,
          pending: [],
          nextAt: Date.UTC(2026, 4, 1),
        },
        { ...common, name: 'mail', isPaused: true, pending: ['mail@one'] },
      ],
    });
    expect(await listed(await openInspector())).toEqual({ problems: [], schedules: [] });
  });

  test('are paused, resumed and removed with control, and without it are not', async () => {
    const store = await storeWithSchedules();
    const inspector = await openInspector({ store, control: true });
    const change = (verb: string, schedule: string) =>
      control(inspector, { do: `schedule-${verb}`, schedule, store: store.name });
    const states = async () =>
      Object.fromEntries((await listed(inspector)).schedules.map(({ name, isPaused }) => [name, isPaused]));
    expect(await change('pause', 'digest')).toMatchObject({ status: 200 });
    expect(await change('resume', 'mail')).toMatchObject({ status: 200 });
    expect(await change('remove', 'launch')).toMatchObject({ status: 200 });
    expect(await states()).toEqual({ digest: true, mail: false });

    const reader = await openInspector({ store });
    expect(
      await control(reader, { do: 'schedule-remove', schedule: 'digest', store: store.name }),
    ).toMatchObject({
      status: 403,
      error: { message: expect.stringContaining('without control') as unknown },
    });
    expect(await states()).toEqual({ digest: true, mail: false });
  });

  test('that are unknown, or of another store, are refused', async () => {
    const store = await storeWithSchedules();
    const inspector = await openInspector({ store, control: true });
    const refused = (wanted: object) => control(inspector, { do: 'schedule-pause', ...wanted });
    expect(await refused({ schedule: 'digest', store: 'sqlite:other.db' })).toMatchObject({
      status: 404,
      error: {
        code: 'schedule.unknown',
        message: `Cannot pause the schedule 'digest' of sqlite:other.db in this process as its store is ${store.name}`,
      },
    });
    expect(await refused({ schedule: 'nightly', store: store.name })).toMatchObject({
      status: 404,
      error: { code: 'schedule.unknown' },
    });
    expect(await refused({ schedule: 'digest' })).toMatchObject({ status: 400 });
  });

  test('whose log is damaged are said, and do not keep the page from being served', async () => {
    const store = await storeWithSchedules();
    await store.files('schedule digest').append('1', 'no entry\n');
    const { schedules: found, problems } = await listed(await openInspector({ store }));
    expect(found).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(store.name) as unknown]);
  });
});
