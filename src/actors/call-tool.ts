import type { Effect } from '../contracts/effect.ts';
import type { Tool, ToolContext, ToolResult } from '../contracts/tool.ts';
import type { Acted } from '../machines/agent-context.ts';
import type { ToolAsk } from '../machines/asks.ts';
import { decideToolRetry } from '../models/retry-policy.ts';
import { performCall } from '../tools/perform-call.ts';
import type { Desk } from './desk.ts';
import { isPromise } from './promises.ts';

/** One attempt of a tool call: a result, or trouble that a call machine takes over. Never rejects. */
export const callTool = (effect: Effect, ask: ToolAsk, desk: Desk): Acted | Promise<Acted> => {
  const { call } = ask;
  const { attempt } = effect;
  if (attempt === 1 && !ask.isApproved)
    desk.emit({ type: 'tool.requested', callId: call.id, tool: call.name, input: call.input });
  const tool = desk.tools.find(call.name);
  if (tool === undefined) return { kind: 'result', result: refused(effect, ask, desk) };
  if (!ask.isApproved && call.problem === undefined && tool.needsApproval(call.input))
    return { kind: 'trouble', index: effect.index, attempt: attempt - 1, waitMs: 0, needsApproval: true };
  if (tool.deprecated !== undefined)
    desk.emit({
      type: 'tool.deprecated',
      tool: tool.name,
      reason: tool.deprecated,
      ...(tool.replacedBy === undefined ? {} : { replacedBy: tool.replacedBy }),
    });
  desk.emit({
    type: 'tool.started',
    callId: call.id,
    tool: call.name,
    input: call.input,
    description: tool.describe(call.input),
    attempt,
  });
  const result = performCall(tool, call, new CallContext(effect, ask, desk), desk);
  return isPromise(result)
    ? result.then((settled) => judged(settled, tool, effect, desk))
    : judged(result, tool, effect, desk);
};

/** A failure that may pass is not yet a result. */
const judged = (result: ToolResult, tool: Tool, effect: Effect, desk: Desk): Acted => {
  if (!result.ok && result.kind !== 'validation' && result.error.retryable !== 'no') {
    const progress = { attempt: effect.attempt, waitedMs: 0, random: desk.random() };
    const retry = decideToolRetry(result.error, progress, tool.retry);
    if (retry.retry)
      return {
        kind: 'trouble',
        index: effect.index,
        attempt: effect.attempt,
        waitMs: retry.waitMs,
        error: result.error,
      };
  }
  finished(result, desk);
  return { kind: 'result', result };
};

const finished = (result: ToolResult, desk: Desk): void => {
  if (result.artifacts !== undefined) desk.keep(result.artifacts);
  desk.emit({
    type: 'tool.finished',
    callId: result.callId,
    tool: result.tool,
    ok: result.ok,
    text: result.text,
    durationMs: result.durationMs,
    ...(result.ok ? {} : { error: result.error }),
    ...(result.artifacts === undefined ? {} : { artifacts: result.artifacts.map(({ name }) => name) }),
  });
};

/** Nothing can start here; what observers see is marked as the runtime's own. */
const refused = (effect: Effect, { call }: ToolAsk, desk: Desk): ToolResult => {
  const result = desk.tools.refuse(call, effect.attempt);
  desk.emit({
    type: 'tool.started',
    callId: call.id,
    tool: result.tool,
    input: call.input,
    description: `Looking for ${result.tool}`,
    attempt: effect.attempt,
    synthesised: true,
  });
  finished(result, desk);
  return result;
};

/** What a tool may use, read off the effect when it is read. */
class CallContext implements ToolContext {
  readonly #effect: Effect;
  readonly #ask: ToolAsk;
  readonly #desk: Desk;

  constructor(effect: Effect, ask: ToolAsk, desk: Desk) {
    this.#effect = effect;
    this.#ask = ask;
    this.#desk = desk;
  }

  get callId() {
    return this.#ask.call.id;
  }
  /** Without the attempt: every attempt of this very call has the same key. */
  get key() {
    const { runId, path, step } = this.#effect;
    return `${runId}/${path}#${step}.${this.#ask.call.id}`;
  }
  get runId() {
    return this.#effect.runId;
  }
  get path() {
    return this.#ask.context.run.path;
  }
  get agent() {
    return this.#effect.agent;
  }
  get step() {
    return this.#effect.step;
  }
  get attempt() {
    return this.#effect.attempt;
  }
  get state() {
    return this.#ask.context.state;
  }
  get signal() {
    return this.#desk.abort.signal;
  }
  now() {
    return this.#desk.clock.now();
  }
  progress(text: string) {
    const { id, name } = this.#ask.call;
    this.#desk.emit({ type: 'tool.progressed', callId: id, tool: name, text });
  }
  ask(question: string) {
    return this.#desk.ask(question);
  }
  run: ToolContext['run'] = (agent, input) => this.#desk.run(agent, input);
}
