import { afterEach, beforeEach, expect, test } from 'vitest';
import { assign, createActor, setup, toPromise, waitFor } from 'xstate';
import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { RuntimeEvent } from '../../src/contracts/event.ts';
import { agent } from '../../src/runtime/agent.ts';
import { pipeline, supervisorWorker } from '../../src/runtime/patterns/index.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { ofType, quiet, typesOf } from '../support/runs.ts';

/** A team, so that there are actors of ours on two floors, and somebody to whom it tells its events. */
const desk = (events: RuntimeEvent[] = []) =>
  supervisorWorker({
    name: 'desk',
    result: 'replies',
    supervisor: {
      model: scriptedModel([JSON.stringify({ assignments: [{ worker: 'ann', task: 'x' }] })]),
    },
    workers: { ann: agent({ name: 'ann', model: scriptedModel(['from ann']) }) },
    hooks: [{ name: 'witness', handle: (event) => void ('seq' in event && events.push(event)) }],
  });

const REPLIES = [{ member: 'ann', output: 'from ann' }];

/** Somebody else's machine, that asks the desk when it is told to. */
const appWith = (team: ReturnType<typeof desk>) =>
  setup({
    types: { context: {} as { said: unknown } },
    actors: { desk: team.logic },
  }).createMachine({
    context: { said: null },
    initial: 'idle',
    states: {
      idle: { on: { GO: 'asking' } },
      asking: {
        invoke: {
          id: 'desk',
          src: 'desk',
          input: 'go',
          onDone: { target: 'done', actions: assign({ said: ({ event }) => event.output }) },
        },
      },
      done: { on: { CLOSE: 'closed' } },
      closed: { type: 'final' },
    },
  });

const idOf = ({ actorRef }: InspectionEvent): string => (actorRef as AnyActorRef).id;

/** Fails at every event from the moment at which somebody is there. */
const broken = (whom = 'desk') => {
  let isThere = false;
  return (event: InspectionEvent): void => {
    if (isThere) throw new Error(`broken glass at ${event.type}`);
    isThere = event.type === '@xstate.actor' && idOf(event) === whom;
  };
};

const escaped: unknown[] = [];
const note = (error: unknown): void => void escaped.push(error);
beforeEach(() => {
  escaped.length = 0;
  process.on('unhandledRejection', note).on('uncaughtException', note);
});
afterEach(() => {
  process.off('unhandledRejection', note).off('uncaughtException', note);
});

/** Whole from the first to the last, with one word about the inspector. */
const expectWhole = (events: readonly RuntimeEvent[]): void => {
  expect(ofType(events, 'observer.failed')).toMatchObject([
    { observer: 'inspector', error: { message: /broken glass/ } },
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(typesOf(events).at(0)).toBe('run.started');
  expect(ofType(events, 'run.ended')).toHaveLength(1);
  expect(typesOf(events).at(-1)).toBe('run.ended');
  expect(escaped).toEqual([]);
};

test('[P15] an inspector of XState that throws at every event does not hurt an agent, and is reported once', async () => {
  const hooked: RuntimeEvent[] = [];
  const actor = createActor(desk(hooked).logic, { id: 'desk', input: 'go', inspect: broken() });
  const emitted: RuntimeEvent[] = [];
  actor.on('*', (event) => void ('seq' in event && emitted.push(event)));
  actor.start();
  expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: REPLIES });
  await quiet();
  expectWhole(emitted);
  expectWhole(hooked);
});

test('[P15] nor one whose machine moves before it is started, and nothing of that is lost', async () => {
  // A pipeline hands over in its first macrostep.
  const team = pipeline({
    name: 'desk',
    stages: [agent({ name: 'ann', model: scriptedModel(['from ann']) })],
  });
  const actor = createActor(team.logic, { id: 'desk', input: 'go', inspect: broken() });
  const emitted: RuntimeEvent[] = [];
  actor.on('*', (event) => void ('seq' in event && emitted.push(event)));
  actor.start();
  expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'from ann' });
  expectWhole(emitted);
});

test('[P15] nor one that an app invoked, and the app goes on with its answer', async () => {
  const events: RuntimeEvent[] = [];
  const app = createActor(appWith(desk(events)), { inspect: broken() }).start();
  app.send({ type: 'GO' });
  const { context } = await waitFor(app, ({ value }) => value === 'done');
  expect(context.said).toMatchObject({ status: 'completed', output: REPLIES });
  await quiet();
  expectWhole(events);
});

test('[P15] nor one that an app stops', async () => {
  const events: RuntimeEvent[] = [];
  const app = createActor(appWith(desk(events)), { inspect: broken() }).start();
  app.send({ type: 'GO' });
  app.stop();
  await quiet();
  expectWhole(events);
  expect(events.at(-1)).toMatchObject({ status: 'aborted' });
});

test('two runs in one system are both told', async () => {
  const [left, right]: [RuntimeEvent[], RuntimeEvent[]] = [[], []];
  const machine = setup({ actors: { left: desk(left).logic, right: desk(right).logic } }).createMachine({
    invoke: [
      { id: 'desk', src: 'left', input: 'go' },
      { id: 'other', src: 'right', input: 'go' },
    ],
  });
  createActor(machine, { inspect: broken('other') }).start();
  await quiet();
  expectWhole(left);
  expectWhole(right);
});

test('an inspector that is attached while a run is under way sees every event, whoever throws before it', async () => {
  const seenWith = async (inspect: (event: InspectionEvent) => void): Promise<readonly string[]> => {
    const seen: string[] = [];
    const actor = createActor(desk().logic, { id: 'desk', input: 'go', inspect });
    const gone = actor.system.inspect(() => seen.push('seen by one that is gone'));
    actor.system.inspect({ next: broken() });
    const last = actor.system.inspect((event) => {
      seen.push(`${event.rootId === actor.sessionId} ${event.type} ${idOf(event)}`);
    });
    gone.unsubscribe();
    actor.start();
    await toPromise(actor);
    last.unsubscribe();
    return seen;
  };
  const seen = await seenWith(broken());
  expect(seen).toEqual(await seenWith(() => undefined));
  expect(seen).toContain('true @xstate.actor desk/ann-2');
  expect(seen.at(-1)).toBe('true @xstate.snapshot desk');
});

test('what an inspector throws before or after all runs is as XState has it', async () => {
  let isBroken = false;
  const inspect = (): void => {
    if (isBroken) throw new Error('broken glass');
  };
  const app = createActor(appWith(desk()), { inspect }).start();
  app.send({ type: 'GO' });
  await waitFor(app, ({ value }) => value === 'done');
  await quiet();
  isBroken = true;
  expect(() => {
    app.send({ type: 'CLOSE' });
  }).toThrow('broken glass');
  expect(() => createActor(desk().logic, { input: 'go', inspect })).toThrow('broken glass');
});
