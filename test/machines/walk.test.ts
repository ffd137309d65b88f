import { createActor } from 'xstate';
import { expect, test } from 'vitest';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import type { AgentEvent } from '../../src/machines/agent/agent-setup.ts';
import {
  abort,
  agentInput,
  agentWalk,
  answered,
  prepared,
  calling,
  decide,
  deciding,
  ready,
  resulting,
  saying,
  trouble,
  wake,
  act,
} from './agent-walks.ts';
import { isThorough } from '../support/thorough.ts';

test('a walk tells every phase, in order', () => {
  const { path, status, output } = agentWalk([ready, decide(saying('42'))]);
  expect(path).toEqual(['preparing', 'OBSERVE', 'DECIDE', 'REDUCE', 'CHECK_STOP', 'completed']);
  expect(status).toBe('done');
  expect(output?.output).toBe('42');
});

test('a set of answers answers for as long as something is asked', () => {
  let turn = 0;
  const { output, asks } = agentWalk({
    prepare: () => ({ problems: [], input: 'x', prompt: 'x', models: 1 }),
    decide: () => (turn++ < 2 ? calling('look', 'look') : saying('done')),
    act: ({ index }) => ({
      kind: 'result',
      result: { ok: true, callId: `${index}`, tool: 'look', text: 'x', value: 1, durationMs: 0, attempts: 1 },
    }),
  });
  expect(output).toMatchObject({ status: 'completed', steps: 3, tally: { toolCalls: 4 } });
  expect(asks).toEqual([]);
});

test('an answer that nobody asked for is an error that says what is asked', () => {
  expect(() => agentWalk([ready, act()])).toThrow(
    "Cannot answer 'act' as the machine did not ask for it: it waits for decide",
  );
  expect(() => agentWalk([abort, act()])).toThrow(
    "Cannot answer 'act' as the machine did not ask for it: it waits for nothing",
  );
});

if (isThorough)
  test('a walk that goes round for ever is an error', () => {
    expect(() =>
      agentWalk(
        {
          prepare: () => ({ problems: [], input: 'x', prompt: 'x', models: 1 }),
          decide: () => calling('look'),
          act: () => resulting(),
        },
        {},
        { stop: [] },
      ),
    ).toThrow(/Cannot finish the walk as it does not end/);
  });

test('a wait is over exactly when it is due', () => {
  const { context } = agentWalk([ready, decide(deciding({ kind: 'wait', forMs: 500 })), wake]);
  expect(context.tally.now).toBe(1_500);
});

test('what a child actor was engaged for is answered in its place', () => {
  const { path, asks, outputs } = agentWalk([ready, decide(trouble())]);
  expect(asks.map(({ port }) => port)).toEqual(['decide']);
  expect(outputs.at(-1)).toMatchObject({ type: 'engage', engagement: { port: 'decide', index: 0 } });
  expect(path.at(-1)).toBe('DECIDE');
  expect(agentWalk([ready, decide(trouble()), decide(saying('42'))]).status).toBe('done');
});

test('a machine that is over does not move any more', () => {
  const over = agentWalk([ready, decide(saying('42'))]);
  const late = agentWalk([ready, decide(saying('42')), abort]);
  expect(late.output).toEqual(over.output);
  expect(late.outputs).toEqual(over.outputs);
});

test('a walk takes the arrows that a live actor takes', () => {
  const at = 2_000;
  const events: AgentEvent[] = [
    { type: 'message', at, message: { from: 'bob', text: 'hi' } },
    { type: 'answered.prepare', at, output: prepared() },
    { type: 'answered.decide', at, output: calling('look', 'look') },
    answered(1),
    answered(0, trouble()),
    answered(0),
    { type: 'answered.decide', at, output: deciding({ kind: 'wait' }) },
    { type: 'message', at, message: { from: 'bob', text: 'wake up' } },
    { type: 'answered.decide', at, output: saying('42') },
  ];
  const live: string[] = [];
  const actor = createActor(agentMachine, {
    input: agentInput(),
    inspect: (inspection) => {
      if (inspection.type !== '@xstate.microstep') return;
      for (const each of inspection._transitions)
        live.push(`${each.source.id}: ${each.eventType || 'always'}`);
    },
  }).start();
  for (const event of events) actor.send(event);
  const walked = agentWalk(events);
  expect(actor.getSnapshot().value).toEqual(walked.value);
  expect(live.length).toBeGreaterThan(10);
  expect(walked.positions.flatMap(({ arrows }) => arrows.map((key) => key.replace(/ #.*/, '')))).toEqual(
    live,
  );
});
