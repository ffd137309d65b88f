import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { saga } from '../../src/patterns/index.ts';
import type { SagaSetup } from '../../src/patterns/saga.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, ofType, phasesOf, settled, start } from '../support/runs.ts';

const words = (said: unknown): string => (typeof said === 'string' ? said : JSON.stringify(said));

/** A world that steps change, and agents that do it, undo it, or fail at it. */
const world = () => {
  const log: string[] = [];
  const does = (deed: string) =>
    agent({
      name: deed,
      decide: ({ input }) => {
        log.push(`${deed}(${words(input)})`);
        return { kind: 'answer', answer: deed };
      },
    });
  const task = z.object({ step: z.string(), output: z.json(), failed: z.string(), reason: z.string() });
  const undoes = (deed: string) =>
    agent({
      name: `no-${deed}`,
      decide: ({ input }) => {
        const { step, output, failed, reason } = task.parse(JSON.parse(words(input)));
        log.push(`undo ${step} (${words(output)}) as ${failed}: ${reason}`);
        return { kind: 'answer', answer: 'undone' };
      },
    });
  const fails = (deed: string) =>
    agent({
      name: deed,
      decide: () => {
        log.push(`${deed} fails`);
        throw new TroupeError('tool.failed', `Cannot do ${deed}`);
      },
    });
  return { log, does, undoes, fails };
};

describe('a saga', () => {
  const run = (steps: SagaSetup['steps'], beside: Partial<SagaSetup> = {}) => {
    const clock = virtualClock(0);
    return letTimePass(clock, settled(start(saga({ ...beside, name: 'trip', steps }), 'Lima', { clock })));
  };

  test('goes forward, each step from what the one before left, and undoes nothing', async () => {
    const { log, does, undoes } = world();
    const result = await run({
      flight: { does: does('flight'), undoes: undoes('flight') },
      hotel: { does: does('hotel'), map: (previous, first) => `${words(first)} by ${words(previous)}` },
    });
    expect(result).toMatchObject({ status: 'completed', output: 'hotel' });
    expect(log).toEqual(['flight(Lima)', 'hotel(Lima by flight)']);
  });

  test('turns back as its budget is spent, and says for each step that it is not undone', async () => {
    const { does, undoes } = world();
    const step = (name: string) => ({ does: does(name), undoes: undoes(name) });
    const result = await run(
      { flight: step('flight'), hotel: step('hotel'), car: step('car') },
      { limits: { budget: { steps: 2 } } },
    );
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'budget' },
      candidate: [
        { step: 'flight', fate: 'notUndone' },
        { step: 'hotel', fate: 'notUndone' },
      ],
    });
  });

  test('turns back at the step that fails: what was done is undone, the last first, and what nothing undoes is kept', async () => {
    const { log, does, undoes, fails } = world();
    const result = await run({
      flight: { does: does('flight'), undoes: undoes('flight') },
      mail: { does: does('mail') },
      hotel: { does: does('hotel'), undoes: undoes('hotel') },
      car: { does: fails('car'), undoes: undoes('car') },
      never: { does: does('never') },
    });
    expect(log).toEqual([
      'flight(Lima)',
      'mail(flight)',
      'hotel(mail)',
      'car fails',
      'undo hotel (hotel) as car: Cannot do car',
      'undo flight (flight) as car: Cannot do car',
    ]);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'tool.failed', message: 'Cannot do car' },
      candidate: [
        { step: 'flight', fate: 'undone' },
        { step: 'mail', fate: 'kept' },
        { step: 'hotel', fate: 'undone' },
      ],
    });
    const phases = phasesOf(result.events, 'trip');
    expect(phases.slice(phases.indexOf('goingBack'))).toEqual([
      'goingBack',
      'undoing',
      'undone',
      'goingBack',
      'undoing',
      'undone',
      'goingBack',
      'failed',
    ]);
  });

  test('a compensation that fails stops nobody, and is named', async () => {
    const { does, undoes, fails } = world();
    const result = await run({
      flight: { does: does('flight'), undoes: undoes('flight') },
      hotel: { does: does('hotel'), undoes: fails('no-hotel') },
      car: { does: fails('car') },
    });
    expect(result.candidate).toEqual([
      { step: 'flight', output: 'flight', fate: 'undone', reason: null },
      { step: 'hotel', output: 'hotel', fate: 'notUndone', reason: 'Cannot do no-hotel' },
    ]);
  });

  test('under a policy a step is tried again first; when no restart is left, it turns back and does not just fail', async () => {
    const { log, does, undoes, fails } = world();
    const result = await run(
      {
        flight: { does: does('flight'), undoes: undoes('flight') },
        hotel: { does: fails('hotel') },
      },
      { failures: { supervision: { intensity: { restarts: 1, withinMs: 60_000 } } } },
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'team.escalated' } });
    expect(log.filter((entry) => entry === 'hotel fails')).toHaveLength(2);
    expect(log.at(-1)).toContain('undo flight');
    expect(ofType(result.events, 'child.restarted')).toHaveLength(1);
  });

  test('a map that throws is a failed step', async () => {
    const { log, does, undoes } = world();
    const result = await run({
      flight: { does: does('flight'), undoes: undoes('flight') },
      hotel: {
        does: does('hotel'),
        map: () => {
          throw new Error('no map');
        },
      },
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
    expect(log).toEqual(['flight(Lima)', expect.stringContaining('undo flight')]);
  });
});

test('a saga without steps is none', () => {
  expect(() => saga({ name: 'trip', steps: {} })).toThrowError('needs steps');
});
