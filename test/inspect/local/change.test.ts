import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { RuntimeEvent } from '../../../src/contracts/events/event.ts';
import { act, answer, replay } from '../../../src/index.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { recordsIn } from '../../../src/runtime/journal/resume/stored-run.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { askOpen, control, Looker, openInspector } from './local-kit.ts';

const HOSTILE = '<script>document.title = "owned"</script>';

/** A clerk that looks at two places at once, and repeats what it was told. */
const clerkOf = (looked: string[]) => {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ where: z.string() }),
    execute: async ({ where }) => {
      looked.push(where);
      return `rain in ${where}`;
    },
  });
  const places = ['A', 'B'].map((where) => ({ name: 'look', input: { where } }));
  const model = scriptedModel(
    Array.from({ length: 20 }, () => ({ messages }) => {
      const told = [...messages].map(({ text }) => text);
      return told.length === 1 ? calls(...places) : told.slice(2).join(' | ');
    }),
  );
  return agent({ name: 'clerk', model, tools: [look] });
};

const stored = async (isControlled = true) => {
  const looked: string[] = [];
  const clerk = clerkOf(looked);
  const store = new PlainStore();
  const { events } = await clerk.run('How is it?', { store, runId: 'r' });
  looked.length = 0;
  const inspector = await openInspector({ control: isControlled, store, agents: [clerk] });
  const seqOf = (type: RuntimeEvent['type'], index = 0): number =>
    events.filter((each) => each.type === type)[index]?.seq ?? -1;
  const before = JSON.stringify(store.rows.get('r'));
  const fork = (seq: number, change: object) =>
    control(inspector, { do: 'fork', run: 'r', at: { seq }, ...change });
  /** The output of a fork, once it is over. */
  const outputOf = async (run = ''): Promise<unknown> => {
    const ended = (looker: Looker) =>
      looker.entries.flatMap((each) =>
        each.kind === 'published' && each.event.type === 'run.ended' && each.event.runId === run
          ? [each.event]
          : [],
      );
    return ended(await new Looker(inspector).until((looker) => ended(looker).length > 0))[0]?.output;
  };
  return { looked, store, inspector, seqOf, before, fork, outputOf };
};

const formIn = async (inspector: Parameters<typeof askOpen>[0], seq: number): Promise<unknown> => {
  const { text } = await askOpen(inspector, '/api/control', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ do: 'change-form', run: 'r', seq }),
  });
  return JSON.parse(text);
};

describe('a fork of a stored run', () => {
  test('has another result of a tool: the calls beside it are not made again, and the original stays byte for byte', async () => {
    const { fork, seqOf, outputOf, looked, store, before } = await stored();
    const { status, run } = await fork(seqOf('tool.finished'), { text: HOSTILE });
    expect(status).toBe(200);
    expect(await outputOf(run)).toBe(`${HOSTILE} | rain in B`);
    expect(looked).toEqual([]);
    expect(JSON.stringify(store.rows.get('r'))).toBe(before);
  });

  test('has another answer of a model, by its text or by its calls, which are made', async () => {
    const { fork, seqOf, outputOf, looked } = await stored();
    const said = await fork(seqOf('model.answered', 1), { text: 'All is well.' });
    expect(await outputOf(said.run)).toBe('All is well.');
    expect(looked).toEqual([]);
    const called = await fork(seqOf('model.answered'), {
      calls: [{ name: 'look', input: { where: 'C' } }],
    });
    expect(await outputOf(called.run)).toBe('rain in C');
    expect(looked).toEqual(['C']);
  });

  test('is listed with its place, and with what was changed', async () => {
    const { fork, seqOf, outputOf, inspector } = await stored();
    const seq = seqOf('tool.finished', 1);
    const { run } = await fork(seq, { text: 'sun in B' });
    await outputOf(run);
    const { text } = await askOpen(inspector, '/api/session');
    const { runs } = JSON.parse(text) as { readonly runs: readonly { run: string; fork?: object }[] };
    const changed = { seq, type: 'tool.finished' };
    expect(runs.find((each) => each.run === run)?.fork).toMatchObject({
      runId: 'r',
      path: 'clerk',
      step: 0,
      changed,
    });
    expect(runs.find((each) => each.run === 'r')?.fork).toBeUndefined();
    expect((await askOpen(inspector, '/api/runs')).text).toContain(JSON.stringify({ changed }).slice(1, -1));
  });

  test('shows what may be changed before anything is begun, or why nothing may', async () => {
    const { inspector, seqOf, store } = await stored();
    expect(await formIn(inspector, seqOf('model.answered'))).toMatchObject({
      form: {
        path: 'clerk',
        step: 0,
        calls: [
          { name: 'look', input: { where: 'A' } },
          { name: 'look', input: { where: 'B' } },
        ],
        tools: ['look'],
        askedAt: seqOf('model.asked'),
        models: ['scripted:script'],
      },
    });
    expect(await formIn(inspector, seqOf('agent.reduced'))).toMatchObject({
      error: { code: 'input.invalid', message: expect.stringContaining('Everything else follows from them') },
    });
    expect(await formIn(inspector, 999)).toMatchObject({ error: { code: 'journal.point-unknown' } });
    expect([...store.entries.keys()]).toEqual(['r']);
  });

  test.each([
    ['arguments that do not fit', { calls: [{ name: 'look', input: { wher: 'C' } }] }, 'arguments of'],
    ['a tool that is none', { calls: [{ name: 'lok', input: {} }] }, 'found look'],
    ['an answer of nothing', { text: '', calls: [] }, 'write a text, or a call'],
    ['what is as it was', { text: '' }, 'nothing was changed'],
    ['a field that is none', { txet: 'x' }, 'invalid'],
    ['too long a text', { text: 'x'.repeat(100_001) }, 'invalid'],
    [
      'too many calls',
      { calls: Array.from({ length: 101 }, () => ({ name: 'look', input: {} })) },
      'invalid',
    ],
    ['a call with more than it has', { calls: [{ name: 'look', input: {}, id: 'x' }] }, 'invalid'],
  ])('is refused with %s, and begins nothing', async (_, change, reason) => {
    const { fork, seqOf, store } = await stored();
    const { status, error } = await fork(seqOf('model.answered'), change);
    expect({ status, code: error?.code }).toEqual({ status: 400, code: 'input.invalid' });
    expect(error?.message).toContain(reason);
    expect([...store.entries.keys()]).toEqual(['r']);
  });

  test('is refused with calls in place of a result, and with a text of no event', async () => {
    const { fork, seqOf, inspector, store } = await stored();
    expect(await fork(seqOf('tool.finished'), { text: 'x', calls: [] })).toMatchObject({ status: 400 });
    expect(await control(inspector, { do: 'fork', run: 'r', at: { step: 1 }, text: 'x' })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('at: { seq }') },
    });
    expect([...store.entries.keys()]).toEqual(['r']);
  });

  test('is neither shown nor begun without control', async () => {
    const { fork, seqOf, inspector, store } = await stored(false);
    expect(await fork(seqOf('tool.finished'), { text: 'x' })).toMatchObject({ status: 403 });
    expect(await control(inspector, { do: 'change-form', run: 'r', seq: 1 })).toMatchObject({ status: 403 });
    expect([...store.entries.keys()]).toEqual(['r']);
  });

  test('has another message of a person, which the agent reads in place of the first', async () => {
    const store = new PlainStore();
    const told = () =>
      agent({
        name: 'listener',
        decide: ({ step, transcript }) =>
          step === 0 ? { kind: 'wait' } : { kind: 'answer', answer: [...transcript].map(({ text }) => text) },
      });
    const handle = told().stream('go', { store, runId: 'r' });
    handle.events$.subscribe((event) => {
      if (event.type === 'phase.entered' && event.phase === 'waiting') handle.send('Be brief.');
    });
    const { events } = await handle.result;
    const seq = events.find(({ type }) => type === 'message.sent')?.seq ?? -1;
    const before = JSON.stringify(store.rows.get('r'));
    const inspector = await openInspector({ control: true, store, agents: [told()] });
    const { status, run = '' } = await control(inspector, {
      do: 'fork',
      run: 'r',
      at: { seq },
      text: 'Be kind.',
    });
    expect(status).toBe(200);
    const looker = await new Looker(inspector).until(({ entries }) =>
      entries.some((each) => each.kind === 'published' && each.event.type === 'run.ended'),
    );
    const lines = looker.entries.filter((each) => each.kind === 'published' && each.event.runId === run);
    expect(JSON.stringify(lines)).toContain('Be kind.');
    expect(JSON.stringify(lines)).not.toContain('Be brief.');
    expect(JSON.stringify(store.rows.get('r'))).toBe(before);
  });

  test('of a team has another answer of one member; that of an agent inside a call is refused before anything is begun', async () => {
    const store = new PlainStore();
    const second = agent({
      name: 'second',
      model: scriptedModel(
        Array.from(
          { length: 9 },
          () =>
            ({ messages }) =>
              `${messages.at(-1)?.text}!`,
        ),
      ),
    });
    const inner = agent({ name: 'inner', model: scriptedModel(['Inside.']) });
    const help = tool({
      name: 'help',
      description: 'Helps.',
      input: z.object({}),
      execute: async (_, context) => (await context.run(inner, 'go')).output,
    });
    const first = agent({
      name: 'first',
      tools: [help],
      model: scriptedModel([calls({ name: 'help', input: {} }), 'One']),
    });
    const team = pipeline({
      name: 'team',
      stages: [first, second],
    });
    const { events, output } = await team.run('go', { store, runId: 'r' });
    expect(output).toBe('One!');
    const seqOf = (text: string): number =>
      events.find((each) => each.type === 'model.answered' && each.text === text)?.seq ?? -1;
    const inspector = await openInspector({ control: true, store, agents: [team] });
    const at = { seq: seqOf('One') };
    const { run = '' } = await control(inspector, { do: 'fork', run: 'r', at, text: 'Two' });
    await new Looker(inspector).until(({ entries }) =>
      entries.some((each) => JSON.stringify(each).includes('Two!') && JSON.stringify(each).includes(run)),
    );
    const inside = events.find(({ agent: who, type }) => who === 'inner' && type === 'model.answered');
    expect(await formIn(inspector, inside?.seq ?? -1)).toMatchObject({
      error: { code: 'input.invalid', message: expect.stringContaining('change the result of that call') },
    });
    expect(store.entries.size).toBe(2);
  });
});

describe('a fork with another state of an agent', () => {
  const SECRET = 'sk-secret-of-the-adder';
  const adder = () =>
    agent({
      name: 'adder',
      state: { total: 0, key: SECRET },
      decide: ({ state, step }) =>
        step < 2 ? act({ name: 'roll', input: {} }) : answer(JSON.stringify(state)),
      reduce: ({ state }) => ({ ...state, total: state.total + 1 }),
      tools: [tool({ name: 'roll', description: 'Rolls.', input: z.object({}), execute: () => 1 })],
    });
  const steering = async () => {
    const store = new PlainStore();
    vi.stubEnv('ADDER_API_KEY', SECRET);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await adder().run('Add.', { store, runId: 'r' });
    const inspector = await openInspector({ control: true, store, agents: [adder()] });
    return { store, inspector };
  };
  const formOf = async (inspector: Parameters<typeof askOpen>[0], place: object): Promise<string> => {
    const { text } = await askOpen(inspector, '/api/control', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ do: 'state-form', run: 'r', ...place }),
    });
    return text;
  };

  test('is asked for by the agent and the step that begins with it, before anything is begun, or refused with the reason', async () => {
    const { inspector, store } = await steering();
    const start = await formOf(inspector, { path: 'adder', step: 0 });
    expect(JSON.parse(start)).toMatchObject({ form: { path: 'adder', step: 0, state: { total: 0 } } });
    const later = await formOf(inspector, { path: 'adder', step: 2 });
    expect(JSON.parse(later)).toMatchObject({
      form: { step: 2, type: 'agent.reduced', state: { total: 2 } },
    });
    expect(await formOf(inspector, { path: 'adder', step: 9 })).toContain('is not in the store');
    expect(await formOf(inspector, { path: 'nobody', step: 0 })).toContain('is not in the store');
    expect(store.entries.size).toBe(1);
  });

  test('keeps the secrets that the page does not show, and says who forked it', async () => {
    const { inspector, store } = await steering();
    const text = await formOf(inspector, { path: 'adder', step: 1 });
    expect(text).not.toContain(SECRET);
    const { form } = JSON.parse(text) as { readonly form: { readonly seq: number; readonly state: object } };
    const at = { seq: form.seq };
    const state = { ...form.state, total: 40 };
    const { status, run = '' } = await control(inspector, { do: 'fork', run: 'r', at, state, by: 'Ada' });
    expect(status).toBe(200);
    await new Looker(inspector).until(({ entries }) =>
      entries.some(
        (each) => each.kind === 'published' && each.event.type === 'run.ended' && each.event.runId === run,
      ),
    );
    const { result } = await replay(adder(), run, { store });
    expect(result?.output).toContain('"total":41');
    expect(JSON.stringify(store.rows.get(run))).not.toContain(SECRET);
    const { began } = await recordsIn(store, run);
    expect(began.fork).toMatchObject({
      by: 'Ada',
      path: 'adder',
      step: 1,
      changed: { type: 'agent.reduced' },
    });
    const same = await control(inspector, { do: 'fork', run: 'r', at, state: form.state });
    expect(same).toMatchObject({ status: 400 });
  });
});
