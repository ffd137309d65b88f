import { expect, test } from 'vitest';
import type { Decision } from '../../src/contracts/agents/decision.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { createRequestEngine } from '../../src/runtime/engines/request-engine.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';

const OPTIONS =
  'name, description, instructions, model, settings, input, output, strategy, tools, environment, memory, conversation, state, observe, decide, reduce, critics, stop, limits, failures, mailbox, hooks';

test('an agent has at most 22 options', () => {
  expect(OPTIONS.split(', ').length).toBeLessThanOrEqual(22);
});

test.each<[object, string]>([
  [{ modle: 'openai:gpt-5' }, 'its option `modle` is unknown: did you mean `model`?'],
  [{ instruction: 'Be brief.' }, 'its option `instruction` is unknown: did you mean `instructions`?'],
  [{ colour: 'red' }, `its option \`colour\` is unknown: there are ${OPTIONS}`],
  // What belongs into a group is found there.
  [{ retry: { attempts: 1 } }, 'its option `retry` is unknown: did you mean `failures.retry`?'],
  [{ budget: { usd: 1 } }, 'its option `budget` is unknown: did you mean `limits.budget`?'],
  [{ compaction: false }, 'its option `compaction` is unknown: did you mean `conversation.compaction`?'],
  [{ shouldStop: () => true }, 'its option `shouldStop` is unknown: did you mean `stop.shouldStop`?'],
  [{ recall: { k: 3 } }, 'its option `recall` is unknown: did you mean `memory.recall`?'],
  [{ limits: { budgit: {} } }, 'its option `limits.budgit` is unknown: did you mean `budget`?'],
  [
    { limits: { budget: { dollars: 1 } } },
    'its option `limits.budget.dollars` is unknown: there are steps, timeMs, tokens, usd, toolCalls, warnAt, unpriced',
  ],
  [{ stop: { rule: maxSteps(5) } }, 'its option `stop.rule` is unknown: did you mean `rules`?'],
  [
    { settings: { temprature: 0 } },
    'its option `settings.temprature` is unknown: did you mean `temperature`?',
  ],
])('an option that there is not is refused, with the nearest name: %j', (options, problem) => {
  expect(() => Reflect.apply(agent, undefined, [{ name: 'x', ...options }])).toThrow(
    expect.objectContaining({
      code: 'agent.invalid',
      message: `Cannot define the agent 'x' as ${problem}`,
    }),
  );
});

test.each<[object, string]>([
  [{ instructions: 7 }, 'its instructions is not a string: found 7'],
  [{ decide: 'now' }, "its decide is not a function: found 'now'"],
  [{ stop: 5 }, 'its stop is not a stop rule: found 5, write one such as maxSteps(5)'],
  [{ stop: [maxSteps(5), 7] }, 'its stop[1] is not a stop rule: found 7, write one such as maxSteps(5)'],
  [
    { stop: { ends: 'DONE' } },
    "its stop.ends is not a policy of ending: found 'DONE', write one such as byTool()",
  ],
  [{ memory: 'notes' }, "its memory is not a memory: found 'notes', write one of troupe/memory"],
  [
    { memory: { sources: windowMemory(), recall: { k: -1 } } },
    'its memory.recall.k is not a whole number from 0: found -1',
  ],
  [
    { conversation: { compaction: 'brutal' } },
    "its conversation.compaction is not one of conservative, balanced, aggressive: found 'brutal'",
  ],
  [{ conversation: { compaction: true } }, 'its conversation.compaction is not an object: found true'],
  [
    { failures: { retry: { onBreak: 'cry' } } },
    "its failures.retry.onBreak is not one of restart, continue: found 'cry'",
  ],
  [
    { settings: { reasoning: 'deep' } },
    "its settings.reasoning is not one of none, minimal, low, medium, high: found 'deep'",
  ],
  [
    { model: [] },
    "its model is a list without a model: found [], write 'provider:model', or leave `model` out for the default model",
  ],
  [{ hooks: [{ name: 'ear' }] }, 'its hooks[0].handle is not a function: found nothing'],
  [
    { tools: 'all', decide: 1 },
    "its tools is not a list: found 'all', write `tools: [ … ]`; and as its decide is not a function: found 1",
  ],
])('a value that does not fit is refused, with what was found: %j', (options, problem) => {
  expect(() => Reflect.apply(agent, undefined, [{ name: 'x', ...options }])).toThrow(
    expect.objectContaining({ code: 'agent.invalid', message: `Cannot define the agent 'x' as ${problem}` }),
  );
});

const clerk = agent({ name: 'clerk', decide: () => answer('done') });

test.each<[object, string]>([
  [{ modle: 'openai:gpt-5' }, 'its option `modle` is unknown: did you mean `model`?'],
  [{ runid: 'one' }, 'its option `runid` is unknown: did you mean `runId`?'],
  [{ thred: 'ada' }, 'its option `thred` is unknown: did you mean `thread`?'],
  [{ runId: 7 }, 'its runId is not a non-empty string: found 7'],
  [{ paused: 'yes' }, "its paused is not a boolean: found 'yes'"],
  [
    { hooks: { handle: () => undefined } },
    'its hooks is not a list: found {"handle":"[function handle]"}, write `hooks: [ … ]`',
  ],
  [{ safety: 'strict' }, "its safety is not a function: found 'strict'"],
  [{ signal: true }, 'its signal is not an AbortSignal: found true'],
])(
  'a run refuses an option that there is not, and a value that does not fit: %j',
  async (options, problem) => {
    const refused = { code: 'input.invalid', message: `Cannot run 'clerk' as ${problem}` };
    await expect(clerk.run('go', options)).rejects.toMatchObject(refused);
    expect(() => clerk.stream('go', options)).toThrow(expect.objectContaining(refused));
  },
);

test.each([
  [undefined, 'nothing'],
  [null, 'nothing'],
  [17, 'number'],
  [[], 'a list'],
])('a run with %s for its words is refused, and says what was found', async (input, found) => {
  const refused = agent({ name: 'a', decide: () => answer('x') }).run(input as never);
  await expect(refused).rejects.toThrow(`expected a string, found ${found}`);
});

test.each<[unknown, string]>([
  [undefined, 'its secrets.PIN is not a string: found nothing'],
  [123456, 'its secrets.PIN is not a string: found a value of type number'],
  [{ a: 'hush-hush' }, 'its secrets.PIN is not a string: found a value of type object'],
  [() => 'hush-hush', 'its secrets.PIN is not a string: found a value of type function'],
])(
  'a secret that is not a string is refused before anything runs, and not shown: %j',
  async (given, problem) => {
    const a = agent({ name: 'a', decide: () => answer('x') });
    const store = memoryStore();
    await a.run('go', { store, runId: 'r1' });
    const secrets: Record<string, string> = Reflect.apply(Object.fromEntries, Object, [[['PIN', given]]]);
    const engine = createGlobalEngine();
    const request = createRequestEngine(engine, {});
    const refusal = expect.objectContaining({
      code: 'input.invalid',
      message: expect.stringContaining(problem) as string,
    }) as Error;
    await expect(a.run('go', { secrets })).rejects.toThrow(refusal);
    expect(() => a.stream('go', { secrets })).toThrow(refusal);
    expect(() => resume(a, 'r1', { store, secrets })).toThrow(problem);
    await expect(replay(a, 'r1', { store, secrets })).rejects.toThrow(problem);
    expect(() => a.logicWith({ secrets })).toThrow(problem);
    await expect(engine.execute(a, 'go', { secrets })).rejects.toThrow(refusal);
    expect(() => engine.stream(a, 'go', { secrets })).toThrow(refusal);
    await expect(request.execute(a, 'go', { secrets })).rejects.toThrow(refusal);
  },
);

const circular: Record<string, unknown> = {};
circular['self'] = circular;

test.each<[unknown, RegExp]>([
  [5, /^Cannot run 'a' as its history is not a list of turns: found 5, write \[\{ role: 'user'/],
  [{}, /its history is not a list of turns: found \{\}/],
  ['x', /its history is not a list of turns: found 'x'/],
  [[circular], /turn 1 of its history has an unknown role/],
  [
    [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls: [{ id: 'c', name: 'n', input: circular }] },
    ],
    /turn 2 of its history is not plain JSON: .*calls\[0\]\.input/,
  ],
])('a history that is none is refused, and says what was found: case %#', async (history, problem) => {
  const a = agent({ name: 'a', decide: () => answer('x') });
  const refusal = expect.objectContaining({
    code: 'input.invalid',
    message: expect.stringMatching(problem) as string,
  }) as Error;
  const options: RunOptions = Object.fromEntries([['history', history]]);
  await expect(a.run('go', options)).rejects.toThrow(refusal);
  await expect(a.run('go', { ...options, store: memoryStore() })).rejects.toThrow(refusal);
});

test.each<[unknown, string]>([
  ['hello', "found 'hello', write answer('hello') for the answer"],
  [null, 'found null, write answer(null) for the answer'],
  [42, 'found 42, write answer(42) for the answer'],
])('a decision that is a plain value is refused, with what to write: %j', async (given, problem) => {
  const decide = (): Decision => Reflect.apply(() => given, undefined, []) as Decision;
  await expect(agent({ name: 'a', decide }).run('go')).rejects.toThrow(
    expect.objectContaining({
      code: 'decision.invalid',
      message: expect.stringContaining(problem) as string,
    }) as Error,
  );
});

test.each<[string, unknown, string]>([
  [
    'an answer',
    answer({ at: new Date(0) } as never),
    'answer.at is a Date, which is not kept as it is: write its text',
  ],
  [
    'an argument',
    act({ name: 'look', input: { ids: new Set([1]) } as never }),
    'calls[0].input.ids is a Set, which is not kept as it is: write a list of its items',
  ],
])(
  '%s of `decide` that is not plain JSON is named with its place, and what to write',
  async (_, decision, problem) => {
    const deciding = agent({ name: 'clerk', decide: () => decision as never });
    await expect(deciding.run('go')).rejects.toMatchObject({
      code: 'decision.invalid',
      message: `Cannot use what 'clerk' decided as it is no decision: ${problem}`,
    });
  },
);
