import type { Agent } from '../contracts/agent.ts';
import type { BudgetSpent } from '../contracts/budget.ts';
import type { AgentDefinition } from '../actors/agent-definition.ts';
import type { CallChange, CallWish, Desk } from '../actors/desk.ts';
import { systemPrompt } from '../actors/prompt-facts.ts';
import type { ChildOptions } from '../contracts/delegation.ts';
import type { EventBody } from '../contracts/event.ts';
import { TroupeError } from '../contracts/error.ts';
import type { MemoryRecord } from '../contracts/memory.ts';
import type { Messenger } from '../contracts/message.ts';
import type { Model, ModelAnswer, ModelDelta, ModelRequest, Usage } from '../contracts/model.ts';
import type { RunResult } from '../contracts/run.ts';
import type { ToolExecutor } from '../contracts/executor.ts';
import type { RawAnswer } from '../contracts/sent-request.ts';
import type { SafetyStrategy } from '../contracts/safety.ts';
import type { Artifact, ToolResult } from '../contracts/tool.ts';
import { keyInRun } from '../contracts/effect.ts';
import type { Ask } from '../machines/asks.ts';
import type { Approval } from '../machines/tool-call-context.ts';
import { toJson } from '../contracts/json.ts';
import type { LazyAbort } from '../contracts/lazy-abort.ts';
import type { CallCache } from '../tools/call-cache.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { hideBrokenOff, hideCalls, hideResult, hideSaid, waitsForWhole } from './hide-fields.ts';
import { conversationOf, memoryOf, remember } from './memory-of.ts';
import type { RunCounter } from './run-counter.ts';
import { callersOf, keyOfCall } from './callers.ts';
import { Slot } from './slot.ts';
import type { WantingEffect } from './want-person.ts';
import { approveCall, askPerson } from './want-person.ts';
import { taskOf } from './task-of.ts';
import type { Actor, EffectUnderWay } from './stage.ts';

/** The desk of one effect: what its actor may use, read off the run when it is read. */
export class EffectDesk implements Desk {
  readonly definition: AgentDefinition;
  readonly abort: LazyAbort;
  readonly #entry: Actor;
  readonly #principal: Actor;
  readonly #ask: Ask;
  readonly #effect: EffectUnderWay;
  /** How many questions it has asked a person. */
  #asked = 0;
  #messenger: Messenger | undefined;

  constructor(entry: Actor, definition: AgentDefinition, ask: Ask, effect: EffectUnderWay) {
    this.definition = definition;
    this.abort = effect.abort;
    this.#effect = effect;
    this.#entry = entry;
    this.#principal = entry.principal;
    this.#ask = ask;
  }

  get clock() {
    return this.#entry.run.clock;
  }
  get tools(): ToolRegistry {
    return this.#entry.run.toolsOf(this.#principal);
  }
  get environment() {
    return this.#entry.run.environmentOf(this.#principal);
  }
  get memory() {
    return memoryOf(this.#principal);
  }
  get conversation() {
    return conversationOf(this.#principal);
  }
  get models(): readonly Model[] {
    return this.#entry.run.modelsOf(this.#principal);
  }
  get systemPrompt(): string {
    const { agent, path, run, scope, systemPrompt: known } = this.#principal;
    if (known !== undefined) return known;
    const tools = this.tools.specs();
    const prompt = systemPrompt(this.definition, tools);
    this.#principal.systemPrompt = prompt;
    run.journal.arrive(scope, { type: 'prompted', path, agent, prompt, tools });
    return prompt;
  }
  get answers(): CallCache {
    return this.#entry.run.effects.answers;
  }
  get executor(): ToolExecutor | undefined {
    return this.#entry.run.given.executor;
  }
  get safety(): SafetyStrategy | undefined {
    return this.#entry.run.given.safety;
  }
  get callers() {
    return callersOf(this.#principal);
  }
  keyOf(call: Parameters<Desk['keyOf']>[0]): string {
    return keyOfCall(this.#entry, this.#ask.step, call);
  }
  get context(): unknown {
    return this.#entry.run.given.context;
  }
  get task() {
    return taskOf(this.#principal);
  }
  get account() {
    return this.#principal.account;
  }
  take(kind: 'steps' | 'toolCalls'): BudgetSpent | undefined {
    const { account } = this;
    const { key } = this.#ask;
    // What is done again was paid for, if that is on record.
    const isPaid = this.isResumed && this.#entry.run.journal.budgets.isPaid(keyInRun(this.#ask));
    return isPaid ? undefined : account?.take(kind, key);
  }
  get counter() {
    return this.#entry.run.money.counter;
  }
  openPrices(): Promise<void> | undefined {
    return this.#entry.run.money.prices.open(this.models);
  }
  costOf(model: Model, usage: Usage, answered?: string): number | undefined {
    return this.#entry.run.money.prices.costOf(model, usage, answered);
  }
  charge(model: Model, usage: Usage): void {
    const { run } = this.#entry;
    const name = `${model.provider}:${model.id}`;
    const costUsd = run.money.prices.costOf(model, usage);
    const { path, scope } = this.#principal;
    run.journal.arrive(scope, {
      type: 'charged',
      path,
      model: name,
      usage,
      ...(costUsd === undefined ? {} : { costUsd }),
    });
    run.log.charge(name, usage, costUsd);
    for (const counter of countersOver(this.#principal)) counter.charge(name, usage, costUsd);
  }
  get isWatched(): boolean {
    return this.#entry.run.log.wantsDeltas;
  }
  random(): number {
    return this.#entry.run.random();
  }
  emit(body: EventBody): void {
    // What comes in after the effect was answered or withdrawn is nobody's any more. A tool that is out of time is
    // aborted, and yet has to say so.
    if (this.#isOver) return;
    if (body.type === 'model.interrupted') hideBrokenOff(this.#principal, body.text);
    this.#entry.run.log.write(body, this.#principal, this.#ask.step, this.#ask.phase);
    if ('usage' in body) for (const counter of countersOver(this.#principal)) counter.count(body);
  }
  asked(body: Extract<EventBody, { type: 'model.asked' }>, request: ModelRequest): void {
    if (this.#isOver) return;
    const { run, path, scope } = this.#principal;
    const sent = run.log.sent.sends(this.#principal, body.key, request);
    if (sent !== undefined)
      run.journal.arrive(scope, { type: 'sent', key: this.#keyInRun, path, request: sent });
    this.emit(body);
  }
  answered(body: Extract<EventBody, { type: 'model.answered' }>, answer: ModelAnswer): void {
    const { run, scope } = this.#principal;
    hideCalls(this.#principal, answer.calls);
    hideSaid(this.#principal, answer.text);
    const raw = this.#isOver || !run.log.sent.isKept ? undefined : rawOf(answer);
    if (raw !== undefined) {
      run.log.sent.answered(body.key, raw);
      run.journal.arrive(scope, { type: 'heard', key: this.#keyInRun, answer: raw });
    }
    this.emit(body);
  }
  remember(records: readonly MemoryRecord[], index: number): void {
    const { step, phase } = this.#ask;
    if (!this.#isOver) remember(this.#principal, { step, phase, index }, records);
  }
  hide(result: ToolResult): void {
    hideResult(this.#principal, result);
  }
  delta(delta: ModelDelta): void {
    const { log } = this.#entry.run;
    if (this.#isOver) return;
    const isHeld = log.wantsDeltas && waitsForWhole(this.#principal, delta);
    log.delta(this.#ask.key, delta, this.#principal, this.#ask.step, isHeld);
  }
  keep(artifacts: readonly Artifact[]): void {
    const { path, scope, run } = this.#principal;
    run.journal.arrive(scope, { type: 'kept', path, artifacts });
    this.#entry.run.artifacts.push(...artifacts.map((artifact) => ({ path, artifact })));
  }
  get isResumed(): boolean {
    return this.#effect.isResumed;
  }
  async ask(question: string): Promise<string> {
    const index = this.#asked;
    this.#asked += 1;
    const before = this.#entry.run.journal.again.toldBefore(this.#ask.key, index);
    return before ?? this.#whileWaiting(askPerson(this.#wanting, question, index));
  }
  get messages(): Messenger {
    return (this.#messenger ??= this.#entry.run.mail.messengerFor({
      actor: this.#principal,
      ask: this.#ask,
      abort: this.abort,
      whileWaiting: (answer) => this.#whileWaiting(answer),
    }));
  }
  approve(call: CallWish, check: CallChange): Promise<Approval> {
    const approval = approveCall(this.#wanting, call, check);
    // An effect that only waits has no place to give away.
    return this.#ask.port === 'approve' ? approval : this.#whileWaiting(approval);
  }
  written(): void | Promise<void> {
    return this.#entry.run.journal.flush();
  }
  run<Input, Output>(
    agent: Agent<Input, Output> | 'self',
    input: Input,
    abort: LazyAbort = this.abort,
    options?: ChildOptions,
  ): Promise<RunResult<Output>> {
    if (this.#isOver || abort.isAborted)
      return this.#whileWaiting(
        Promise.reject(
          new TroupeError(
            'run.aborted',
            `Cannot run '${agent === 'self' ? this.#entry.agent : agent.name}' as nobody waits for it any more`,
          ),
        ),
      );
    const { actors } = this.#entry.run;
    return this.#whileWaiting(actors.runWithin(this.#entry, agent, input, this.#ask, abort, options));
  }
  onLate(output: unknown): void {
    late(this.#effect, output);
  }

  get #wanting(): WantingEffect {
    return { actor: this.#principal, ask: this.#ask, abort: this.abort };
  }
  get #keyInRun(): string {
    return keyInRun(this.#ask);
  }
  get #isOver(): boolean {
    return this.#effect.record.state !== 'asked';
  }

  /** Others may work while this effect waits for somebody. */
  #whileWaiting<T>(answer: Promise<T>): Promise<T> {
    const slot = (this.#effect.slot ??= new Slot(this.#entry.run.gate));
    slot.lend();
    const waiting = answer.finally(() => {
      slot.reclaim();
    });
    // Who does not wait for it has not asked for its failure either.
    waiting.catch(() => undefined);
    return waiting;
  }
}

/** What an answer has beside its text; undefined where that is nothing. */
const rawOf = ({ calls, refusal, replay, metadata }: ModelAnswer): RawAnswer | undefined => {
  const raw: RawAnswer = {
    calls,
    ...(refusal === undefined ? {} : { refusal }),
    ...(replay === undefined ? {} : { replay }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return calls.length === 0 && Object.keys(raw).length === 1 ? undefined : raw;
};

/** The counters of those that somebody's work runs, from an actor upwards: of a run without children, none. */
export const countersOver = (actor: Actor): readonly RunCounter[] => {
  const { counter, sponsor } = actor;
  if (sponsor.kind === 'root') return NO_COUNTERS;
  const above = countersOver(sponsor.parent);
  return counter === undefined ? above : [counter, ...above];
};

const NO_COUNTERS: readonly RunCounter[] = [];

/** What comes after the effect was withdrawn changes nothing any more, but it is on record. */
export const late = ({ record }: EffectUnderWay, output: unknown): void => {
  if (record.state !== 'withdrawn') return;
  record.state = 'late';
  record.output = toJson(output);
};
