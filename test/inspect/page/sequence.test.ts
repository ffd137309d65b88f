import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import { lanesOf, rowsAbout, Sequence } from '../../../src/inspect/recording/sequence.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { traceAsSequence } from '../../../src/inspect/traces/formats/trace-as-sequence.ts';
import { maxTime } from '../../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { letTimePass } from '../../support/runs.ts';

const add = tool({
  name: 'add',
  description: 'Adds one.',
  input: z.object({ to: z.number() }),
  execute: ({ to }) => {
    if (to > 0) throw new Error('no more');
    return to + 1;
  },
});

const clerk = agent({
  name: 'clerk',
  tools: [add],
  decide: ({ step }) => (step < 2 ? act({ name: 'add', input: { to: step } }) : answer('done')),
});

const recorded = async (): Promise<readonly Entry[]> => {
  const record = recorder();
  const house = pipeline({
    name: 'house',
    stages: [clerk, agent({ name: 'last', decide: () => answer('out') })],
  });
  await house.run('go', { inspect: record, runId: 'r' });
  return [...record.recording.from()].map((line) => JSON.parse(line) as Entry);
};

const sequenceOf = (entries: readonly Entry[]): Sequence => {
  const sequence = new Sequence();
  for (const entry of entries) sequence.take(entry);
  return sequence;
};

describe('who says what to whom', () => {
  test('[FIND-79] is shown in order, calls of one tool in one lane; what begins has its task, what ends what it came to', async () => {
    const { rows, lanes } = sequenceOf(await recorded());
    const name = (id: string): string => lanes.get(id)?.name ?? '?';
    expect(rows.map(({ from, to, kind, label }) => `${name(from)} → ${name(to)} ${kind}: ${label}`)).toEqual([
      'outside → house begin: begins house: go',
      'house → clerk-1 begin: begins clerk-1: go',
      'clerk-1 → add ask: add {"to":0}',
      'add → clerk-1 answer: 1',
      'clerk-1 → add ask: add {"to":1}',
      expect.stringMatching(/^add → clerk-1 failure: .*no more/),
      'clerk-1 → house answer: done',
      'house → last-2 begin: begins last-2: done',
      'last-2 → house answer: out',
      'house → outside answer: out',
    ]);
    expect(rows.map(({ n }) => n)).toEqual(rows.map(({ n }) => n).toSorted((one, other) => one - other));
  });

  test('has the lanes of those who say something, each with what it calls beside it, and of one actor only its own', async () => {
    const { rows, lanes } = sequenceOf(await recorded());
    expect(lanesOf(rows, lanes).map(({ name }) => name)).toEqual([
      'outside',
      'house',
      'clerk-1',
      'add',
      'last-2',
    ]);
    const clerkId = [...lanes.values()].find(({ name }) => name === 'clerk-1')?.id ?? '';
    const about = rowsAbout(rows, clerkId);
    expect(about).toHaveLength(6);
    expect(lanesOf(about, lanes).map(({ name }) => name)).toEqual(['house', 'clerk-1', 'add']);
  });

  test('[FIND-79] shows of a failure its message, of a model and of the agent that fails with it', async () => {
    const record = recorder();
    const model = scriptedModel([new TroupeError('model.refused', 'Cannot answer as the account is empty')]);
    const house = pipeline({ name: 'house', stages: [agent({ name: 'poor', model })] });
    await house.run('go', { inspect: record, runId: 'r' }).catch(() => undefined);
    const { rows } = sequenceOf([...record.recording.from()].map((line) => JSON.parse(line) as Entry));
    const failures = rows.filter(({ kind }) => kind === 'failure');
    expect(failures.length).toBeGreaterThan(1);
    for (const { label, text } of failures) {
      expect(label).toMatch(/^Cannot answer as the account is empty/);
      expect(text).not.toContain('{');
    }
  });

  test('shows of a request that was withdrawn that nobody answered it, also as Mermaid', async () => {
    const record = recorder();
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      safety: 'danger',
      input: z.object({}),
      execute: () => 'paid',
    });
    const decide = () => act({ name: 'pay', input: {} });
    const buyer = agent({ name: 'buyer', tools: [pay], decide, stop: maxTime(1_000) });
    const clock = virtualClock();
    const handle = buyer.stream('go', { inspect: record, runId: 'r', clock });
    const { events } = await letTimePass(clock, handle.result);
    const { rows, lanes } = sequenceOf([...record.recording.from()].map((line) => JSON.parse(line) as Entry));
    const fromPerson = rows.filter(({ from }) => lanes.get(from)?.name === 'person');
    expect(fromPerson).toMatchObject([{ kind: 'failure', label: 'stopped' }]);
    expect(await traceAsSequence({ events })).toMatch(/--x\w+: nobody waits for it any more/);
  });

  test('is the same whether it is taken in at once or as it comes', async () => {
    const entries = await recorded();
    const once = sequenceOf(entries);
    for (let length = 0; length < entries.length; length += 7) {
      const part = sequenceOf(entries.slice(0, length));
      const same = once.rows.filter(({ n }) => n < length).map(({ n, from, to }) => ({ n, from, to }));
      expect(part.rows.map(({ n, from, to }) => ({ n, from, to }))).toEqual(same);
    }
  });

  test('shows messages, from outside the run, too', () => {
    const about = { v: 1 as const, at: 0, runId: 'r', path: 'a', agent: 'a', seq: 0 };
    const come = (n: number, actor: string, parent?: string): Entry => ({
      n,
      at: 0,
      kind: 'actor',
      actor,
      run: 'r',
      parent,
      name: actor,
      role: 'agent',
    });
    const sent = (n: number, to: string, sender?: string): Entry => ({
      n,
      at: 0,
      kind: 'published',
      actor: `r/${to}`,
      event: { ...about, type: 'message.sent', to, from: sender ?? 'person', text: `to ${to}`, sender },
    });
    const { rows, lanes } = sequenceOf([
      come(0, 'r/a'),
      come(1, 'r/a/b', 'r/a'),
      sent(2, 'a'),
      sent(3, 'a/b', 'a'),
    ]);
    expect(rows.slice(2)).toEqual([
      { n: 2, at: 0, from: 'outside', to: 'r/a', label: 'to a', kind: 'message' },
      { n: 3, at: 0, from: 'r/a', to: 'r/a/b', label: 'to a/b', kind: 'message' },
    ]);
    expect(lanes.get('outside')?.role).toBe('outside');
  });
});
