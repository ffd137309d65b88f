import { describe, expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { ModelRetry } from '../../src/contracts/models/model.ts';
import { text$ } from '../../src/events/stream/select.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, ofType, settled, start } from '../support/runs.ts';

/** Streams some pieces, then the line is cut. */
const breaksAfter =
  (...pieces: readonly string[]): ScriptedReply =>
  (_, call) => {
    for (const text of pieces) call.delta({ type: 'text', text });
    throw new TroupeError('model.network', 'Cannot read on as the line was cut', { retryable: 'yes' });
  };

describe('[TENEX-Q14] a stream that breaks', () => {
  const run = async (
    scripts: readonly (readonly ScriptedReply[])[],
    retry: ModelRetry = { onBreak: 'continue' },
  ) => {
    const clock = virtualClock(0);
    const models = scripts.map((script, index) => scriptedModel(script, `model-${index}`));
    const speaker = agent({ name: 'speaker', model: models, failures: { retry }, tools: [echo] });
    const handle = start(speaker, 'go', { clock });
    const shown = new Map<string, string>();
    text$(handle.events$).subscribe(({ key, text }) => {
      if (text === '') shown.delete(key);
      else shown.set(key, text);
    });
    const result = await letTimePass(clock, settled(handle));
    for (const model of models) model.assertConsumed();
    return { result, models, shown: [...shown.values()] };
  };

  test('after three pieces: they are kept, marked incomplete, and gone on from', async () => {
    const { result, models, shown } = await run([[breaksAfter('One, ', 'two, ', 'three, '), 'four.']]);
    expect(result).toMatchObject({ status: 'completed', output: 'One, two, three, four.' });
    expect(ofType(result.events, 'model.interrupted')).toMatchObject([{ text: 'One, two, three, ' }]);
    expect(ofType(result.events, 'model.discarded')).toEqual([]);
    expect(models[0]?.requests[1]?.messages).toMatchObject([
      { role: 'user', text: 'go' },
      { role: 'assistant', text: 'One, two, three, ' },
      { role: 'user', from: 'runtime', text: expect.stringContaining('broke off') },
    ]);
    expect(shown).toEqual(['One, two, three, four.']);
    // What came before the break was paid for, too.
    const [broken] = ofType(result.events, 'model.interrupted');
    const [whole] = ofType(result.events, 'model.answered');
    expect(broken?.usage?.output).toBeGreaterThan(0);
    expect(result.totals.outputTokens).toBe((broken?.usage?.output ?? 0) + (whole?.usage.output ?? 0));
  });

  test('as often as it breaks, and by the next model of the list', async () => {
    const { result, models } = await run([
      [breaksAfter('a'), breaksAfter('b'), breaksAfter('')],
      [breaksAfter('c'), 'd'],
    ]);
    expect(result.output).toBe('abcd');
    expect(models[1]?.requests[1]?.messages[1]).toEqual({ role: 'assistant', text: 'abc' });
  });

  test('the words before calls are kept with the calls, and the parts are said once', async () => {
    const { result, models } = await run([
      [
        breaksAfter('Let me '),
        { text: 'see.', ...calls({ name: 'echo', input: { text: 'x' } }) },
        'It is x.',
      ],
    ]);
    expect(result.output).toBe('It is x.');
    expect(models[0]?.requests[2]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', text: 'Let me see.', calls: [{ name: 'echo' }] },
      { role: 'tool', text: 'x' },
    ]);
  });

  test('for good: the error holds what there was, as incomplete', async () => {
    const { result } = await run([[breaksAfter('One, '), breaksAfter('two, '), breaksAfter()]]);
    expect(result).toMatchObject({
      status: 'failed',
      output: undefined,
      error: { code: 'model.network', details: { incomplete: 'One, two, ' } },
    });
  });

  test('without a word there is nothing to go on from: the same question again', async () => {
    const { result, models } = await run([[breaksAfter(), 'all of it']]);
    expect(result.output).toBe('all of it');
    expect(models[0]?.requests[1]?.messages).toEqual(models[0]?.requests[0]?.messages);
  });

  test('where nobody says so it is thrown away, and the same is asked again', async () => {
    const { result, models } = await run([[breaksAfter('One, '), 'Uno.']], {});
    expect(result.output).toBe('Uno.');
    expect(ofType(result.events, 'model.discarded')).toMatchObject([{ characters: 5 }]);
    expect(models[0]?.requests[1]?.messages).toEqual(models[0]?.requests[0]?.messages);
  });
});

test('another way than those two is an error of the definition', () => {
  const retry = { onBreak: 'contnue' } as unknown as ModelRetry;
  expect(() => agent({ name: 'a', failures: { retry } })).toThrow(
    /not one of restart, continue: found 'contnue'/,
  );
});
