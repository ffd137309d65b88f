import { createElement, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../../src/client/connect.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { RemoteSession } from '../../src/react/remote-session.ts';
import { useAgent } from '../../src/react/use-agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import type { ServedAgents } from '../../src/runtime/serve/serve-options.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { speakingModel } from '../client/speaking-model.ts';
import { clerkSaying, refunding, refunds, served } from '../runtime/serve/serve-kit.ts';
import { deferred, quiet } from '../support/runs.ts';

/** A server on the loopback, and its client, which tries again at once; `open` are the requests that are not over. */
const desk = async <Agents extends ServedAgents>(agents: Agents, store = memoryStore()) => {
  const server = await served({ agents, store, auth: 'none' });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const open = new Set<string>();
  /** Set, requests fail as if there were no server. */
  let isDown = false;
  const sent: string[] = [];
  const replied: string[] = [];
  const client = connect<{ readonly agents: Agents }>(server.url, {
    retryMs: 1,
    maxRetryMs: 2,
    attempts: 3,
    fetch: async (input, init) => {
      const what = `${init?.method ?? 'GET'} ${new URL(input instanceof Request ? input.url : input).pathname.replaceAll(/[\w-]{20,}/g, 'ID')}`;
      sent.push(what);
      if (isDown) throw new TypeError('the server is down');
      const response = await fetch(input, init);
      replied.push(what);
      if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
      open.add(what);
      init?.signal?.addEventListener('abort', () => open.delete(what));
      return response;
    },
  });
  return {
    server,
    client,
    store,
    open,
    sent,
    replied,
    setDown: (now: boolean) => {
      isDown = now;
    },
  };
};

const sees = async <T>(session: { getSnapshot(): T }, view: object): Promise<void> => {
  await expect.poll(() => session.getSnapshot()).toMatchObject(view);
};

test('an agent of a server is shown like one of the page: its text as it streams, its messages and its answer', async () => {
  const { model, say, end } = speakingModel();
  const { client } = await desk({ teller: agent({ name: 'teller', model }) });
  const session = new RemoteSession(client.agent('teller'), {});
  session.attach();
  expect(session.getSnapshot()).toMatchObject({ status: 'idle', messages: [], connection: 'idle' });
  expect(session.getSnapshot().stop()).toBe(false);
  expect(session.send('Tell me.')).toBe(true);
  expect(session.getSnapshot()).toMatchObject({ status: 'running', runId: undefined });
  await sees(session, { phase: 'DECIDE', connection: 'open' });
  await expect
    .poll(() => {
      say('Once ');
      return session.getSnapshot();
    })
    .toMatchObject({ isStreaming: true });
  end('Once upon a time.');
  await sees(session, { status: 'completed', output: 'Once upon a time.', isStreaming: false });
  expect(session.getSnapshot().messages.map(({ text }) => text)).toEqual(['Tell me.', 'Once upon a time.']);
  expect(session.getSnapshot().runId).toMatch(/\w{8}/);
});

test('a structured answer is partial while it streams, and typed when it is whole', async () => {
  const { model, say, end } = speakingModel();
  const { client } = await desk({
    counter: agent({ name: 'counter', model, output: z.object({ total: z.number(), note: z.string() }) }),
  });
  const session = new RemoteSession(client.agent('counter'), { input: 'Count.' });
  session.attach();
  await sees(session, { phase: 'DECIDE', connection: 'open' });
  say('{"total": 39, "no');
  await sees(session, { partial: { total: 39 } });
  end('{"total": 39, "note": "all"}');
  await sees(session, { output: { total: 39, note: 'all' } });
  expect(session.getSnapshot().partial).toEqual({ total: 39, note: 'all' });
});

test('a request is answered from the page once, however often the button is clicked', async () => {
  refunds.length = 0;
  const { client, sent } = await desk({ clerk: clerkSaying(refunding) });
  const session = new RemoteSession(client.agent('clerk'), { input: 'The kettle of order 17 is broken.' });
  session.attach();
  await expect.poll(() => session.getSnapshot().requests.length).toBe(1);
  const { requests, approve, reply } = session.getSnapshot();
  const id = requests[0]?.id ?? '';
  expect(reply('yes')).toBe(false);
  expect(session.getSnapshot().error).toMatchObject({ code: 'request.unknown' });
  expect([approve(id), approve(id)]).toEqual([true, false]);
  expect(session.getSnapshot().requests).toEqual([]);
  await sees(session, { status: 'completed', output: 'Your money is on its way.' });
  expect(refunds).toEqual([{ order: 17, euros: 39 }]);
  expect(sent.filter((each) => each.includes('/requests/'))).toHaveLength(1);
});

test('what the server says against an answer is the error, and the request is open again', async () => {
  refunds.length = 0;
  const { client } = await desk({ clerk: clerkSaying(refunding) });
  const session = new RemoteSession(client.agent('clerk'), { input: 'go' });
  session.attach();
  await expect.poll(() => session.getSnapshot().requests.length).toBe(1);
  const { requests, approve, deny } = session.getSnapshot();
  const id = requests[0]?.id ?? '';
  expect(approve(id, { input: { order: 17, euros: 9_000 } })).toBe(true);
  await sees(session, { error: { code: 'input.invalid' } });
  expect(session.getSnapshot().requests.map((request) => request.id)).toEqual([id]);
  expect(deny(id, 'too much')).toBe(true);
  await sees(session, { status: 'completed', error: undefined });
  expect(refunds).toEqual([]);
});

test('consecutive runs are one conversation of the server, and a text is a message to the run that is under way', async () => {
  const gate = deferred<string>();
  const model = scriptedModel(['Hello Ada.', () => gate.promise, 'Ada, and Bob.']);
  const { client, replied } = await desk({ greeter: agent({ name: 'greeter', model }) });
  const session = new RemoteSession(client.agent('greeter'), {});
  session.attach();
  session.send('I am Ada.');
  await sees(session, { status: 'completed' });
  session.send('Who am I?');
  await expect.poll(() => model.requests.length).toBe(2);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('I am Ada.');
  session.send('And Bob is here, too.');
  await expect.poll(() => replied.filter((each) => each.endsWith('/messages'))).toHaveLength(1);
  gate.resolve('Ada.');
  await sees(session, { status: 'completed', output: 'Ada, and Bob.' });
  expect(session.getSnapshot().messages.map(({ text }) => text)).toEqual([
    'I am Ada.',
    'Hello Ada.',
    'Who am I?',
    'And Bob is here, too.',
    'Ada.',
    'Ada, and Bob.',
  ]);
});

test('left and come back to at once it keeps its connection; left for longer it hangs up, and the run goes on', async () => {
  const { model, say, end } = speakingModel();
  const { client, open, sent, server } = await desk({ teller: agent({ name: 'teller', model }) });
  const session = new RemoteSession(client.agent('teller'), { input: 'Tell me.' });
  const leave = session.attach();
  await sees(session, { phase: 'DECIDE', connection: 'open' });
  leave();
  const leaveAgain = session.attach();
  await quiet();
  expect(sent.filter((each) => each.endsWith('/events'))).toHaveLength(1);
  expect(sent.filter((each) => each.startsWith('POST'))).toHaveLength(1);
  say('Once upon');
  await sees(session, { text: 'Once upon' });
  leaveAgain();
  await quiet();
  expect([...open]).toEqual([]);
  expect(session.getSnapshot().connection).toBe('idle');
  expect((await client.runs())[0]).toMatchObject({ status: 'running' });
  end('Once upon a time.');
  await client.at(session.getSnapshot().runId ?? '').result;
  expect(session.getSnapshot().status).toBe('running');
  session.attach();
  await sees(session, { status: 'completed', output: 'Once upon a time.' });
  expect(session.getSnapshot().messages.map(({ text }) => text)).toEqual(['Tell me.', 'Once upon a time.']);
  expect(server.asked()).toBeGreaterThan(0);
});

test("a run is aborted with its component by onStop: 'abort' alone", async () => {
  const { client } = await desk({ teller: agent({ name: 'teller', model: speakingModel().model }) });
  const session = new RemoteSession(client.agent('teller'), { input: 'go', onStop: 'abort' });
  const leave = session.attach();
  await sees(session, { phase: 'DECIDE' });
  leave();
  const { runId = '' } = session.getSnapshot();
  expect(await client.at(runId).result).toMatchObject({ status: 'aborted' });
  session.attach();
  await sees(session, { status: 'aborted' });
});

test('stopped, it keeps what was said of the answer, as a message that is cut', async () => {
  const { model, say } = speakingModel();
  const { client } = await desk({ teller: agent({ name: 'teller', model }) });
  const session = new RemoteSession(client.agent('teller'), { input: 'go' });
  session.attach();
  await sees(session, { phase: 'DECIDE', connection: 'open' });
  say('Once upon a ');
  await sees(session, { text: 'Once upon a ' });
  expect(session.getSnapshot().stop('enough')).toBe(true);
  await sees(session, { status: 'aborted', isStreaming: false });
  expect(session.getSnapshot().messages.map(({ text, isCut }) => [text, isCut])).toEqual([
    ['go', undefined],
    ['Once upon a ', true],
  ]);
});

test('paused and resumed from the page', async () => {
  const { client } = await desk({ clerk: clerkSaying(refunding) });
  const session = new RemoteSession(client.agent('clerk'), { input: 'go' });
  session.attach();
  await expect.poll(() => session.getSnapshot().requests.length).toBe(1);
  expect(session.getSnapshot().pause()).toBe(true);
  await sees(session, { status: 'paused' });
  expect(session.getSnapshot().resume()).toBe(true);
  await sees(session, { status: 'running' });
});

test('a server that is gone is waited for, and one that came back without the run ends the session, which can start another', async () => {
  const { client, setDown, store } = await desk({ clerk: clerkSaying(refunding) });
  const session = new RemoteSession(client.agent('clerk'), { input: 'go' });
  session.attach();
  await expect.poll(() => session.getSnapshot().requests.length).toBe(1);
  const id = session.getSnapshot().requests[0]?.id ?? '';
  setDown(true);
  expect(session.getSnapshot().approve(id)).toBe(true);
  await sees(session, { error: { code: 'stream.refused' }, requests: [{ id }] });
  setDown(false);
  expect(session.getSnapshot().approve(id)).toBe(true);
  await sees(session, { status: 'completed', error: undefined });
  const elsewhere = new RemoteSession(client.agent('clerk'), { runId: 'r-none' });
  elsewhere.attach();
  await sees(elsewhere, { status: 'failed', error: { code: 'stream.refused' }, connection: 'closed' });
  expect(elsewhere.send('go')).toBe(true);
  await sees(elsewhere, { status: 'running', error: undefined });
  await expect.poll(() => elsewhere.getSnapshot().requests.length).toBe(1);
  expect(await store.list()).toHaveLength(2);
});

test('a start that the server refuses is the error, and the next one may succeed', async () => {
  const { client, setDown } = await desk({
    greeter: agent({ name: 'greeter', model: scriptedModel(['Hi.']) }),
  });
  const session = new RemoteSession(client.agent('greeter'), {});
  session.attach();
  setDown(true);
  expect(session.send('Hello')).toBe(true);
  await sees(session, { status: 'failed', error: { code: 'stream.refused' } });
  setDown(false);
  session.send('Hello');
  await sees(session, { status: 'completed', output: 'Hi.', error: undefined });
});

test('a run that was begun elsewhere is shown and answered by its id', async () => {
  const { client } = await desk({ clerk: clerkSaying(refunding) });
  const run = await client.start('clerk', 'go');
  const session = new RemoteSession(client.agent('clerk'), { runId: run.runId });
  session.attach();
  await expect.poll(() => session.getSnapshot().requests.length).toBe(1);
  session.getSnapshot().approve(session.getSnapshot().requests[0]?.id ?? '');
  await sees(session, { status: 'completed', runId: run.runId });
});

test('without a store of the server each run is by itself, by thread: false', async () => {
  const engine = createGlobalEngine();
  const server = await served(
    { agents: { greeter: agent({ name: 'greeter', model: scriptedModel(['Hi.']) }) }, auth: 'none' },
    engine,
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  const greeter = connect<typeof server.service>(server.url).agent('greeter');
  const refused = new RemoteSession(greeter, { input: 'Hello' });
  refused.attach();
  await sees(refused, { status: 'failed', error: { code: 'engine.invalid' } });
  const session = new RemoteSession(greeter, { input: 'Hello', thread: false });
  session.attach();
  await sees(session, { status: 'completed', output: 'Hi.' });
  expect(session.getSnapshot().messages.map(({ text }) => text)).toEqual(['Hello', 'Hi.']);
});

test('a server renders it idle, asks nothing, and is not warned', async () => {
  const warned = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let asked = 0;
  const client = connect('https://desk.test', {
    fetch: () => {
      asked += 1;
      return Promise.reject(new Error('not now'));
    },
  });
  const Desk = () => {
    const { status, connection } = useAgent(client.agent('clerk'), { input: 'go' });
    return createElement('p', null, `${status} ${connection}`);
  };
  expect(renderToString(createElement(StrictMode, null, createElement(Desk)))).toBe('<p>idle idle</p>');
  await quiet();
  expect(asked).toBe(0);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

test('an option that is the server’s, or two beginnings, are errors of the component, by name', () => {
  const clerk = connect('https://desk.test').agent('clerk');
  // @ts-expect-error what JavaScript may give
  const WithStore = () => createElement('p', null, useAgent(clerk, { store: memoryStore() }).status);
  const WithBoth = () => createElement('p', null, useAgent(clerk, { input: 'go', runId: 'r1' }).status);
  for (const component of [WithStore, WithBoth])
    expect(() => renderToString(createElement(component))).toThrow(
      expect.objectContaining({ code: 'agent.invalid' }),
    );
});
