import { describe, expect, test } from 'vitest';
import type { Acted, Decided } from '../../src/machines/agent/agent-context.ts';
import { again, failure, refusing, resulting, saying, success, trouble } from './agent-walks.ts';
import type { ModelStep, ToolStep } from './call-walks.ts';
import { abortCall, breakCall, modelWalk, toolWalk } from './call-walks.ts';

const pause = { pause: () => undefined };
const asks = (outputs: ReturnType<typeof modelWalk>['outputs']) =>
  outputs.flatMap((each) => (each.type === 'ask' ? [each.ask] : []));
const told = (outputs: ReturnType<typeof modelWalk>['outputs']) =>
  outputs.flatMap((each) => (each.type === 'emit' ? [each.body] : []));

const model = (output: Decided = saying('42')): ModelStep => ({ model: () => output });
const hopeless = trouble({ waitMs: null });

describe('[M37] a troubled model call', () => {
  test('waits, tries again, and answers', () => {
    const { path, output } = modelWalk([pause, model()]);
    expect(path).toEqual(['waitingToRetry', 'asking', 'answered']);
    expect(output).toMatchObject({ ok: true, output: { decision: { answer: '42' } }, retries: 1 });
  });

  test('[law 9] waits until an absolute time, counted from the moment of the trouble', () => {
    const { outputs } = modelWalk([pause, { model: () => trouble({ waitMs: 250 }) }], { waitMs: 100 });
    const pauses = asks(outputs).flatMap((ask) => (ask.port === 'pause' ? [ask.input.dueAt] : []));
    expect(pauses).toEqual([1_100, 1_350]);
  });

  test('tells each retry: attempt, wait and error', () => {
    const { outputs } = modelWalk([pause, model(trouble({ waitMs: 250 }))], { waitMs: 100 });
    expect(told(outputs)).toMatchObject([
      { type: 'model.retrying', attempt: 2, waitMs: 100, error: { code: 'model.unavailable' } },
      { type: 'model.retrying', attempt: 3, waitMs: 250 },
    ]);
  });

  test('falls back along the list, each model with its attempts anew, and gives up past the last', () => {
    const { path, output, outputs } = modelWalk([model(hopeless), model(hopeless)], { waitMs: null }, 3);
    expect(path).toEqual(['fallingBack', 'asking', 'fallingBack', 'asking', 'failed']);
    expect(asks(outputs)).toMatchObject([
      { index: 1, attempt: 1, input: { model: 1, waitedMs: 0 } },
      { index: 2, attempt: 1, input: { model: 2, waitedMs: 0 } },
    ]);
    expect(output).toMatchObject({ ok: false, error: { code: 'model.unavailable' }, retries: 2 });
  });

  test('[DODO-07, D19] counts the retries of all models, and the tokens used in vain', () => {
    const usage = { input: 10, output: 1, cached: 2 };
    const vain = trouble({ usage });
    const steps = [
      pause,
      model(vain),
      pause,
      model({ ...hopeless, usage }),
      model({ ...saying('42'), usage }),
    ];
    const { output } = modelWalk(steps, {}, 2);
    expect(output).toMatchObject({
      retries: 3,
      output: { retries: 3, usage: { input: 30, output: 3, cached: 6 } },
    });
  });

  test('what was not counted is not made up', () => {
    const { output } = modelWalk([pause, model()]);
    expect(output?.ok === true && 'usage' in output.output).toBe(false);
  });

  test('tells the next attempt what went on: waits, a maybe that was tried, a word to the model', () => {
    const { outputs } = modelWalk(
      [
        pause,
        model(
          trouble({
            waitMs: 20,
            nudge: 'Say something.',
            error: { code: 'model.empty', message: 'empty', retryable: 'maybe' },
          }),
        ),
        pause,
      ],
      { waitMs: 10 },
    );
    const inputs = asks(outputs).flatMap((ask) => (ask.port === 'model' ? [ask.input] : []));
    expect(inputs).toMatchObject([
      { waitedMs: 10, hasTriedMaybe: false, nudge: null },
      { waitedMs: 30, hasTriedMaybe: true, nudge: 'Say something.' },
    ]);
  });

  test('falling back, attempts and waits begin anew', () => {
    const { outputs } = modelWalk([pause, model(hopeless), model(trouble({ waitMs: 7 })), pause], {}, 2);
    expect(asks(outputs).slice(2)).toMatchObject([
      { index: 1, attempt: 1, input: { waitedMs: 0 } },
      { index: 1, attempt: 2, port: 'pause' },
      { index: 1, attempt: 2, input: { waitedMs: 7 } },
    ]);
  });

  test('a maybe stays tried, whatever goes wrong next, until another model takes over', () => {
    const maybe = { error: { code: 'model.empty', message: 'empty', retryable: 'maybe' } } as const;
    expect(modelWalk([pause, model(trouble())], maybe).context.hasTriedMaybe).toBe(true);
    expect(modelWalk([pause, model(hopeless)], maybe, 2).context.hasTriedMaybe).toBe(false);
  });

  test('a maybe of the first attempt has been tried', () => {
    const { context } = modelWalk([], {
      error: { code: 'model.empty', message: 'empty', retryable: 'maybe' },
    });
    expect(context.hasTriedMaybe).toBe(true);
  });

  test('a refusal is an end of its own, a turn to do again an answer', () => {
    expect(modelWalk([pause, model(refusing)]).value).toBe('refused');
    expect(modelWalk([pause, model(again())]).output).toMatchObject({ ok: true, output: { kind: 'again' } });
  });

  test.each<{ from: string; steps: readonly ModelStep[] }>([
    { from: 'waitingToRetry', steps: [] },
    { from: 'asking', steps: [pause] },
  ])('can be called off, or break, from $from; nothing stays asked', ({ from, steps }) => {
    expect(modelWalk(steps).value).toBe(from);
    const off = modelWalk([...steps, abortCall]);
    expect([off.value, off.asks]).toEqual(['cancelled', []]);
    const broken = modelWalk([...steps, breakCall]);
    expect([broken.value, broken.asks]).toEqual(['failed', []]);
    expect(broken.output).toMatchObject({ ok: false, error: { code: 'internal' } });
  });

  test('[law 4] asks for nothing twice, and its context is plain JSON all along', () => {
    const { outputs, positions } = modelWalk(
      [pause, model(trouble()), pause, model(hopeless), model(trouble()), pause, model()],
      {},
      2,
    );
    const keys = asks(outputs).map(({ key }) => key);
    expect(keys).toHaveLength(7);
    expect(new Set(keys).size).toBe(7);
    for (const { context } of positions) expect(JSON.parse(JSON.stringify(context))).toEqual(context);
  });
});

const tool = (output: Acted = resulting()): ToolStep => ({ tool: () => output });
const asking = { needsApproval: true, waitMs: null };
const yes: ToolStep = { approve: () => ({ isApproved: true }) };
const no: ToolStep = { approve: () => ({ isApproved: false, reason: 'too dear' }) };

describe('[M23, M37] a troubled tool call', () => {
  test('waits for a yes, and tells the tool that there was one', () => {
    const { path, outputs, output } = toolWalk([yes, tool()], asking);
    expect(path).toEqual(['awaitingApproval', 'running', 'succeeded']);
    expect(asks(outputs)).toMatchObject([
      { port: 'approve', input: { isApproved: false } },
      { port: 'tool', input: { isApproved: true } },
    ]);
    expect(output).toMatchObject({ ok: true, output: { kind: 'result', result: { ok: true } } });
  });

  test('a no is a result that the model can read', () => {
    expect(toolWalk([no], asking).output).toMatchObject({
      output: {
        result: {
          ok: false,
          kind: 'denied',
          callId: 'call_0',
          text: "Cannot run 'look' as a person denied it: too dear",
          error: { code: 'tool.denied' },
        },
      },
    });
  });

  test('is asked about once: the attempts after a yes need no other', () => {
    const { path } = toolWalk([yes, tool(trouble({ needsApproval: true })), pause, tool()], asking);
    expect(path).toEqual(['awaitingApproval', 'running', 'waitingToRetry', 'running', 'succeeded']);
  });

  test('waits and tries again, with a key of its own for each attempt', () => {
    const { outputs, output } = toolWalk([pause, tool(trouble({ waitMs: 200 })), pause, tool()]);
    const keys = asks(outputs).map(({ key }) => key);
    expect(new Set(keys).size).toBe(4);
    expect(asks(outputs).map(({ attempt }) => attempt)).toEqual([2, 2, 3, 3]);
    expect(told(outputs)).toMatchObject([
      { type: 'tool.retrying', attempt: 2, waitMs: 100 },
      { type: 'tool.retrying', attempt: 3, waitMs: 200 },
    ]);
    expect(output?.retries).toBe(2);
  });

  test('gives up with what went wrong, as a result', () => {
    expect(toolWalk([pause, tool(hopeless)]).output).toMatchObject({
      output: { result: { ok: false, kind: 'execution', attempts: 2, error: { code: 'model.unavailable' } } },
    });
  });

  test.each([
    { result: success(), end: 'succeeded' },
    { result: failure(), end: 'failed' },
    { result: failure('timeout'), end: 'timedOut' },
    { result: failure('cancelled'), end: 'cancelled' },
    { result: failure('system', 'tool.ambiguous'), end: 'ambiguous' },
    { result: failure('validation'), end: 'failed' },
  ])('ends $end as its result says', ({ result, end }) => {
    const { value, output } = toolWalk([pause, tool(resulting(result))]);
    expect(value).toBe(end);
    expect(output?.output).toEqual(resulting(result));
  });

  test.each<{ from: string; steps: readonly ToolStep[]; changes: object }>([
    { from: 'asked', steps: [], changes: asking },
    { from: 'waitingToRetry', steps: [], changes: {} },
    { from: 'running', steps: [pause], changes: {} },
  ])('can be called off, or break, from $from; the model still gets a result', ({ from, steps, changes }) => {
    expect(toolWalk(steps, changes).value).toBe(from);
    const off = toolWalk([...steps, abortCall], changes);
    expect([off.value, off.asks]).toEqual(['cancelled', []]);
    expect(off.output).toMatchObject({
      output: { result: { ok: false, kind: 'cancelled', callId: 'call_0' } },
    });
    const broken = toolWalk([...steps, breakCall], changes);
    expect([broken.value, broken.asks]).toEqual(['failed', []]);
    expect(broken.output).toMatchObject({
      output: { result: { ok: false, kind: 'system', error: { code: 'internal' } } },
    });
  });

  test('[law 2] its context is plain JSON all along', () => {
    for (const { context } of toolWalk([yes, tool(trouble()), pause, tool()], asking).positions)
      expect(JSON.parse(JSON.stringify(context))).toEqual(context);
  });
});
