import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../src/contracts/agents/decision.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { replay } from '../../../src/index.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { askOpen, Looker, openInspector } from './local-kit.ts';
import { sampled } from '../../support/thorough.ts';

const waiter = (name: string) =>
  agent({
    name,
    decide: ({ step }): Decision =>
      step < 2 ? { kind: 'wait', forMs: 0 } : { kind: 'answer', answer: name },
  });

const house = () => pipeline({ name: 'house', stages: [waiter('first'), waiter('second')] });

const gateway = () =>
  agent({
    name: 'gateway',
    decide: ({ step, transcript }): Decision => {
      const said = [...transcript].filter(({ role }) => role === 'user').length;
      return step > 3 || said > 3 ? { kind: 'answer', answer: `${said}` } : { kind: 'wait' };
    },
  });

describe('a stored run', () => {
  test('is seen as whoever was there would have seen it', async () => {
    const store = new PlainStore();
    const there = recorder();
    await house().run('go', { store, runId: 'r', inspect: there });
    const inspector = await openInspector({ store, agents: [house()] });
    const { text } = await askOpen(inspector, '/api/session');
    expect(JSON.parse(text)).toMatchObject({
      runs: [{ run: 'r', agent: 'house', isLive: false, status: 'completed', title: 'go', source: 'stored' }],
    });
    const looker = new Looker(inspector, '/api/stored/r/recording');
    await looker.until((each) => each.data('entry').some((line) => line.includes('"run.ended"')));
    const again = recorder();
    await replay(house(), 'r', { store, inspect: again });
    await looker.until((each) => each.data('entry').length === again.recording.length);
    expect(looker.data('entry')).toEqual([...again.recording.from()]);
    expect(looker.sent[0]?.event).toBe('base');
  });

  const kinds: readonly [string, () => JournalStore][] = [
    ['plain', () => new PlainStore()],
    ['in memory', () => memoryStore()],
  ];
  test.each(sampled(kinds, 2))(
    'is followed while somebody else writes it, without gaps and doubles: %s',
    async (_, make) => {
      const store = make();
      const handle = gateway().stream('go', { store, runId: 'r' });
      const inspector = await openInspector({ store, agents: [gateway()] });
      while ((await store.read('r')).length === 0) await new Promise((resolve) => setImmediate(resolve));
      const looker = new Looker(inspector, '/api/stored/r/recording');
      const waits = (count: number) =>
        looker.until(
          (each) =>
            each.data('entry').filter((line) => line.includes('"type":"agent.waiting"')).length >= count,
        );
      for (let said = 1; said < 4; said += 1) {
        await waits(said);
        handle.send(`message ${said}`);
      }
      await looker.until((each) => each.data('entry').some((line) => line.includes('"run.ended"')));
      await handle.result;
      const again = recorder();
      await replay(gateway(), 'r', { store, inspect: again });
      await looker.until((each) => each.data('entry').length >= again.recording.length);
      expect(looker.data('entry')).toEqual([...again.recording.from()]);
      expect(looker.data('base')).toHaveLength(1);
      const last = looker.sent.findLast(({ id }) => id !== undefined)?.id;
      const back = new Looker(inspector, '/api/stored/r/recording', {
        'last-event-id': String(Number(last) - 2),
      });
      await back.until((each) => each.data('entry').length === 2);
      expect(back.data('base')).toEqual([]);
    },
  );

  test.each([
    ['nobody', 404, 'journal.unknown'],
    ['stranger', 404, 'agent.unknown'],
    ['changed', 409, 'journal.diverged'],
  ])('that cannot be shown is an answer that says why: %s', async (runId, status, code) => {
    const store = new PlainStore();
    await waiter('stranger').run('go', { store, runId: 'stranger' });
    await waiter('first').run('go', { store, runId: 'changed' });
    const other = pipeline({ name: 'first', stages: [waiter('other')] });
    const inspector = await openInspector({ store, agents: [other] });
    const answered = await askOpen(inspector, `/api/stored/${runId}/recording`);
    expect(answered.status).toBe(status);
    expect(JSON.parse(answered.text)).toMatchObject({ error: { code } });
  });

  test('finds its agent by whoever knows it, and is gone through once for all who look', async () => {
    const store = new PlainStore();
    await house().run('go', { store, runId: 'r' });
    const asked: string[] = [];
    const inspector = await openInspector({
      store,
      agents: ({ runId }) => {
        asked.push(runId);
        return Promise.resolve(house());
      },
    });
    const lookers = [1, 2, 3].map(() => new Looker(inspector, '/api/stored/r/recording'));
    for (const each of lookers)
      await each.until(({ sent }) => sent.some(({ data }) => data.includes('"run.ended"')));
    expect(asked).toEqual(['r']);
  });
});
