import { expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { inspect } from '../../src/inspect/local/inspect.ts';
import { sseResponse } from '../../src/runtime/serve/streams/sse.ts';
import { recorder } from '../../src/inspect/recording/recorder.ts';
import { openTelemetry } from '../../src/inspect/telemetry/spans/open-telemetry.ts';
import { formatTrace } from '../../src/inspect/traces/formats/format-trace.ts';
import { traceOf } from '../../src/inspect/traces/trace.ts';
import { traceFiles } from '../../src/inspect/traces/trace-files.ts';
import { serveMcp } from '../../src/mcp/serve-mcp.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { asLanguageModel } from '../../src/runtime/ai-sdk/as-language-model.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { evaluate } from '../../src/testing/evaluators/evaluate.ts';
import { evaluators } from '../../src/testing/evaluators/evaluators.ts';
import { workflow } from '../../src/runtime/workflows/workflow.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { fanOut } from '../../src/tools/built-in/delegation/fan-out.ts';
import { publicHttp } from '../../src/tools/built-in/http/http-environment.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';

const clerk = agent({ name: 'clerk', decide: () => answer('done') });

/** A function as JavaScript sees it: with any arguments. */
const call =
  (called: unknown) =>
  (...given: readonly unknown[]): (() => unknown) =>
  () =>
    Reflect.apply(called as () => unknown, undefined, given);

const refusalOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (thrown) {
    return isTroupeError(thrown)
      ? `${thrown.code}: ${thrown.message}`
      : `not one of troupe: ${String(thrown)}`;
  }
  return 'accepted';
};

/** Calls a method of the handle of a run, with any arguments. */
const onHandle =
  (method: 'send' | 'use' | 'abort' | 'addTools', ...given: readonly unknown[]): (() => unknown) =>
  () => {
    const handle = clerk.stream('x');
    const called: unknown = Reflect.get(handle, method);
    return Reflect.apply(called as () => unknown, handle, given);
  };

test.each<[string, () => unknown, string]>([
  ['publicHttp, a typo', call(publicHttp)({ truested: ['a:1'] }), 'did you mean `trusted`?'],
  ['publicHttp, a number', call(publicHttp)(5), 'input.invalid'],
  ['publicHttp, one host', call(publicHttp)({ trusted: 'a:1' }), "write ['intranet.example:8080']"],
  ['inspect, a typo', call(inspect)({ controll: true }), 'did you mean `control`?'],
  ['inspect, a port', call(inspect)({ port: -1 }), 'inspector.failed'],
  ['recorder, a number', call(recorder)(5), 'input.invalid'],
  ['toolset, a typo', call(toolset)({ name: 's', tools: [], defered: true }), 'did you mean `deferred`?'],
  [
    'toolset, its set-up',
    call(toolset)({ name: 's', tools: [], setup: 5 }),
    '`setup`|its setup is not a function',
  ],
  [
    'toolset, a tool',
    call(toolset)({ name: 's', tools: [5] }),
    'its tools[0] is not a tool: found 5, write tool({',
  ],
  ['toolset, nothing', call(toolset)(), 'tool.invalid'],
  ['delegate, a mode', call(delegate)({ to: [clerk], mode: 'bg' }), 'not one of wait, background'],
  [
    'delegate, a typo',
    call(delegate)({ to: [clerk], timeout: 3 }),
    '`timeout` is unknown: did you mean `timeoutMs`?',
  ],
  ['delegate, no agent', call(delegate)({ to: [5] }), 'its to[0] is not an agent'],
  ['delegate, one agent', call(delegate)({ to: clerk }), 'write `to: [ … ]`'],
  ['delegate, nothing', call(delegate)({}), 'agent.invalid'],
  ['fanOut, nothing', call(fanOut)({}), 'agent.invalid'],
  ['memory', call(agent)({ name: 'a', model: scriptedModel([]), memory: {} }), 'not a memory'],
  ['openTelemetry', call(openTelemetry)({ spans: 'ful' }), 'not one of names, full, off'],
  ['hook, nothing', call(hook)({}), 'its handle is not a function'],
  ['hook, a type', call(hook)({ name: 'h', on: 'tool.startd', handle: () => {} }), "write 'tool.started'"],
  [
    'person',
    call((input: string, options: object) => clerk.run(input, options))('x', {
      person: { aprove: () => true },
    }),
    'not a person',
  ],
  ['clock, back', call((ms: number) => virtualClock().advance(ms))(-1), 'input.invalid'],
  ['clock, no number', call((ms: number) => virtualClock().advance(ms))(Number.NaN), 'input.invalid'],
  ['clock, a text', call((ms: number) => virtualClock().advance(ms))('5'), 'input.invalid'],
  ['evaluators, not a list', call(evaluators.all)({ name: 'e', evaluate: () => true }), 'not a list'],
  ['a trajectory, a typo', call(evaluators.trajectory)({ extra: false }), 'did you mean `extras`'],
  ['the use of tools, a typo', call(evaluators.toolUse)({ use: ['a'] }), 'did you mean `used`'],
  ['evaluators, no evaluator', call(evaluators.all)([5]), 'not an evaluator'],
  ['evaluate, nothing', call(evaluate)(), 'input.invalid'],
  ['openaiChat, no name', call(openaiChat)(''), 'input.invalid'],
  ['openaiChat, a number', call(openaiChat)(5), 'input.invalid'],
  ['openai, no name', call(openai)(''), 'input.invalid'],
  ['workflow, nothing', call(workflow)(undefined), 'team.invalid'],
  ['serveMcp, one agent', call(serveMcp)(clerk), 'write serveMcp([ … ])'],
  ['serveMcp, a typo', call(serveMcp)([clerk], { nme: 'x' }), 'did you mean `name`?'],
  ['asLanguageModel', call(asLanguageModel)(), 'agent.invalid'],
  ['traceFiles, nothing', call(traceFiles)(), 'input.invalid'],
  ['traceFiles, no path', call(traceFiles)({ folder: 5 }), "write `folder: './traces'`"],
  ['formatTrace, nothing', call(formatTrace)(5), 'input.invalid'],
  ['formatTrace, a typo', call(formatTrace)(traceOf([]), { as: 'htm' }), 'not one of html, mermaid'],
  ['formatTrace, of another format', call(formatTrace)(traceOf([]), { as: 'ndjson', limit: 5 }), 'limit'],
  ['sseResponse', call(sseResponse)(5), 'input.invalid'],
  ['send, no message', onHandle('send', { a: 1 }), 'content.invalid'],
  ['send, nothing', onHandle('send', undefined), 'content.invalid'],
  ['use', onHandle('use', 5), "write 'provider:model'"],
  ['abort', onHandle('abort', 'stop', { after: 'stepp' }), 'not one of step'],
])('%s: options that do not fit are refused with what to write', async (_, work, words) => {
  const refusal = await refusalOf(work);
  expect(
    words.split('|').some((each) => refusal.includes(each)),
    refusal,
  ).toBe(true);
  expect(refusal).toMatch(/^[a-z-]+\.[a-z-]+: Cannot /);
});

test('addTools resolves with the problem of what is not a tool', async () => {
  const problems: unknown = await onHandle('addTools', [5])();
  expect(problems).toMatchObject([{ code: 'tool.invalid' }]);
});
