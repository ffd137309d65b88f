import type { Effect } from '../../contracts/runs/effect.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { requireJson } from '../../base/json/odd-value.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { RequestOptions } from '../../contracts/people/request.ts';
import type { ToolContext } from '../../contracts/tools/tool.ts';
import type { ToolAsk } from '../../machines/asks.ts';
import { seenDelegations } from '../../machines/agent/delegations-state.ts';
import { textOf } from '../../tools/calls/tool-result.ts';
import type { Desk } from '../desk.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';

/** The context of a tool, read from the effect on access. */
export class CallContext implements ToolContext {
  readonly #effect: Effect;
  readonly #ask: ToolAsk;
  readonly #desk: Desk;
  #state: Json | undefined;
  #key: string | undefined;

  constructor(effect: Effect, ask: ToolAsk, desk: Desk) {
    this.#effect = effect;
    this.#ask = ask;
    this.#desk = desk;
  }

  get tool() {
    return this.#ask.call.name;
  }
  get conversation() {
    return new HistoryView(this.#ask.context.history).toArray();
  }
  get delegations() {
    return seenDelegations(this.#ask.context.review.delegations);
  }
  get callId() {
    return this.#ask.call.id;
  }
  /** Excludes the attempt and the actor that makes it, so that every attempt of this call has the same key. */
  get key() {
    return (this.#key ??= this.#desk.keyOf(this.#ask.call));
  }
  get callers() {
    return this.#desk.callers;
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
  /** A frozen copy, created on access: tools cannot change the machine's state. */
  get state() {
    return (this.#state ??= frozenJson(this.#ask.context.state));
  }
  get context() {
    return this.#desk.context;
  }
  get ops() {
    return this.#desk.environment?.ops;
  }
  get signal() {
    return this.#desk.abort.signal;
  }
  // Created on access, and bound, as tools destructure their context.
  get now() {
    const { clock } = this.#desk;
    return () => clock.now();
  }
  get progress() {
    const { id, name } = this.#ask.call;
    return (text: string) => {
      this.#desk.emit({ type: 'tool.progressed', callId: id, tool: name, text: plainText(text) });
    };
  }
  get emit() {
    return (name: string, data: Json) => {
      this.#desk.emit({ type: 'custom.emitted', name: plainText(name), data: toJson(data) });
    };
  }
  get resumedFrom() {
    return this.#desk.checkpoint;
  }
  get checkpoint() {
    return (value: Json, waitMs = 0) => this.#desk.commit(plainCheckpoint(value, this.tool), waitMs);
  }
  get ask() {
    return (question: string, options?: RequestOptions) => this.#desk.ask(plainText(question), options);
  }
  get messages() {
    return this.#desk.messages;
  }
  get bytesOf(): ToolContext['bytesOf'] {
    const { content } = this.#desk;
    return (part) => content.bytesOf(part);
  }
  get run(): ToolContext['run'] {
    return (agent, input, options) => this.#desk.run(agent, input, undefined, options);
  }
}

/** A checkpoint is recorded as it is. */
const plainCheckpoint = (value: unknown, tool: string): Json =>
  requireJson(
    value,
    'checkpoint',
    (problem) =>
      new TroupeError('tool.failed', `Cannot record the checkpoint of '${tool}' as ${problem}`, { tool }),
  );

/** A JavaScript tool may pass anything: it is converted to text, so that it can be logged. */
const plainText = (said: unknown): string => (typeof said === 'string' ? said : textOf(said));
