import type { Clock } from '../../src/base/clock.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { Tool, ToolContext } from '../../src/contracts/tools/tool.ts';
import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';
import type { ToolResult } from '../../src/contracts/tools/tool-result.ts';
import { LazyAbort } from '../../src/base/promises/lazy-abort.ts';
import { performCall } from '../../src/tools/calls/perform-call.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

/** What a tool gets from a run that does not exist. */
export const toolContext = (
  abort = new LazyAbort(),
  clock: Clock = virtualClock(),
  changes: Partial<ToolContext> = {},
): ToolContext => ({
  tool: 'tool',
  conversation: [],
  delegations: [],
  callId: 'call_0_0',
  key: 'run-1/agent#0.ACT.0.1',
  runId: 'run-1',
  path: 'agent',
  agent: 'agent',
  step: 0,
  attempt: 1,
  state: {},
  now: () => clock.now(),
  progress: () => undefined,
  emit: () => undefined,
  checkpoint: () => Promise.resolve(),
  ask: () => Promise.reject(new Error('nobody is there')),
  messages: {
    names: [],
    saidWith: () => [],
    tell: () => Promise.reject(new Error('nobody is there')),
    ask: () => Promise.reject(new Error('nobody is there')),
    reply: () => Promise.reject(new Error('nobody asked')),
    broadcast: () => Promise.resolve([]),
    publish: () => Promise.resolve([]),
    subscribe: () => undefined,
  },
  bytesOf: () => Promise.reject(new Error('there are no bytes')),
  run: () => Promise.reject(new Error('there is no run')),
  ...changes,
  get signal() {
    return abort.signal;
  },
});

export const callOf = (name: string, input: Json, problem?: string): ToolCall => ({
  id: 'call_0_0',
  name,
  input,
  ...(problem === undefined ? {} : { problem }),
});

/** One attempt with everything a test does not care about made up. */
export const perform = (
  tool: Tool,
  input: Json,
  options: Partial<ToolContext> & { readonly abort?: LazyAbort; readonly clock?: Clock } = {},
): ToolResult | Promise<ToolResult> => {
  const { abort = new LazyAbort(), clock = virtualClock(), ...changes } = options;
  return performCall(tool, callOf(tool.name, input), toolContext(abort, clock, changes), { clock, abort });
};

/** The result of a tool that must have answered at once. */
export const performNow = (tool: Tool, input: Json): ToolResult => {
  const result = perform(tool, input);
  if (result instanceof Promise) throw new Error('the tool did not answer at once');
  return result;
};
