import { Actor, isMachineSnapshot } from 'xstate';
import type { AnyStateMachine, InspectionEvent, StateValue } from 'xstate';
import { describe, expect, test, vi } from 'vitest';
import type { RunInspector } from '../../src/contracts/events/inspection.ts';
import { arrowIds } from '../../src/inspect/recording/chart-shape.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { allScenarios } from '../parity/all-scenarios.ts';
import type { Scenario } from '../parity/scenarios.ts';
import { letTimePass, ofType, quiet, settled, start } from '../support/runs.ts';
import { sampled } from '../support/thorough.ts';

const play = async (scenario: Scenario, inspect: RunInspector): Promise<void> => {
  const clock = virtualClock(1_000);
  const { agent: played, options, play: meanwhile } = scenario.make(clock);
  const handle = start(played, 'go', { runId: 'seen', clock, ...options, inspect });
  const result = settled(handle);
  await meanwhile?.(handle, clock);
  await letTimePass(clock, result, 500);
};

interface Move {
  readonly on: string;
  readonly arrows: readonly object[];
  readonly value: StateValue;
  readonly context: object;
}

const written = (path: string, machine: AnyStateMachine, { on, arrows, value, context }: Move): string => {
  const ids = arrowIds(machine);
  return JSON.stringify([path, on, arrows.map((arrow) => ids.get(arrow)), value, context]);
};

/** The microsteps that XState's inspection shows, and the events between actors. */
const byXState = async (scenario: Scenario): Promise<readonly string[]> => {
  const seen: string[] = [];
  const look = (event: InspectionEvent): void => {
    const path = String(Reflect.get(event.actorRef, 'id'));
    if (event.type === '@xstate.event' && !event.event.type.startsWith('xstate.'))
      seen.push(JSON.stringify([path, event.event]));
    if (event.type !== '@xstate.microstep' || !isMachineSnapshot(event.snapshot)) return;
    const { machine, value, context } = event.snapshot;
    seen.push(written(path, machine, { on: event.event.type, arrows: event._transitions, value, context }));
  };
  await play(scenario, { inspects: () => look });
  return seen;
};

const byTurns = async (scenario: Scenario): Promise<readonly string[]> => {
  const seen: string[] = [];
  await play(scenario, {
    inspects: () => ({
      turned: ({ path, machine, event, microsteps }) => {
        if (event !== undefined) seen.push(JSON.stringify([path, event]));
        for (const microstep of microsteps) seen.push(written(path, machine, microstep));
      },
    }),
  });
  return seen;
};

describe.each(sampled(allScenarios, 6, 3))('the turns of a run: $name', (scenario) => {
  test('are the events and microsteps that the inspection of XState shows, in that order', async () => {
    const seen = await byTurns(scenario);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(await byXState(scenario));
  });
});

const ann = () => agent({ name: 'ann', decide: () => answer('42') });

describe('a listener to turns', () => {
  test('has no actor of XState made', async () => {
    const started = vi.spyOn(Actor.prototype, 'start');
    let turns = 0;
    const turned = (): void => void (turns += 1);
    await ann().run('go', { inspect: { inspects: () => ({ turned }) } });
    expect(turns).toBeGreaterThan(1);
    expect(started.mock.calls.length).toBe(0);
    vi.restoreAllMocks();
  });

  test('is told of the first turn of an actor without an event, and of its last one with the output', async () => {
    const turns: string[] = [];
    const inspect: RunInspector = {
      inspects: () => ({
        turned: ({ path, event, status, output }) => {
          turns.push(
            `${path} ${event?.type ?? 'first'} ${status} ${output === undefined ? 'no' : 'an'} output`,
          );
        },
      }),
    };
    await ann().run('go', { inspect });
    expect(turns[0]).toBe('ann first active no output');
    expect(turns.at(-1)).toBe('ann answered.decide done an output');
  });

  test('that throws changes nothing, and is reported once', async () => {
    const inspect: RunInspector = {
      inspects: () => ({
        turned: () => {
          throw new Error('broken glass');
        },
      }),
    };
    const { output, events } = await ann().run('go', { inspect });
    await quiet();
    expect(output).toBe('42');
    expect(ofType(events, 'observer.failed')).toMatchObject([
      { observer: 'inspector', error: { message: /broken glass/ } },
    ]);
  });

  test('is not there where the inspector failed as the run began, and the run goes on', async () => {
    const inspect: RunInspector = {
      inspects: () => {
        throw new Error('no eyes');
      },
    };
    const { output, events } = await ann().run('go', { inspect });
    expect(output).toBe('42');
    expect(ofType(events, 'observer.failed')).toHaveLength(1);
  });
});
