import { expect, test } from 'vitest';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { echo } from '../../support/runs.ts';
import { isThorough } from '../../support/thorough.ts';

const hoarder = () =>
  agent({
    name: 'hoarder',
    tools: [echo],
    state: { kept: '', list: [] as string[] },
    decide: ({ step }) =>
      step < 2 ? act({ name: 'echo', input: { text: 'on' } }) : answer('x'.repeat(400_000)),
    reduce: ({ state, step }) => ({
      kept: state.kept + 'a secret of many words '.repeat(10_000 * (step + 1)),
      list: Array.from({ length: 15_000 * step }, (_, index) => `item ${index}`),
    }),
  });

if (isThorough)
  test('what is too long for a viewer is cut, and the same for who comes early and who comes late', async () => {
    const whole = recorder();
    const seen: string[] = [];
    whole.recording.follow({ entry: (line) => seen.push(line) });
    await hoarder().run('go', { inspect: whole, runId: 'r', clock: virtualClock(0) });
    expect(Math.max(...seen.map(({ length }) => length))).toBeLessThan(2_500_000);
    expect(seen).toEqual([...whole.recording.from()]);
    expect(seen.filter((line) => line.includes('characters more')).length).toBeGreaterThan(3);
    const early = new Tableau();
    // The recording wrote them.
    for (const line of seen) early.apply(JSON.parse(line) as Entry);
    expect(JSON.stringify(early)).toContain('characters more');
    for (const capacity of isThorough ? [1, 30] : [30]) {
      const some = recorder({ capacity });
      await hoarder().run('go', { inspect: some, runId: 'r', clock: virtualClock(0) });
      const late = Tableau.from(JSON.parse(some.recording.base()));
      for (const line of some.recording.from()) late.apply(JSON.parse(line) as Entry);
      expect(JSON.stringify(late) === JSON.stringify(early)).toBe(true);
    }
  });

test('an event that is cut is still of its type, also where it is long in many parts', async () => {
  const record = recorder();
  const lists = agent({
    name: 'lists',
    decide: () => answer(JSON.stringify(Array.from({ length: 9 }, () => 'y'.repeat(200_000)))),
  });
  await lists.run('go', { inspect: record });
  await agent({ name: 'odd', decide: () => answer('short') }).run('z'.repeat(1_200_000), { inspect: record });
  const types = [...record.recording.from()].flatMap((line) => {
    const entry = JSON.parse(line) as Entry;
    return entry.kind === 'published' || entry.kind === 'received' ? [entry.event.type] : [];
  });
  expect(types).toContain('agent.decided');
  expect(types.filter((type) => typeof type !== 'string')).toEqual([]);
});
