import { createWebSocketInspector } from '@statelyai/inspect';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createActor, toPromise } from 'xstate';
import type { AnyActorRef, InspectionEvent } from 'xstate';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { ofType, quiet } from '../support/runs.ts';
import { openReceiver } from '../support/websocket-receiver.ts';
import type { Receiver } from '../support/websocket-receiver.ts';

const down = new TroupeError('model.unavailable', 'Cannot answer as it is down: 503', { retryable: 'yes' });

/** A team whose worker has trouble with its model, so that there are actors on three floors. */
const desk = () => {
  const plan = JSON.stringify({ assignments: [{ worker: 'ann', task: 'x' }] });
  return supervisorWorker({
    name: 'desk',
    result: 'replies',
    // Not at once: an inspector that rejects is heard only while the run lasts.
    supervisor: { model: scriptedModel([async () => (await quiet(), plan)]) },
    workers: {
      ann: agent({
        name: 'ann',
        failures: { retry: { initialWaitMs: 0 } },
        model: scriptedModel([down, 'from ann']),
      }),
    },
  });
};

const IDS = ['desk', 'desk/supervisor-1', 'desk/ann-2', 'desk/ann-2/~model-0'];

test('[KAIZEN-71] an inspector sees every actor of a run, each below its parent, and every state that it rests in', async () => {
  const seen = new Map<string, string | undefined>();
  const rests: string[] = [];
  const inspect = (event: InspectionEvent): void => {
    const { id, _parent: parent } = event.actorRef as AnyActorRef;
    if (event.type === '@xstate.actor') seen.set(id, parent?.id);
    if (event.type === '@xstate.snapshot' && 'value' in event.snapshot && id === 'desk/ann-2')
      rests.push(JSON.stringify(event.snapshot.value));
  };
  await desk().run('go', { inspect });
  expect([...seen.keys()]).toEqual(IDS);
  expect([...seen.values()]).toEqual([undefined, 'desk', 'desk', 'desk/ann-2']);
  expect(rests).toContain('{"running":"DECIDE"}');
  expect(rests.at(-1)).toBe('"completed"');
});

test('[P15] one that throws, rejects or is slow changes nothing, and is reported', async () => {
  const runId = 'r';
  const quietly = await desk().run('go', { runId });
  const failing = [
    () => {
      throw new Error('broken glass');
    },
    // An async function fits where nothing is wanted back.
    (): void => Promise.reject(new Error('broken glass')) as never,
    {
      next: () => {
        throw new Error('broken glass');
      },
    },
  ];
  for (const inspect of failing) {
    const handle = desk().stream('go', { runId, inspect });
    const watched = await handle.result;
    await quiet();
    const reports = ofType(watched.events, 'observer.failed');
    expect(reports).toMatchObject([{ observer: 'inspector', error: { message: /broken glass/ } }]);
    const without = watched.events.filter(({ type }) => type !== 'observer.failed');
    expect(compareRuns({ ...watched, events: without }, quietly)).toEqual([]);
  }
});

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  await receiver.close();
});

/** What the page of the real inspector would be told. */
const told = async (): Promise<{
  actors: readonly string[];
  snapshots: readonly unknown[];
  parents: readonly string[];
}> => {
  const isEnd = (message: Readonly<Record<string, unknown>>): boolean =>
    message['type'] === '@xstate.snapshot' && JSON.stringify(message['snapshot']).includes('"status":"done"');
  await receiver.until((messages) => messages.filter(isEnd).length >= IDS.length);
  const actors = receiver.messages.filter(({ type }) => type === '@xstate.actor');
  const nameOf = (sessionId: unknown): string => {
    const name = actors.find((actor) => actor['sessionId'] === sessionId)?.['name'];
    return typeof name === 'string' ? name : 'nobody';
  };
  return {
    actors: actors.map(({ name }) => String(name)),
    parents: actors.map(({ parentId }) => nameOf(parentId)),
    snapshots: receiver.messages.flatMap(({ snapshot }) => (snapshot === undefined ? [] : [snapshot])),
  };
};

test('the real inspector shows a run: agents, members and calls, with definitions and plain snapshots', async () => {
  const inspector = createWebSocketInspector({ url: receiver.url });
  try {
    const result = await desk().run('go', { inspect: inspector.inspect });
    expect(result.status).toBe('completed');
    const { actors, parents, snapshots } = await told();
    expect(actors).toEqual(IDS);
    expect(parents.slice(1)).toEqual(['desk', 'desk', 'desk/ann-2']);
    const definitions = receiver.messages.flatMap(({ definition }) =>
      typeof definition === 'string' ? [definition] : [],
    );
    expect(definitions.map((text) => (JSON.parse(text) as { id: string }).id)).toEqual([
      'supervisorWorker',
      'agent',
      'agent',
      'modelCall',
    ]);
    expect(snapshots.length).toBeGreaterThan(10);
    const text = JSON.stringify(snapshots);
    for (const unreadable of ['[object', '[Function', 'circular', 'unserializable'])
      expect(text).not.toContain(unreadable);
  } finally {
    inspector.stop();
  }
});

test('and an embedded one, within the app around it', async () => {
  const inspector = createWebSocketInspector({ url: receiver.url });
  try {
    const actor = createActor(desk().logic, { id: 'desk', input: 'go', inspect: inspector.inspect });
    actor.start();
    await toPromise(actor);
    const { actors, parents } = await told();
    expect(actors).toEqual(IDS);
    expect(parents.slice(1)).toEqual(['desk', 'desk', 'desk/ann-2']);
  } finally {
    inspector.stop();
  }
});
