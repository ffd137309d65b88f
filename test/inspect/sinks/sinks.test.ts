import { createWebSocketInspector } from '@statelyai/inspect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import type { Entry, StateShape } from '../../../src/inspect/recording/entry.ts';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import type { ClassicBridge } from '../../../src/inspect/sinks/classic-bridge.ts';
import { classicBridge } from '../../../src/inspect/sinks/classic-bridge.ts';
import { stateValue } from '../../../src/inspect/sinks/machine-config.ts';
import { toStately } from '../../../src/inspect/sinks/stately-sink.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { parallel, pipeline } from '../../../src/patterns/index.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import type { ClassicReceiver } from '../../support/classic-receiver.ts';
import { hasClassicInspector, openClassicReceiver } from '../../support/classic-receiver.ts';
import type { Receiver } from '../../support/websocket-receiver.ts';
import { openReceiver } from '../../support/websocket-receiver.ts';

const add = tool({
  name: 'add',
  description: 'Adds one.',
  input: z.object({ to: z.number() }),
  execute: ({ to }) => to + 1,
});

const worker = (name: string, steps: number) =>
  agent({
    name,
    tools: [add],
    decide: ({ step }) =>
      step < steps ? act({ name: 'add', input: { to: step } }) : answer(`${name} is done`),
  });

/** A nested team, with more than a hundred transitions in it. */
const house = () =>
  pipeline({
    name: 'house',
    stages: [
      parallel({
        name: 'both',
        members: { ann: worker('ann', 5), bob: worker('bob', 4) },
        aggregator: (replies) => JSON.stringify(replies),
      }),
      worker('last', 3),
    ],
  });

/** Who is there, and in which states each was, in order. */
type Seen = Readonly<Record<string, readonly string[]>>;

const seenBy = (moves: readonly (readonly [actor: string, value: unknown])[]): Seen => {
  const seen: Record<string, string[]> = {};
  for (const [actor, value] of moves) (seen[actor] ??= []).push(JSON.stringify(value));
  return seen;
};

const inPage = ({ recording }: Recorder): Seen => {
  const tableau = new Tableau();
  const moves: [string, unknown][] = [];
  for (const line of recording.from()) {
    const entry = JSON.parse(line) as Entry;
    tableau.apply(entry);
    if (entry.kind !== 'moved') continue;
    const shape = tableau.charts.get(tableau.actors.get(entry.actor)?.chart ?? '');
    if (shape !== undefined) moves.push([entry.actor, stateValue(shape, entry.states)]);
  }
  return seenBy(moves);
};

const inStately = ({ messages }: Receiver): Seen =>
  seenBy(
    messages.flatMap((message) => {
      const { type, sessionId, snapshot, event } = message as {
        readonly type: string;
        readonly sessionId: string;
        readonly snapshot?: { readonly value?: unknown };
        readonly event?: { readonly type: string };
      };
      return type === '@xstate.snapshot' && event?.type !== 'xstate.stop'
        ? [[sessionId, snapshot?.value] as const]
        : [];
    }),
  );

const inBridge = ({ said }: ClassicReceiver): Seen =>
  seenBy(
    said.flatMap(({ type, sessionId, value }) =>
      /register|state/.test(type) ? [[sessionId, value] as const] : [],
    ),
  );

const isOver = (receiver: Receiver) =>
  receiver.until((messages) =>
    messages.some(
      (message) =>
        message['sessionId'] === 'seen/house' &&
        JSON.stringify(message['snapshot'] ?? null).includes('"done"'),
    ),
  );

describe('a recording in other inspectors', () => {
  const hasClassic = hasClassicInspector();
  let stately: Receiver;
  let bridge: ClassicBridge;
  const record = recorder();

  beforeAll(async () => {
    stately = await openReceiver();
    bridge = await classicBridge(record, { port: 0, control: true });
  });
  afterAll(async () => {
    await stately.close();
    await bridge.close();
  });

  test.skipIf(!hasClassic)(
    'the page, @statelyai/inspect and @xstate/inspect see the same actors in the same states in the same order',
    async () => {
      const warnings: string[] = [];
      const inspector = createWebSocketInspector({
        url: stately.url,
        maxDeferredEvents: 10_000,
        autoStart: true,
      });
      const stop = toStately(record, inspector, { warn: (text) => warnings.push(text) });
      const early = openClassicReceiver(bridge.url);
      await house().run('go', { inspect: record, runId: 'seen' });
      await isOver(stately);
      const stopped = (receiver: ClassicReceiver) =>
        receiver.until((said) =>
          said.some(({ type, sessionId }) => type === 'service.stop' && sessionId === 'seen/house'),
        );
      await stopped(early);
      const late = openClassicReceiver(bridge.url);
      await stopped(late);
      const page = inPage(record);
      expect(Object.values(page).flat().length).toBeGreaterThan(100);
      expect(inStately(stately)).toEqual(page);
      expect(inBridge(late)).toEqual(page);
      expect(inBridge(early)).toEqual(page);
      const parents = (said: ClassicReceiver['said']) =>
        Object.fromEntries(
          said.flatMap(({ sessionId, parent }) => (parent === undefined ? [] : [[sessionId, parent]])),
        );
      const tableau = new Tableau();
      for (const line of record.recording.from()) tableau.apply(JSON.parse(line) as Entry);
      expect(parents(late.said)).toEqual(
        Object.fromEntries(
          [...tableau.actors.values()].flatMap(({ actor, parent }) =>
            parent === undefined ? [] : [[actor, parent]],
          ),
        ),
      );
      expect(late.errors()).toBe('');
      expect(warnings).toEqual([expect.stringContaining('stately.ai')]);
      stop();
      inspector.stop();
      early.close();
      late.close();
    },
  );

  test('[FIND-73] the genuine @statelyai/inspect is sent chart, parent and root of every actor, and they are those of the recording', async () => {
    const receiver = await openReceiver();
    const own = recorder();
    const inspector = createWebSocketInspector({
      url: receiver.url,
      maxDeferredEvents: 10_000,
      autoStart: true,
    });
    const stop = toStately(own, inspector, { warn: () => undefined });
    await house().run('go', { inspect: own, runId: 'seen' });
    await isOver(receiver);
    const tableau = new Tableau();
    for (const line of own.recording.from()) tableau.apply(JSON.parse(line) as Entry);
    const views = [...tableau.actors.values()];
    const sent = receiver.messages
      .filter(({ type }) => type === '@xstate.actor')
      .map(({ sessionId, name, parentId, rootId, definition }) => {
        const config = JSON.parse(String(definition)) as StateConfig;
        return { sessionId, name, parentId, rootId, states: statesIn(config) };
      });
    expect(sent.length).toBeGreaterThan(10);
    expect(sent).toEqual(
      views.map(({ actor, name, parent, chart }) => ({
        sessionId: actor,
        name,
        parentId: parent,
        rootId: 'seen/house',
        states: statesOf(tableau.charts.get(chart ?? '')),
      })),
    );
    expect(sent.every(({ states }) => states > 0)).toBe(true);
    stop();
    inspector.stop();
    await receiver.close();
  });

  test.skipIf(!hasClassic)('whoever looks on by the bridge can hold a run, and let it go on', async () => {
    const handle = worker('held', 2).stream('go', { inspect: record, runId: 'a/b', paused: true });
    const receiver = openClassicReceiver(bridge.url);
    await receiver.until((said) => said.some(({ sessionId }) => sessionId === 'a/b/held'));
    const event = JSON.stringify({ name: 'resume', data: { type: 'resume' } });
    receiver.send({ type: 'xstate.event', sessionId: 'a/b/held', event });
    expect((await handle.result).status).toBe('completed');
    receiver.close();
  });

  test('the bridge is there for this machine, and for pages that it knows', async () => {
    const opens = (options: { readonly origin?: string }): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = new WebSocket(bridge.url, options);
        socket.on('open', () => {
          socket.terminate();
          resolve(true);
        });
        socket.on('error', () => {
          resolve(false);
        });
      });
    expect(await opens({})).toBe(true);
    expect(await opens({ origin: 'https://stately.ai' })).toBe(true);
    expect(await opens({ origin: 'https://elsewhere.example' })).toBe(false);
    expect(new URL(bridge.url).hostname).toBe('127.0.0.1');
  });

  test('what is no message of the protocol is nothing to it', async () => {
    const socket = new WebSocket(bridge.url);
    await new Promise((resolve) => socket.on('open', resolve));
    for (const nonsense of [
      '',
      '{',
      'null',
      '[]',
      '{"type":"xstate.event"}',
      '{"type":"xstate.event","sessionId":"a/b/held","event":"{"}',
    ])
      socket.send(nonsense);
    socket.send('{"type":"xstate.inspecting"}');
    const heard = await new Promise<string>((resolve) => {
      socket.on('message', (data: Buffer) => {
        resolve(data.toString());
      });
      void worker('after', 0).run('go', { inspect: record });
    });
    expect(JSON.parse(heard)).toMatchObject({ type: expect.stringMatching(/^service\./) as string });
    socket.terminate();
  });

  test('a port that is taken is told of', async () => {
    const port = Number(new URL(bridge.url).port);
    await expect(classicBridge(record, { port })).rejects.toMatchObject({
      code: 'inspector.failed',
      message: expect.stringContaining(String(port)) as string,
    });
  });

  test('an inspector that throws is left out, and the run knows nothing of it', async () => {
    const own = recorder();
    const broken = () => {
      throw new Error('broken');
    };
    toStately(own, { actor: broken, event: broken, snapshot: broken }, { warn: () => undefined });
    const { status, events } = await worker('ann', 1).run('go', { inspect: own });
    expect(status).toBe('completed');
    expect(events.filter(({ type }) => type === 'observer.failed')).toEqual([]);
    expect(own.failures).toHaveLength(1);
  });

  test('a viewer that comes when the beginning is forgotten is told how things stand', () => {
    const own = recorder({ capacity: 1 });
    const { recording } = own;
    recording.add({ kind: 'chart', at: 0, chart: 'light', shape: light });
    recording.add({
      kind: 'actor',
      at: 0,
      actor: 'r/light',
      run: 'r',
      name: 'light',
      role: 'other',
      chart: 'light',
    });
    for (let count = 0; count < 5; count += 1)
      recording.add({
        kind: 'moved',
        at: 0,
        actor: 'r/light',
        on: 'go',
        arrows: [],
        states: ['light.on'],
        patch: { count },
      });
    const told: unknown[] = [];
    toStately(
      own,
      {
        actor: (actor) => told.push(typeof actor === 'string' ? actor : actor.sessionId),
        event: () => undefined,
        snapshot: (_, snapshot) => told.push(snapshot),
      },
      { warn: () => undefined },
    );
    expect(told[0]).toBe('r/light');
    expect(told.at(-1)).toMatchObject({ value: 'on', context: { count: 4 } });
    expect(told.length).toBeLessThan(6);
  });
});

/** A chart, as the genuine inspector sends it. */
interface StateConfig {
  readonly states?: Readonly<Record<string, StateConfig>>;
}

const statesIn = ({ states = {} }: StateConfig): number =>
  Object.values(states).reduce((sum, state) => sum + 1 + statesIn(state), 0);

const statesOf = (shape: StateShape | undefined): number =>
  (shape?.states ?? []).reduce((sum, state) => sum + 1 + statesOf(state), 0);

const light = {
  id: 'light',
  key: 'light',
  type: 'compound',
  initial: ['light.on'],
  states: [{ id: 'light.on', key: 'on', type: 'atomic', initial: [], states: [], arrows: [] }],
  arrows: [],
} as const;
