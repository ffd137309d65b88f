import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  agent,
  compare,
  DeterminismError,
  fork,
  isTroupeError,
  maxSteps,
  replay,
  tool,
  type AgentOptions,
  type Json,
} from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import type { PromptFragment } from '../../src/contracts/agents/prompt.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { handoffTool } from '../../src/tools/built-in/delegation/handoff.ts';
import { PlainStore } from '../support/plain-store.ts';

const ran: string[] = [];

const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ what: z.string() }),
  execute: ({ what }, { key }) => {
    ran.push(key);
    return `${what} is there`;
  },
});

const script = () =>
  scriptedModel([
    calls({ name: 'look', input: { what: 'tea' } }),
    calls({ name: 'look', input: { what: 'milk' } }),
    'Tea with milk.',
  ]);

const clerk = (options: Partial<AgentOptions> = {}) =>
  agent({
    name: 'clerk',
    instructions: 'Look things up.',
    model: script(),
    tools: [look],
    state: { seen: [] as string[] } as Json,
    reduce: ({ step }: { step: number }): Json => ({ seen: [], at: step }),
    ...options,
  } as AgentOptions);

const stored = async () => {
  const store = new PlainStore();
  const result = await clerk().run('What is there?', { store, runId: 'run-1' });
  return { store, result };
};

const diverged = async (work: Promise<unknown>): Promise<DeterminismError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DeterminismError);
  return error as DeterminismError;
};

describe('a run that is gone through again', () => {
  test('tells the very same events, twice, and does nothing', async () => {
    const { store, result } = await stored();
    const { commits } = store;
    ran.length = 0;
    const first = await replay(clerk({ model: scriptedModel([]) }), 'run-1', { store });
    const second = await replay(clerk({ model: scriptedModel([]) }), 'run-1', { store });
    expect(JSON.stringify(first.events)).toBe(JSON.stringify(result.events));
    expect(JSON.stringify(second.events)).toBe(JSON.stringify(result.events));
    expect(first.result?.output).toBe('Tea with milk.');
    expect(first.result?.totals).toEqual(result.totals);
    expect(ran).toEqual([]);
    expect(store.commits).toBe(commits);
  });

  test('is as it was at an earlier step', async () => {
    const { store, result } = await stored();
    const { events, state, result: early } = await replay(clerk(), 'run-1', { store, to: { step: 1 } });
    expect(early).toBeUndefined();
    expect(state).toEqual({ seen: [], at: 0 });
    expect(events).toEqual(result.events.slice(0, events.length));
    expect(events.at(-1)?.type).toBe('step.ended');
  });

  test('names the agent and the step where another rule makes it do something else', async () => {
    const { store } = await stored();
    const error = await diverged(replay(clerk({ stop: maxSteps(1) }), 'run-1', { store }));
    expect(error.code).toBe('journal.diverged');
    expect(error.divergence).toMatchObject({ runId: 'run-1', path: 'clerk', step: 0 });
    expect(error.message).toContain('maxSteps');
  });

  test('names another prompt, and another tool, though the machine would not notice', async () => {
    const { store } = await stored();
    const prompt = await diverged(replay(clerk({ instructions: 'Make things up.' }), 'run-1', { store }));
    expect(prompt.divergence).toMatchObject({ path: 'clerk', found: { instructions: 'Make things up.' } });
    const other = tool({
      name: 'look',
      description: 'Looks away.',
      input: z.object({ what: z.string() }),
      execute: () => 1,
    });
    const changed = await diverged(replay(clerk({ tools: [other] }), 'run-1', { store }));
    expect(changed.message).toContain('Looks away.');
  });

  test('[FIND-33] [TENEX-07] takes a journal of before the system prompt listed the agents that work is given to', async () => {
    const store = new PlainStore();
    const clerk = (fragments: readonly PromptFragment[], instructions = 'Look.') => {
      const tools = [handoffTool({ billing: 'invoices' })];
      return agent({
        name: 'clerk',
        instructions,
        conversation: { fragments },
        tools,
        model: scriptedModel(['Tea.']),
      });
    };
    const unlisted = clerk([{ name: 'agents', priority: 300, text: '' }]);
    await unlisted.run('What is there?', { store, runId: 'run-1' });
    expect((await replay(clerk([]), 'run-1', { store })).result?.output).toBe('Tea.');
    const error = await diverged(replay(clerk([], 'Invent.'), 'run-1', { store }));
    expect(error.divergence).toMatchObject({ expected: { instructions: 'Look.' } });
  });

  test('says so where there is no such point', async () => {
    const { store } = await stored();
    await expect(replay(clerk(), 'run-1', { store, to: { step: 9 } })).rejects.toThrow(
      "Cannot go to step 9 of run 'run-1'",
    );
  });
});

describe('[QITOS-91] a fork', () => {
  test('goes on from a step with another model, pays for nothing again, and leaves the other run as it is', async () => {
    const { store } = await stored();
    const before = JSON.stringify(store.rows.get('run-1'));
    ran.length = 0;
    const model = scriptedModel(['Tea without.']);
    const handle = await fork(clerk(), 'run-1', {
      store,
      runId: 'fork-1',
      at: { step: 1 },
      change: { model },
    });
    const result = await handle.result;
    expect(result.output).toBe('Tea without.');
    expect(ran).toEqual([]);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(store.rows.get('run-1'))).toBe(before);
    expect(store.entries.get('fork-1')?.forkedFrom).toBe('run-1');
    const { began } = await recordsIn(store, 'fork-1');
    expect(began.fork?.runId).toBe('run-1');
    const again = await replay(clerk(), 'fork-1', { store });
    expect(again.events).toEqual(result.events);
    expect(new Set(result.events.map(({ runId }) => runId))).toEqual(new Set(['fork-1']));
  });

  test('[KAIZEN-76] hears a message at the step where it begins', async () => {
    const { store } = await stored();
    const model = scriptedModel([
      (request) => request.messages.map((turn) => ('text' in turn ? turn.text : '')).join(' | '),
    ]);
    const handle = await fork(clerk(), 'run-1', {
      store,
      at: { step: 2 },
      change: { model, message: 'Be quick.' },
    });
    const { output } = await handle.result;
    expect(output).toContain('milk is there | Be quick.');
  });

  test('begins anywhere: before the first step, and before any event', async () => {
    const { store, result } = await stored();
    for (const { seq } of result.events.slice(1)) {
      const handle = await fork(clerk(), 'run-1', { store, at: { seq } });
      const other = await handle.result;
      expect(other.status).toBe('completed');
      expect((await replay(clerk(), other.runId, { store })).events).toEqual(other.events);
    }
  });

  test('needs a point that the run has', async () => {
    const { store } = await stored();
    const error: unknown = await fork(clerk(), 'run-1', { store, at: { step: 7 } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(isTroupeError(error, 'journal.point-unknown')).toBe(true);
    const shown: unknown = await replay(clerk(), 'run-1', { store, to: { step: 7 } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(isTroupeError(shown, 'journal.point-unknown')).toBe(true);
  });
});

describe('two runs compared', () => {
  test('are the same where only times and ids differ', async () => {
    const one = await clerk().run('What is there?');
    const other = await clerk().run('What is there?');
    expect(compare(one, other)).toMatchObject({
      isSame: true,
      parted: undefined,
      calls: { left: [], right: [] },
    });
  });

  test('are the same where each asked a person, although the ids of requests are made of their runs', async () => {
    const asking = async () => {
      const asked = tool({
        name: 'look',
        description: 'Looks something up, if it may.',
        input: z.object({ what: z.string() }),
        approval: true,
        execute: ({ what }) => `${what} is there`,
      });
      const handle = clerk({ tools: [asked] }).stream('What is there?');
      handle.events$.subscribe((event) => {
        if (event.type === 'tool.approval-requested') handle.approve(event.id);
      });
      return handle.result;
    };
    const [one, other] = [await asking(), await asking()];
    expect(one.events.some(({ type }) => type === 'tool.approval-requested')).toBe(true);
    expect(compare(one, other).parted).toBeUndefined();
  });

  test('part where the first event differs, with what each said, called and came to', async () => {
    const { store, result } = await stored();
    const model = scriptedModel([calls({ name: 'look', input: { what: 'lemon' } }), 'Tea with lemon.']);
    const other = await (await fork(clerk(), 'run-1', { store, at: { step: 1 }, change: { model } })).result;
    const found = compare(result, other);
    expect(found.isSame).toBe(false);
    expect(found.parted).toMatchObject({ path: 'clerk', step: 1, phase: 'DECIDE' });
    expect(found.calls).toEqual({
      left: ['clerk look({"what":"milk"})'],
      right: ['clerk look({"what":"lemon"})'],
    });
    expect(found.messages.right).toEqual(['clerk: Tea with lemon.']);
    expect(found.totals.left).toMatchObject({ output: 'Tea with milk.', toolCalls: 2 });
    expect(found.totals.right).toMatchObject({ output: 'Tea with lemon.', toolCalls: 2 });
    expect(found.phases.left[0]).toBe('clerk ACT');
  });
});
