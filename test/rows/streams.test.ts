import fc from 'fast-check';
import { scan } from 'rxjs';
import { expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { LiveEvent } from '../../src/contracts/events/event.ts';
import type { ModelCall } from '../../src/contracts/models/model.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { Progress } from '../../src/events/progress/progress.ts';
import { foldProgress, noProgress } from '../../src/events/progress/progress.ts';
import { working$ } from '../../src/events/progress/working.ts';
import { ofType as only, text$ } from '../../src/events/stream/select.ts';
import { byTool } from '../../src/machines/endings/endings.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import type { ScriptedModel, ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { deferred, echo, letTimePass, ofType, quiet, settled, start, typesOf } from '../support/runs.ts';

const looks = calls({ name: 'echo', input: { text: 'seen' } });
const down = () => new TroupeError('model.network', 'Cannot go on: SECRET', { retryable: 'yes' });

const says = (call: Pick<ModelCall, 'delta'>, ...pieces: readonly string[]): string => {
  for (const text of pieces) call.delta({ type: 'text', text });
  return pieces.join('');
};

/** Streams the pieces, and ends with something else, or as what they make. */
const speaks =
  (pieces: readonly string[], end?: ScriptedReply): ScriptedReply =>
  (_, call) => {
    const text = says(call, ...pieces);
    if (end instanceof Error) throw end;
    return { text, ...(typeof end === 'object' ? end : {}) };
  };

/** A scripted model that streams what its script streams, and nothing of its own accord. */
const speaker = (script: readonly ScriptedReply[]): ScriptedModel => {
  const model = scriptedModel(script);
  return {
    ...model,
    answer: (request, { key, signal, delta }) =>
      model.answer(request, { key, signal, delta, isWatched: false }),
  };
};

/** Every piece of text that went out, of one agent or of all. */
const piecesOf = (events: readonly LiveEvent[], path?: string): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'model.delta' && event.delta.type === 'text' && (path === undefined || event.path === path)
      ? [event.delta.text]
      : [],
  );

const watched = async <Output, State>(handle: RunHandle<Output, State>) => {
  const seen: LiveEvent[] = [];
  const channel: string[] = [];
  handle.events$.subscribe({
    next: (event) => seen.push(event),
    error: () => channel.push('error'),
    complete: () => channel.push('complete'),
  });
  return { result: await settled(handle), seen, channel };
};
const run = (script: readonly ScriptedReply[], options = {}) => {
  const one = agent({ name: 'a', tools: [echo, complete], model: speaker(script), ...options });
  return start(one, 'go');
};

test('[TENEX-15] the error is seen before the stream completes, and the stream completes all the same', async () => {
  const order: string[] = [];
  const handle = run([new Error('dead')]);
  handle.events$.subscribe({
    next: ({ type }) => order.push(type),
    error: () => order.push('error'),
    complete: () => order.push('complete'),
  });
  const { error } = await settled(handle);
  expect(error?.code).toBe('model.failed');
  expect(order.slice(-2)).toEqual(['run.ended', 'complete']);
  expect(order).not.toContain('error');
});

test('[TENEX-17] whatever the pieces are, together they are what was said', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 20 }),
      async (pieces) => {
        const { seen, result } = await watched(run([speaks([...pieces, '.'])]));
        expect(piecesOf(seen).join('')).toBe([...pieces, '.'].join(''));
        expect(ofType(result.events, 'model.answered')[0]?.text).toBe([...pieces, '.'].join(''));
      },
    ),
    { numRuns: 20 },
  );
});

test('[TENEX-18] what was said before a call is out before the tool starts, which says what it does', async () => {
  const { seen } = await watched(run([speaks(['Let me ', 'look.'], looks), 'done']));
  const types = typesOf(seen);
  const started = types.indexOf('tool.started');
  expect(types.slice(0, started).filter((type) => type === 'model.delta')).toHaveLength(2);
  expect(seen[started]).toMatchObject({
    tool: 'echo',
    attempt: 1,
    description: expect.stringMatching(/./),
  });
});

test('[TENEX-20] what streamed in is the answer of the run, in its result and in its last event', async () => {
  const { seen, result } = await watched(run([speaks(['The ', 'end.'])]));
  expect(result.output).toBe('The end.');
  expect(seen.at(-1)).toMatchObject({ type: 'run.ended', output: 'The end.' });
});

test('[TENEX-21] an error has an event of its own, and not a word of it is text', async () => {
  const { seen, result } = await watched(run([speaks(['So far, ', 'so good'], new Error('SECRET'))]));
  expect(piecesOf(seen)).toEqual(['So far, ', 'so good']);
  expect(ofType(result.events, 'model.failed')[0]?.error.message).toContain('SECRET');
  expect(result.events.at(-1)).toMatchObject({ type: 'run.ended', error: { code: 'model.failed' } });
});

test('[TENEX-22] what a model says after the call that ends its work is heard by nobody', async () => {
  const late = deferred<undefined>();
  const chatty: ScriptedReply = (_, call) => {
    void late.promise.then(() => says(call, 'and another thing'));
    return { text: says(call, 'I am done.'), ...calls({ name: 'complete', input: { answer: '42' } }) };
  };
  const closes = {
    name: 'closes',
    tools: [],
    teardown: async () => {
      late.resolve(undefined);
      await quiet();
    },
  };
  const { seen, result } = await watched(run([chatty], { tools: [complete, closes] }));
  expect(piecesOf(seen)).toEqual(['I am done.']);
  expect(result).toMatchObject({ output: '42', totals: { modelCalls: 1 } });
});

test.each<[string, readonly ScriptedReply[], object, object]>([
  ['answered', ['x'], {}, { status: 'completed', stopReason: { kind: 'answered' }, output: 'x' }],
  [
    'made of what was said',
    ['x', 'y'],
    { stop: { ends: byTool() } },
    { status: 'completed', stopReason: { kind: 'answered' }, output: 'y', autoCompleted: true },
  ],
  [
    'cut off by a limit',
    [looks],
    { stop: maxSteps(1) },
    { status: 'stopped', stopReason: { kind: 'maxSteps', limit: 1 } },
  ],
  [
    'broken',
    [new Error('dead')],
    {},
    { status: 'failed', stopReason: { kind: 'failed' }, error: { code: 'model.failed' } },
  ],
])('[TENEX-23] the last event says how it ended, as the result does: %s', async (_, script, options, end) => {
  const { result } = await watched(run(script, options));
  expect(result.events.at(-1)).toMatchObject({ type: 'run.ended', ...end });
  expect(result).toMatchObject(end);
});

test('[TENEX-24] a supervisor that talks while it plans is not heard by who listens to the team or a worker', async () => {
  const plan = '{"assignments": [{"worker": "ann", "task": "look"}]}';
  const desk = supervisorWorker({
    name: 'desk',
    supervisor: { model: speaker([speaks([plan])]) },
    workers: { ann: agent({ name: 'ann', model: speaker([speaks(['Found ', 'it.'])]) }) },
    result: 'replies',
  });
  const handle = start(desk, 'go');
  const ofTeam: string[] = [];
  const working: string[] = [];
  text$(handle.events$, 'desk').subscribe(({ text }) => ofTeam.push(text));
  working$(handle.events$).subscribe(({ path }) => working.push(path));
  const { seen } = await watched(handle);
  expect(piecesOf(seen, 'desk')).toEqual([]);
  expect(piecesOf(seen, 'desk/ann-2')).toEqual(['Found ', 'it.']);
  expect(ofTeam).toEqual([]);
  expect(working).not.toContain('desk');
});

test('[TENEX-27] [TENEX-30] where a run stands can be told in one object, in its middle and at its end', async () => {
  const held = deferred<string>();
  const handle = run([{ ...looks, usage: { input: 3, output: 2 } }, () => held.promise]);
  const states: Progress[] = [];
  handle.events$.pipe(scan(foldProgress, noProgress)).subscribe((progress) => states.push(progress));
  await quiet();
  const a = { path: 'a', phase: 'DECIDE', isWorking: true, tools: {}, activity: 'Thinking' };
  const soFar = { steps: 1, inputTokens: 3, outputTokens: 2 };
  expect(states.at(-1)).toMatchObject({ status: 'running', agents: { a }, totals: soFar });
  expect(states.map(({ agents }) => Object.keys(agents['a']?.tools ?? {}))).toContainEqual(['call_0_0']);
  held.resolve('there');
  const { totals } = await settled(handle);
  expect(states.at(-1)).toMatchObject({
    status: 'completed',
    agents: { a: { ...a, phase: 'completed', isWorking: false, activity: 'Answering' } },
    totals,
  });
});

test('[TENEX-28] an attempt begins with nothing of the one before it, and what it says is heard', async () => {
  const clock = virtualClock();
  const broken = speaks(['Half ', 'of '], down());
  const model = speaker([broken, speaks(['All of it.'])]);
  const handle = start(agent({ name: 'a', model }), 'go', { clock });
  const said: string[] = [];
  text$(handle.events$).subscribe(({ text }) => said.push(text));
  const { output, records } = await letTimePass(clock, settled(handle));
  expect(said).toEqual(['Half ', 'Half of ', '', 'All of it.', 'All of it.']);
  expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
  expect(output).toBe('All of it.');
  expect(records[0]?.results).toEqual([]);
});

test('[TENEX-33] the first word is there before the model has ended', async () => {
  const held = deferred<undefined>();
  const handle = run([
    async (_, call) => {
      says(call, 'Once ');
      await held.promise;
      return { text: `Once ${says(call, 'more.')}` };
    },
  ]);
  const seen: LiveEvent[] = [];
  handle.events$.subscribe((event) => seen.push(event));
  await quiet();
  expect(piecesOf(seen)).toEqual(['Once ']);
  expect(typesOf(seen)).not.toContain('model.answered');
  held.resolve(undefined);
  expect((await settled(handle)).output).toBe('Once more.');
});

test('[TENEX-60] a stream that fails is taken back, then nobody works, then the error is told, then the run rejects', async () => {
  const order: string[] = [];
  const handle = run([speaks(['Half'], new Error('dead'))]);
  text$(handle.events$).subscribe(({ text }) => order.push(text === '' ? 'taken back' : 'text'));
  handle.events$.pipe(only('phase.entered')).subscribe(({ phase }) => {
    if (phase === 'failed') order.push('at rest');
  });
  handle.events$.pipe(only('run.ended')).subscribe(({ error }) => order.push(error?.code ?? 'no error'));
  const working: boolean[] = [];
  working$(handle.events$).subscribe({
    next: ({ isWorking }) => working.push(isWorking),
    complete: () => order.push('closed'),
  });
  await handle.result.catch(() => order.push('rejected'));
  expect(order).toEqual(['text', 'taken back', 'at rest', 'model.failed', 'closed', 'rejected']);
  expect(working).toEqual([true, false]);
});
