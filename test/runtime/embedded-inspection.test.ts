import { afterEach, beforeEach, expect, test } from 'vitest';
import { createActor, toPromise } from 'xstate';
import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
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
    // Not at once: what fails when a run is over has nowhere left to be told.
    workers: { ann: agent({ name: 'ann', model: scriptedModel([async () => (await quiet(), 'from ann')]) }) },
    hooks: [{ name: 'witness', handle: (event) => void ('seq' in event && events.push(event)) }],
  });

const REPLIES = [{ member: 'ann', output: 'from ann' }];

const idOf = ({ actorRef }: InspectionEvent): string => (actorRef as AnyActorRef).id;

/** Fails at every event from the moment at which that actor is there. */
const broken = (whom: string) => {
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

test("[P15] an inspector of an app that throws is the app's affair: the run ends well, and says so once", async () => {
  const events: RuntimeEvent[] = [];
  const logic = desk(events).logic;
  createActor(logic, { id: 'desk', input: 'go', inspect: broken('desk/ann-2') }).start();
  while (typesOf(events).at(-1) !== 'run.ended') await quiet();
  expectWhole(events);
  expect(events.at(-1)).toMatchObject({ status: 'completed', output: REPLIES });
});

test('[P15] it does not hurt another run of the same app', async () => {
  const [left, right]: [RuntimeEvent[], RuntimeEvent[]] = [[], []];
  createActor(desk(left).logic, { input: 'go', inspect: broken('desk/ann-2') }).start();
  const other = createActor(desk(right).logic, { input: 'go' }).start();
  expect(await toPromise(other)).toMatchObject({ status: 'completed', output: REPLIES });
  while (typesOf(left).at(-1) !== 'run.ended') await quiet();
  expectWhole(left);
  expect(ofType(right, 'observer.failed')).toEqual([]);
});

test('[FIND-12] an inspector that is attached while a run is under way sees all that comes, each actor below its parent', async () => {
  const seen: string[] = [];
  const actor = createActor(desk().logic, { id: 'desk', input: 'go' });
  const gone = actor.system.inspect(() => seen.push('seen by one that is gone'));
  const last = actor.system.inspect((event) => {
    seen.push(`${event.rootId === actor.sessionId} ${event.type} ${idOf(event)}`);
  });
  gone.unsubscribe();
  actor.start();
  await toPromise(actor);
  last.unsubscribe();
  expect(seen).toContain('true @xstate.actor desk/supervisor-1');
  expect(seen).toContain('true @xstate.actor desk/ann-2');
  expect(seen).toContain('true @xstate.event desk/ann-2');
  expect(seen.at(-1)).toBe('true @xstate.snapshot desk');
});

test('what an inspector throws where no run is is as XState has it', () => {
  const inspect = (): void => {
    throw new Error('broken glass');
  };
  expect(() => createActor(desk().logic, { input: 'go', inspect })).toThrow('broken glass');
});
