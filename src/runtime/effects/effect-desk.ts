import type { Agent } from '../../contracts/agent.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { BudgetSpent } from '../../contracts/budget.ts';
import type { AgentDefinition } from '../../actors/agent-definition.ts';
import type { CallChange, CallWish, Desk } from '../../actors/desk.ts';
import { systemPrompt } from '../../actors/prompt-facts.ts';
import type { ChildOptions } from '../../contracts/delegation.ts';
import type { EventBody } from '../../contracts/event.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { MemoryRecord } from '../../contracts/memory.ts';
import type { Messenger } from '../../contracts/message.ts';
import type { Model, ModelAnswer, ModelDelta, ModelRequest, Usage } from '../../contracts/model.ts';
import type { RunOptions, RunResult } from '../../contracts/run.ts';
import type { ToolExecutor } from '../../contracts/executor.ts';
import type { RawAnswer } from '../../contracts/sent-request.ts';
import type { SafetyStrategy } from '../../contracts/safety.ts';
import type { Artifact, ToolResult } from '../../contracts/tool.ts';
import { keyInRun } from '../../contracts/effect.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Approval } from '../../machines/tool-call-context.ts';
import { toJson } from '../../contracts/json.ts';
import type { LazyAbort } from '../../contracts/lazy-abort.ts';
import type { BudgetAccount } from '../../policy/budget-account.ts';
import type { CallCache } from '../../tools/call-cache.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import type { Actor } from '../actors/actor.ts';
import type { EffectUnderWay } from './effect-under-way.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Gate } from './gate.ts';
import { hideBrokenOff, hideCalls, hideResult, hideSaid, waitsForWhole } from '../secrets/hide-fields.ts';
import type { Recorder } from '../journal/write/recorder.ts';
import type { TalkingWork } from '../mail/messenger.ts';
import type { KeptArtifact } from '../run/result.ts';
import type { RunMoney } from '../limits/run-money.ts';
import { Slot } from './slot.ts';
import type { AskingRun, WantingEffect } from '../people/want-person.ts';
import { approveCall, askPerson } from '../people/want-person.ts';

/** What desks need of a run: what it gives to all effects alike, and where what they say and make goes. */
export interface DeskRun extends AskingRun {
  readonly clock: Clock;
  /** What the caller gave with the run, for every tool call and every function of its agents. */
  readonly given: Pick<RunOptions, 'safety' | 'executor' | 'context'>;
  readonly money: Pick<RunMoney, 'counter' | 'prices'>;
  readonly log: EventLog;
  readonly gate: Gate;
  readonly journal: Pick<Recorder, 'arrive' | 'budgets' | 'again' | 'flush'>;
  readonly mail: { messengerFor(work: TalkingWork): Messenger };
  readonly effects: { readonly answers: CallCache };
  readonly actors: {
    runWithin<Input, Output>(
      parent: Actor,
      agent: Agent<Input, Output> | 'self',
      input: Input,
      ask: Ask,
      abort: LazyAbort,
      options?: ChildOptions,
    ): Promise<RunResult<Output>>;
  };
  readonly artifacts: KeptArtifact[];
  /** From 0 to below 1. */
  random(): number;
}

/** The desk of one effect: what its actor may use, read off the run when it is read. */
export class EffectDesk implements Desk {
  readonly definition: AgentDefinition;
  readonly abort: LazyAbort;
  readonly clock: Clock;
  readonly isResumed: boolean;
  readonly account: BudgetAccount | undefined;
  readonly executor: ToolExecutor | undefined;
  readonly safety: SafetyStrategy | undefined;
  readonly context: unknown;
  readonly #run: DeskRun;
  readonly #entry: Actor;
  readonly #principal: Actor;
  readonly #ask: Ask;
  readonly #effect: EffectUnderWay;
  /** The number of questions that it has asked a person. */
  #asked = 0;
  #messenger: Messenger | undefined;

  constructor(run: DeskRun, entry: Actor, definition: AgentDefinition, ask: Ask, effect: EffectUnderWay) {
    this.#run = run;
    this.definition = definition;
    this.clock = run.clock;
    this.abort = effect.abort;
    this.isResumed = effect.isResumed;
    this.#effect = effect;
    this.#entry = entry;
    this.#principal = entry.principal;
    this.account = entry.principal.account;
    this.executor = run.given.executor;
    this.safety = run.given.safety;
    this.context = run.given.context;
    this.#ask = ask;
  }

  get tools(): ToolRegistry {
    return this.#principal.tools;
  }
  get environment() {
    return this.#principal.environment;
  }
  get memory() {
    return this.#principal.memory?.session;
  }
  get conversation() {
    return this.#principal.conversation;
  }
  get models(): readonly Model[] {
    return this.#principal.models;
  }
  get systemPrompt(): string {
    const { agent, path, scope, systemPrompt: known } = this.#principal;
    if (known !== undefined) return known;
    const tools = this.tools.specs();
    const prompt = shared(this.definition, systemPrompt(this.definition, tools));
    this.#principal.systemPrompt = prompt;
    this.#run.journal.arrive(scope, { type: 'prompted', path, agent, prompt, tools });
    return prompt;
  }
  get answers(): CallCache {
    return this.#run.effects.answers;
  }
  get callers() {
    return this.#principal.callers;
  }
  keyOf(call: Parameters<Desk['keyOf']>[0]): string {
    return this.#entry.keyOf(call, this.#ask.step);
  }
  get task() {
    return this.#principal.task;
  }
  take(kind: 'steps' | 'toolCalls'): BudgetSpent | undefined {
    const { account } = this;
    const { key } = this.#ask;
    // What is done again was paid for, if that is on record.
    const isPaid = this.isResumed && this.#run.journal.budgets.isPaid(keyInRun(this.#ask));
    return isPaid ? undefined : account?.take(kind, key);
  }
  get counter() {
    return this.#run.money.counter;
  }
  openPrices(): Promise<void> | undefined {
    return this.#run.money.prices.open(this.models);
  }
  costOf(model: Model, usage: Usage, answered?: string): number | undefined {
    return this.#run.money.prices.costOf(model, usage, answered);
  }
  charge(model: Model, usage: Usage): void {
    const run = this.#run;
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
    for (const counter of this.#principal.counters) counter.charge(name, usage, costUsd);
  }
  get isWatched(): boolean {
    return this.#run.log.wantsDeltas;
  }
  random(): number {
    return this.#run.random();
  }
  emit(body: EventBody): void {
    // What comes in after the effect was answered or withdrawn is nobody's any more. A tool that is out of time is
    // aborted, and yet has to say so.
    if (this.#isOver) return;
    if (body.type === 'model.interrupted') hideBrokenOff(this.#principal, body.text);
    this.#run.log.write(body, this.#principal, this.#ask.step, this.#ask.phase);
    if ('usage' in body) for (const counter of this.#principal.counters) counter.count(body);
  }
  asked(body: Extract<EventBody, { type: 'model.asked' }>, request: ModelRequest): void {
    if (this.#isOver) return;
    const run = this.#run;
    const { path, scope } = this.#principal;
    const sent = run.log.sent.sends(this.#principal, body.key, request);
    if (sent !== undefined)
      run.journal.arrive(scope, { type: 'sent', key: this.#keyInRun, path, request: sent });
    this.emit(body);
  }
  answered(body: Extract<EventBody, { type: 'model.answered' }>, answer: ModelAnswer): void {
    const run = this.#run;
    const { scope } = this.#principal;
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
    if (!this.#isOver) this.#principal.memory?.remember({ step, phase, index }, records);
  }
  hide(result: ToolResult): void {
    hideResult(this.#principal, result);
  }
  delta(delta: ModelDelta): void {
    const { log } = this.#run;
    if (this.#isOver) return;
    const isHeld = log.wantsDeltas && waitsForWhole(this.#principal, delta);
    log.delta(this.#ask.key, delta, this.#principal, this.#ask.step, isHeld);
  }
  keep(artifacts: readonly Artifact[]): void {
    const { path, scope } = this.#principal;
    this.#run.journal.arrive(scope, { type: 'kept', path, artifacts });
    this.#run.artifacts.push(...artifacts.map((artifact) => ({ path, artifact })));
  }
  async ask(question: string): Promise<string> {
    const index = this.#asked;
    this.#asked += 1;
    const before = this.#run.journal.again.toldBefore(this.#ask.key, index);
    return before ?? this.#whileWaiting(askPerson(this.#run, this.#wanting, question, index));
  }
  get messages(): Messenger {
    return (this.#messenger ??= this.#run.mail.messengerFor({
      actor: this.#principal,
      ask: this.#ask,
      abort: this.abort,
      whileWaiting: (answer) => this.#whileWaiting(answer),
    }));
  }
  approve(call: CallWish, check: CallChange): Promise<Approval> {
    const approval = approveCall(this.#run, this.#wanting, call, check);
    // An effect that only waits has no place to give away.
    return this.#ask.port === 'approve' ? approval : this.#whileWaiting(approval);
  }
  written(): void | Promise<void> {
    return this.#run.journal.flush();
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
    const { actors } = this.#run;
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
    const slot = (this.#effect.slot ??= new Slot(this.#run.gate));
    slot.lend();
    const waiting = answer.finally(() => {
      slot.reclaim();
    });
    // Who does not wait for it has not asked for its failure either.
    waiting.catch(() => undefined);
    return waiting;
  }
}

/** A prompt as the run before had it, where that is the same text: it is held once, however many runs wait with it. */
const shared = (definition: AgentDefinition, prompt: string): string => {
  const before = prompts.get(definition);
  if (before === prompt) return before;
  prompts.set(definition, prompt);
  return prompt;
};

const prompts = new WeakMap<AgentDefinition, string>();

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

/** What comes after the effect was withdrawn changes nothing any more, but it is on record. */
export const late = ({ record }: EffectUnderWay, output: unknown): void => {
  if (record.state !== 'withdrawn') return;
  record.state = 'late';
  record.output = toJson(output);
};
