import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import type { Fault } from '../support/faulty-model.ts';
import { CATALOGUE, FAULTS, faultyModel, SMALL } from '../support/faulty-model.ts';
import { echo, letTimePass, ofType, settled, start } from '../support/runs.ts';

test('the catalogue has forty faults, and a model that behaves like each of them', () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `F${index + 1}`);
  expect(Object.keys(CATALOGUE)).toEqual(numbers);
  const listed = Object.entries(CATALOGUE).flatMap(([number, faults]) =>
    faults.map((fault) => [number, fault] as const),
  );
  for (const [number, fault] of listed) expect(fault.split(' ')[0]).toBe(number);
  expect(new Set(listed.map(([, fault]) => fault))).toEqual(
    new Set(FAULTS.filter((fault) => /^F\d/.test(fault))),
  );
  for (const faults of Object.values(CATALOGUE)) expect(faults).not.toEqual([]);
});

describe('what a run makes of a model', () => {
  /** A run whose model does this first and answers then, as somebody sees it who watches. */
  const after = async (fault: Fault, tokens = 0) => {
    const clock = virtualClock();
    const rest = { calls: [{ id: 'x', name: 'echo', input: { text: 'x' } }], tokens };
    const script = [fault, 'answers' as const].map((each) => ({ fault: each, ...rest }));
    const model = faultyModel('first', script, clock);
    const handle = start(agent({ name: 'a', model, tools: [echo] }), 'go', { clock });
    const shown = new Map<string, string>();
    handle.events$.subscribe((event) => {
      if (event.type === 'model.delta' && event.delta.type === 'text')
        shown.set(event.key, `${shown.get(event.key) ?? ''}${event.delta.text}`);
      if (event.type === 'model.discarded') shown.delete(event.key);
    });
    const result = await letTimePass(clock, settled(handle));
    return {
      result,
      model,
      clock,
      shown: [...shown.values()],
      codes: ofType(result.events, 'model.retrying').map(({ error }) => error.code),
    };
  };

  test.each<readonly [string, Fault, readonly ErrorCode[]]>([
    ['[F8] a stream that ends too early', 'F8 ends too early', ['model.malformed']],
    ['[F9] silence', 'F9 stalls', ['model.idle']],
    ['[F10] signs of life without an end', 'F10 signs of life', ['model.timeout']],
    ['[F33] a page in place of an answer', 'F33 a page', ['model.malformed']],
    ['[F34] no headers in time', 'F34 time-out', ['model.timeout']],
    ['[F35] no such host, for a moment', 'F35 no such host', ['model.network']],
  ])('%s is tried again, and what was shown is taken back', async (_, fault, codes) => {
    const run = await after(fault);
    expect(run.codes).toEqual(codes);
    expect(run.result).toMatchObject({ status: 'completed', output: 'The answer.', totals: { retries: 1 } });
    expect(run.shown).toEqual([]);
    expect(run.clock.pending).toBe(0);
  });

  test('[F3] two outages and then an answer are three requests', async () => {
    const { model, result, codes } = await after('F3 unavailable twice');
    expect(codes).toEqual(['model.unavailable', 'model.unavailable']);
    expect(ofType(result.events, 'model.asked').map(({ step }) => step)).toEqual([0, 0, 0, 1]);
    expect(model.requests).toBe(4);
    expect(result).toMatchObject({ output: 'The answer.', totals: { retries: 2, steps: 2 } });
  });

  test('[F35] a host whose name is wrong is asked once', async () => {
    const { model, result } = await after('F35 no such host', 1);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model.network', retryable: 'no' } });
    expect(model.requests).toBe(1);
  });

  test('[F12] an answer in pieces, however small, is shown as it was said', async () => {
    const { result, shown } = await after('F12 in small pieces');
    expect([result.output, ...shown]).toEqual([SMALL, SMALL]);
  });

  test('[F13] where a stream began anew, the answer counts and not what was shown', async () => {
    const { result } = await after('F13 begins anew');
    expect(result.output).toBe('Twice upon a time');
    expect(ofType(result.events, 'model.answered')[0]?.text).toBe('Twice upon a time');
  });

  test('[F14] pieces of no known kind are passed over, and shown to nobody', async () => {
    const { result, shown } = await after('F14 odd pieces');
    expect(result).toMatchObject({ status: 'completed', output: 'As I said.', totals: { retries: 0 } });
    expect(shown).toEqual([]);
  });

  test.each([0, 1, 2, 3, 4, 5])('[F33] what is no answer at all (%i) is a typed error', async (which) => {
    const { result } = await after('F33 no answer', which);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'model.malformed', phase: 'DECIDE', step: 0 },
    });
  });

  test('[F39] answers that overtake each other come to those who asked', async () => {
    const clock = virtualClock();
    const model = faultyModel('shared', [{ fault: 'F39 overtakes', calls: [], tokens: 1 }], clock);
    const order: string[] = [];
    const run = (input: string) =>
      settled(start(agent({ name: 'a', model, tools: [echo] }), input, { clock })).then(
        (result) => (order.push(input), result),
      );
    const first = run('one');
    await clock.advance(100);
    const both = await letTimePass(clock, Promise.all([first, run('two')]));
    expect(both.map(({ output }) => output)).toEqual(['To one', 'To two']);
  });

  test('[F40] an answer for a run that is over changes nothing, and is on record', async () => {
    const clock = virtualClock();
    const script = [{ fault: 'F40 after the run' as const, calls: [], tokens: 1 }];
    const model = faultyModel('slow', script, clock);
    const handle = start(agent({ name: 'a', model }), 'go', { clock });
    await clock.advance(1_000);
    handle.abort('enough');
    const result = await settled(handle);
    const { length } = result.events;
    const totals = { ...result.totals };
    await clock.advance(7_200_000);
    expect(result).toMatchObject({ status: 'aborted', output: undefined, totals });
    expect(result.events).toHaveLength(length);
    expect(result.effects.filter(({ state }) => state === 'late')).toHaveLength(1);
  });
});
