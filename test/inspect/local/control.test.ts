import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import type { Decision } from '../../../src/contracts/agents/decision.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import type { Inspector } from '../../../src/inspect/local/inspect.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { openRequests } from '../../../src/index.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { hang, ofType, quiet } from '../../support/runs.ts';
import { control, Looker, openInspector } from './local-kit.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  approval: true,
  execute: ({ amount }) => `paid ${amount}`,
});
const askPerson = tool({
  name: 'ask',
  description: 'Asks.',
  input: z.object({}),
  execute: (_, context) => context.ask('To whom?'),
});

const clerk = () => {
  const model = scriptedModel([
    calls({ name: 'pay', input: { amount: 1 } }, { name: 'ask', input: {} }),
    'done',
  ]);
  return { model, clerk: agent({ name: 'clerk', model, tools: [pay, askPerson] }) };
};

const begin = async (options: RunOptions = {}) => {
  const inspector = await openInspector({ control: true });
  const { clerk: it, model } = clerk();
  const handle = it.stream('go', { inspect: inspector, runId: 'r', ...options });
  return {
    inspector,
    handle,
    model,
    does: (command: object) => control(inspector, { run: 'r', ...command }),
  };
};

/** Waits until that many wait for a person, as the page sees it. */
const asked = async (inspector: Inspector, count: number) => {
  const { requests } = await new Looker(inspector).until((looker) => looker.requests.length === count);
  return {
    call: requests.find(({ kind }) => kind === 'approval')?.id,
    question: requests.find(({ kind }) => kind === 'question')?.id,
  };
};

describe('the page can have a run', () => {
  test('paused and resumed', async () => {
    const { handle, does, model } = await begin({ paused: true });
    expect(await does({ do: 'resume' })).toEqual({ status: 200, ok: true });
    expect(await does({ do: 'pause' })).toEqual({ status: 200, ok: true });
    await does({ do: 'abort' });
    const { events } = await handle.result;
    expect(ofType(events, 'run.paused')).toHaveLength(1);
    expect(ofType(events, 'run.resumed')).toHaveLength(1);
    expect(model.requests.length).toBeLessThan(2);
  });

  test('stepped, by a step and by an effect', async () => {
    const inspector = await openInspector({ control: true });
    const done: number[] = [];
    const counter = agent({
      name: 'counter',
      tools: [hang],
      decide: ({ step }) => {
        done.push(step);
        return step < 5 ? act({ name: 'none', input: {} }) : answer('done');
      },
    });
    const handle = counter.stream('go', { inspect: inspector, runId: 'r', paused: true });
    const looker = new Looker(inspector);
    const holds = (count: number) =>
      looker.until(({ entries }) => entries.filter((each) => isState(each, 'DECIDE')).length === count);
    await control(inspector, { do: 'effect', run: 'r' });
    await holds(1);
    expect(done).toEqual([]);
    await control(inspector, { do: 'effect', run: 'r' });
    await looker.until(({ entries }) => entries.some((each) => isState(each, 'ACT')));
    expect(done).toEqual([0]);
    await control(inspector, { do: 'step', run: 'r' });
    await holds(2);
    await quiet();
    expect(done).toEqual([0]);
    await control(inspector, { do: 'step', run: 'r' });
    await holds(3);
    await quiet();
    expect(done).toEqual([0, 1]);
    handle.abort();
    await handle.result;
  });

  test('told something, all of it or one of its agents', async () => {
    const { handle, does, inspector } = await begin({ paused: true });
    expect(await does({ do: 'send', text: 'Be brief.' })).toEqual({ status: 200, ok: true });
    expect(await does({ do: 'send', text: 'And kind.', path: 'clerk' })).toEqual({ status: 200, ok: true });
    expect(await does({ do: 'send', text: 'Hello?', path: 'clerk/nobody' })).toMatchObject({
      status: 409,
      error: { code: 'message.undelivered' },
    });
    await does({ do: 'resume' });
    await asked(inspector, 2);
    await does({ do: 'abort' });
    const { events } = await handle.result;
    expect(ofType(events, 'message.sent').map(({ text }) => text)).toEqual(['Be brief.', 'And kind.']);
  });

  test('approved, and answered', async () => {
    const { handle, does, inspector } = await begin();
    const { call, question } = await asked(inspector, 2);
    expect(await does({ do: 'approve', id: call, input: { amount: 7 } })).toEqual({ status: 200, ok: true });
    expect(await does({ do: 'reply', id: question, text: 'To Ada.' })).toEqual({ status: 200, ok: true });
    const { output, events } = await handle.result;
    expect(output).toBe('done');
    expect(ofType(events, 'tool.finished').map(({ text }) => text)).toEqual(['paid 7', 'To Ada.']);
  });

  test('denied, with a reason, once', async () => {
    const { handle, does, inspector } = await begin();
    const { call } = await asked(inspector, 2);
    expect(await does({ do: 'deny', id: call, reason: 'too much' })).toEqual({ status: 200, ok: true });
    expect(await does({ do: 'approve', id: call })).toMatchObject({
      status: 404,
      error: { code: 'request.unknown' },
    });
    // The only question there is.
    expect(await does({ do: 'reply', text: 'To Ada.' })).toMatchObject({ status: 200 });
    const { events } = await handle.result;
    expect(ofType(events, 'tool.denied')).toMatchObject([{ reason: 'too much' }]);
  });

  test('aborted; then there is nothing left to reach', async () => {
    const { handle, does, inspector } = await begin();
    await asked(inspector, 2);
    expect(await does({ do: 'abort', reason: 'enough' })).toEqual({ status: 200, ok: true });
    expect((await handle.result).stopReason).toEqual({ kind: 'aborted', reason: 'enough' });
    await quiet();
    for (const command of ['pause', 'resume', 'step', 'abort'])
      expect(await does({ do: command })).toMatchObject({ status: 409, error: { code: 'run.ended' } });
  });

  test('lose one of its members, and go on without', async () => {
    const inspector = await openInspector({ control: true });
    const stuck = agent({ name: 'stuck', tools: [hang], decide: () => act({ name: 'hang', input: {} }) });
    const team = pipeline({
      name: 'team',
      stages: [stuck, agent({ name: 'last', decide: () => answer('out') })],
    });
    const handle = team.stream('go', { inspect: inspector, runId: 'r' });
    await new Looker(inspector).until(({ entries }) => entries.some((each) => isTold(each, 'tool.started')));
    const kill = (path: string) => control(inspector, { do: 'kill', run: 'r', path });
    expect(await kill('team')).toMatchObject({ status: 404, error: { code: 'agent.unknown' } });
    expect(await kill('team/stuck-1')).toEqual({ status: 200, ok: true });
    await handle.result.catch(() => undefined);
    const late = await new Looker(inspector).untilAll(inspector);
    const [ended] = late.entries.flatMap((each) =>
      each.kind === 'published' && each.event.type === 'member.ended' ? [each.event] : [],
    );
    expect(ended).toMatchObject({ path: 'team/stuck-1', status: 'failed', error: { code: 'agent.stopped' } });
  });

  test('held at breakpoints, and told why', async () => {
    const { handle, does, inspector, model } = await begin({ paused: true });
    const at = { kind: 'state', value: 'DECIDE' };
    expect(await does({ do: 'break', breakpoints: [at] })).toEqual({ status: 200, ok: true });
    await does({ do: 'resume' });
    const { entries } = await new Looker(inspector).until((each) =>
      each.entries.some(({ kind }) => kind === 'break'),
    );
    expect(entries.find(({ kind }) => kind === 'break')).toMatchObject({
      actor: 'r/clerk',
      breakpoint: at,
      why: "'clerk' has entered DECIDE",
    });
    expect(model.requests).toHaveLength(0);
    expect(await does({ do: 'break', breakpoints: [] })).toEqual({ status: 200, ok: true });
    await does({ do: 'resume' });
    await asked(inspector, 2);
    await does({ do: 'abort' });
    await handle.result;
  });
});

describe('an answer that a run does not take is refused in words that say why', () => {
  test.each([
    ['arguments that do not fit their tool', { amount: 'much' }, 'its arguments do not fit: amount'],
    ['arguments of another kind', [1], 'its arguments do not fit'],
  ])('%s; the request stays open', async (_, input, why) => {
    const { handle, does, inspector } = await begin();
    const { call } = await asked(inspector, 2);
    const refused = await does({ do: 'approve', id: call, input });
    expect(refused).toMatchObject({ status: 400, error: { code: 'input.invalid' } });
    expect(refused.error?.message).toContain(why);
    expect(handle.requests.map(({ id }) => id)).toContain(call);
    expect(await does({ do: 'approve', id: call, input: { amount: 2 } })).toMatchObject({ status: 200 });
    await does({ do: 'abort' });
    const { events } = await handle.result;
    expect(ofType(events, 'tool.finished').map(({ text }) => text)).toContain('paid 2');
  });

  test('a text for a call, and yes for a question', async () => {
    const { handle, does, inspector } = await begin();
    const { call, question } = await asked(inspector, 2);
    expect(await does({ do: 'reply', id: call, text: 'yes' })).toMatchObject({
      status: 400,
      error: { message: 'Cannot answer the request as it takes yes or no, not a text' },
    });
    expect(await does({ do: 'approve', id: question })).toMatchObject({
      status: 400,
      error: { message: 'Cannot answer the request as it is a question: it takes a text, not yes or no' },
    });
    await does({ do: 'abort' });
    await handle.result;
  });
});

test('without control each command is refused, whatever it is', async () => {
  const store = new PlainStore();
  const { clerk: it } = clerk();
  const inspector = await openInspector({ store, agents: [it] });
  const handle = it.stream('go', { inspect: inspector, store, runId: 'r' });
  const { call } = await asked(inspector, 2);
  const breakpoint = { kind: 'state', value: 'ACT' };
  for (const command of [
    { do: 'approve', id: call, input: { amount: 2 } },
    { do: 'deny', id: call, reason: 'no' },
    { do: 'reply', text: 'Ada' },
    { do: 'fork', at: 3, message: 'hi', model: 'offline' },
    { do: 'break-add', breakpoint },
    { do: 'break-remove', breakpoint },
  ])
    expect(await control(inspector, { run: 'r', ...command })).toMatchObject({
      status: 403,
      error: { code: 'inspector.failed' },
    });
  expect(handle.requests).toHaveLength(2);
  expect(inspector.recorder.breakpoints('r')).toEqual([]);
  expect([...store.entries.keys()]).toEqual(['r']);
  handle.abort();
  await handle.result;
});

describe('the page can have a stored run', () => {
  const counter = (told: string[]) =>
    agent({
      name: 'counter',
      tools: [hang],
      decide: ({ step, transcript }): Decision => {
        told.push([...transcript].map(({ text }) => text).join('|'));
        return step < 2 ? { kind: 'wait', forMs: 0 } : answer(`after ${step}`);
      },
    });

  test.each([
    ['a step', () => ({ step: 1 })],
    ['a place in its recording', (place: number) => place],
  ])('forked at %s; the fork is seen, and the other left as it is', async (_, at) => {
    const store = new PlainStore();
    const told: string[] = [];
    const it = counter(told);
    const { output } = await it.run('go', { store, runId: 'r' });
    const inspector = await openInspector({ control: true, store, agents: [it] });
    const looker = new Looker(inspector, '/api/stored/r/recording');
    await looker.until(({ entries }) => entries.some((each) => isTold(each, 'run.ended')));
    const place = looker.entries.findIndex(
      (each) => isState(each, 'DECIDE') && each.n > looker.entries.length / 3,
    );
    const before = JSON.stringify(store.rows.get('r'));
    const { status, run = '' } = await control(inspector, {
      do: 'fork',
      run: 'r',
      at: at(place),
      message: 'Otherwise.',
    });
    expect(status).toBe(200);
    await new Looker(inspector).until(({ entries }) => entries.some((each) => isTold(each, 'run.ended')));
    expect(told.at(-1)).toContain('Otherwise.');
    expect(output).toBe('after 2');
    expect(JSON.stringify(store.rows.get('r'))).toBe(before);
    expect(store.entries.get(run)).toMatchObject({ status: 'completed', forkedFrom: 'r' });
    expect(inspector.recorder.runs).toMatchObject([{ runId: run, status: 'completed' }]);
  });

  test('not forked where there is no store, no such run, or no such agent', async () => {
    const store = new PlainStore();
    const it = counter([]);
    await it.run('go', { store, runId: 'r' });
    const fork = { do: 'fork', run: 'r', at: { step: 1 } };
    const without = await openInspector({ control: true });
    expect(await control(without, fork)).toMatchObject({ status: 404, error: { code: 'journal.unknown' } });
    const nobody = await openInspector({ control: true, store });
    expect(await control(nobody, fork)).toMatchObject({ status: 404, error: { code: 'agent.unknown' } });
    const all = await openInspector({ control: true, store, agents: [it] });
    expect(await control(all, { ...fork, run: 'x' })).toMatchObject({
      status: 404,
      error: { code: 'journal.unknown' },
    });
    expect(await control(all, { ...fork, at: { step: 99 } })).toMatchObject({
      status: 404,
      error: { code: 'journal.point-unknown' },
    });
  });

  test('forked while it is in progress, without its agent being listed; with a model that nobody knows, or a misspelt change, not at all', async () => {
    const store = new PlainStore();
    const inspector = await openInspector({ control: true, store });
    const { clerk: it } = clerk();
    const handle = it.stream('go', { inspect: inspector, store, runId: 'r' });
    await asked(inspector, 2);
    const fork = (change: object) => control(inspector, { do: 'fork', run: 'r', at: { step: 0 }, ...change });
    expect(await fork({ model: 'nobody:knows' })).toMatchObject({
      status: 404,
      error: { code: 'model.unknown' },
    });
    expect(await fork({ modell: 'offline' })).toMatchObject({
      status: 400,
      error: { code: 'input.invalid' },
    });
    expect([...store.entries.keys()]).toEqual(['r']);
    const { status, run = '' } = await fork({ model: 'offline', message: 'Be brief.' });
    expect(status).toBe(200);
    const said = (looker: Looker): boolean =>
      looker.entries.some(
        (each) =>
          each.kind === 'published' &&
          each.event.type === 'model.answered' &&
          each.event.runId === run &&
          JSON.stringify(each.event).includes('offline'),
      );
    await new Looker(inspector).until(said);
    expect(store.entries.get(run)).toMatchObject({ forkedFrom: 'r' });
    expect(handle.requests).toHaveLength(2);
    for (const each of inspector.recorder.handles.values()) each.abort();
    await handle.result;
  });

  test('not forked where it is in progress in no store', async () => {
    const inspector = await openInspector({ control: true, store: new PlainStore() });
    const { clerk: it } = clerk();
    const handle = it.stream('go', { inspect: inspector, runId: 'r' });
    await asked(inspector, 2);
    const refused = await control(inspector, { do: 'fork', run: 'r', at: { step: 0 } });
    expect(refused).toMatchObject({ status: 404, error: { code: 'journal.unknown' } });
    expect(refused.error?.message).toContain('begin it with that `store`');
    handle.abort();
    await handle.result;
  });

  test('answered with arguments of which a secret is not known here: refused, as the mark would be sent', async () => {
    const store = new PlainStore();
    const { clerk: it } = clerk();
    const handle = it.stream('go', { store, runId: 'r' });
    while ((await openRequests(store)).length < 2) await quiet();
    const inspector = await openInspector({ control: true, store, agents: [it] });
    const call = handle.requests.find(({ kind }) => kind === 'approval')?.id;
    const input = { amount: 1, to: '[redacted TOKEN]' };
    const refused = await control(inspector, { do: 'approve', run: 'r', id: call, input });
    expect(refused).toMatchObject({ status: 400, error: { code: 'input.invalid' } });
    expect(store.posted).toEqual([]);
    handle.abort();
    await handle.result;
  });

  test('answered, also where another process has it', async () => {
    const store = new PlainStore();
    // Who has the run takes them as soon as it looks.
    const post = vi.spyOn(store, 'post');
    const { clerk: it } = clerk();
    const handle = it.stream('go', { store, runId: 'r' });
    while ((await openRequests(store)).length < 2) await quiet();
    const inspector = await openInspector({ control: true, store, agents: [clerk().clerk] });
    const looker = new Looker(inspector, '/api/stored/r/recording');
    await looker.until(({ requests }) => requests.length === 2);
    const [first, second] = looker.requests;
    const ids = first?.kind === 'approval' ? [first.id, second?.id] : [second?.id, first?.id];
    expect(await control(inspector, { do: 'approve', run: 'r', id: ids[0] })).toEqual({
      status: 200,
      ok: true,
    });
    expect(await control(inspector, { do: 'approve', run: 'r', id: ids[0] })).toMatchObject({
      status: 409,
      error: { code: 'request.answered' },
    });
    expect(await control(inspector, { do: 'reply', run: 'r', id: ids[1], text: 'Ada' })).toEqual({
      status: 200,
      ok: true,
    });
    expect(post.mock.calls.map(([{ text }]) => JSON.parse(text) as object)).toMatchObject([
      { kind: 'approve', id: ids[0] },
      { kind: 'answer', id: ids[1], text: 'Ada' },
    ]);
    handle.abort();
    await handle.result;
  });
});

type Seen = Looker['entries'][number];

const isTold = (entry: Seen, type: string): boolean =>
  entry.kind === 'published' && entry.event.type === type;

const isState = (entry: Seen, state: string): boolean =>
  entry.kind === 'moved' && entry.states.some((id) => id.endsWith(`.${state}`));
