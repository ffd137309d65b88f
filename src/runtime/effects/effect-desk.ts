import type { RequestOptions } from '../../contracts/people/request.ts';
import type { Delegate } from '../../contracts/agents/delegate.ts';
import type { Clock } from '../../base/clock.ts';
import { canonical } from '../../base/json/canonical.ts';
import type { BudgetSpent } from '../../contracts/runs/budget.ts';
import type { AgentDefinition } from '../../actors/agent-definition.ts';
import type { CallChange, CallWish, Desk, DeskContent } from '../../actors/desk.ts';
import { awaitTime } from '../../actors/await-time.ts';
import { systemPrompt } from '../../actors/deciding/prompt-facts.ts';
import type { ChildOptions } from '../../contracts/tools/delegation.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { MediaPart } from '../../contracts/content/part.ts';
import { nobodyWaits } from '../../contracts/errors/nobody-waits.ts';
import type { MemoryRecord } from '../../contracts/conversations/memory.ts';
import type { Messenger } from '../../contracts/messages/message.ts';
import type { LongWait } from '../../contracts/models/long-wait.ts';
import type { Model, ModelAnswer, ModelDelta, ModelRequest } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import type { ToolExecutor } from '../../contracts/tools/executor.ts';
import type { SafetyRefusal, SafetyStrategy } from '../../contracts/tools/safety.ts';
import type { Artifact, ToolResult } from '../../contracts/tools/tool-result.ts';
import { keyInRun } from '../../contracts/runs/effect.ts';
import type { Ask } from '../../machines/asks.ts';
import { callIn } from '../../machines/asks.ts';
import type { Approval } from '../../machines/tool-call/tool-call-context.ts';
import { toJson, type Json } from '../../base/json/json.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { BudgetAccount } from '../../policy/budget-account.ts';
import type { CallCache } from '../../tools/calls/call-cache.ts';
import type { ToolRegistry } from '../../tools/define/tool-registry.ts';
import type { Actor } from '../actors/actor.ts';
import { agentsAbove } from '../actors/agents-above.ts';
import type { EffectUnderWay } from './effect-under-way.ts';
import type { AnsweredCall } from '../log/answers-so-far.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Gate } from './gate.ts';
import { hideBrokenOff, hideCalls, hideResult, hideSaid, waitsForWhole } from '../secrets/hide-fields.ts';
import type { JournalPort } from '../journal/write/journal-port.ts';
import type { TalkingWork } from '../mail/messenger.ts';
import type { KeptArtifact } from '../run/result.ts';
import type { RunMoney } from '../limits/run-money.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import type { Checkpoint } from './checkpoint.ts';
import { longWaitOf } from './long-wait.ts';
import { rawOf } from './raw-answer.ts';
import { sharePrompt } from './shared-prompt.ts';
import { Slot } from './slot.ts';
import { approveCall, askPerson, type AskingRun, type RequestingEffect } from '../people/ask-person.ts';
import { placeOf } from '../people/person-time.ts';

/** The calls that desks need of their run. */
export interface DeskRun extends AskingRun {
  readonly clock: Clock;
  /** Options of the run that apply to every tool call and function of its agents. */
  readonly given: Pick<RunOptions, 'safety' | 'executor' | 'context'>;
  readonly secrets: Pick<RunSecrets, 'text'>;
  readonly content: DeskContent & { putAside(text: string, source: string): MediaPart };
  readonly money: Pick<RunMoney, 'counter' | 'prices'>;
  readonly log: EventLog;
  readonly gate: Gate;
  readonly journal: Pick<JournalPort, 'arrive' | 'budgets' | 'again' | 'flush' | 'lost' | 'waits'>;
  readonly mail: { messengerFor(work: TalkingWork): Messenger };
  readonly effects: {
    readonly answers: CallCache;
    readonly checkpoints: Map<string, Checkpoint>;
    readonly given: Map<string, ModelAnswer>;
  };
  readonly actors: {
    runWithin<Input, Output>(
      parent: Actor,
      agent: Delegate<Input, Output> | 'self',
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

/** The resources of one effect: what its actor may use, read from the run on access. */
export class EffectDesk implements Desk {
  readonly definition: AgentDefinition;
  readonly tools: ToolRegistry;
  readonly content: DeskContent;
  readonly abort: LazyAbort;
  readonly clock: Clock;
  readonly isResumed: boolean;
  readonly account: BudgetAccount | undefined;
  readonly executor: ToolExecutor | undefined;
  readonly safety: SafetyStrategy | undefined;
  readonly context: unknown;
  readonly origins: readonly string[];
  readonly #run: DeskRun;
  readonly #entry: Actor;
  readonly #principal: Actor;
  readonly #ask: Ask;
  readonly #effect: EffectUnderWay;
  /** Number of questions that it has asked a person: those before its checkpoint are not asked again. */
  #asked: number | undefined;
  /** The key of its call in the run, once it is known. */
  #call: string | undefined;
  #hasCommitted = false;
  #messenger: Messenger | undefined;
  /** Its model call; made with the first delta. */
  #answered: AnsweredCall | undefined;

  constructor(run: DeskRun, entry: Actor, definition: AgentDefinition, ask: Ask, effect: EffectUnderWay) {
    this.#run = run;
    this.definition = definition;
    this.tools = entry.principal.tools;
    this.content = run.content;
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
    this.origins = entry.principal.origins.names;
    this.#ask = ask;
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
    const prompt = sharePrompt(this.definition, systemPrompt(this.definition, tools));
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
  get above(): readonly string[] {
    return agentsAbove(this.#principal);
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
    // A repeated effect was paid for, if that is on record.
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
  refusal(next: EventBody): SafetyRefusal | undefined {
    return this.safety?.guard?.(next, this.#principal, this.#ask.step, this.#run.log.events);
  }
  emit(body: EventBody): void {
    // Events after the effect was answered or withdrawn are dropped. A timed-out tool is aborted, but may still report that.
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
    hideCalls(this.#principal, answer.calls);
    hideSaid(this.#principal, answer.text);
    this.#principal.origins.add(answer.providerCalls?.map(({ tool }) => tool));
    const raw = this.#isOver || !run.log.sent.isKept ? undefined : rawOf(answer);
    if (raw !== undefined) {
      run.log.sent.answered(body.key, raw);
      run.journal.arrive(this.#principal.scope, { type: 'heard', key: this.#keyInRun, answer: raw });
    }
    this.emit(run.log.withNewOmissions(body));
  }
  takeGiven(): ModelAnswer | undefined {
    const { given } = this.#run.effects;
    if (given.size === 0) return undefined;
    const answer = given.get(this.#keyInRun);
    given.delete(this.#keyInRun);
    return answer;
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
    const call = (this.#answered ??= this.#callOfModel());
    if (log.wantsDeltas) log.delta(delta, call);
    else log.passDelta(delta, call);
  }
  #callOfModel(): AnsweredCall {
    const { key, step } = this.#ask;
    const { path, agent } = this.#principal;
    const waits = (delta: ModelDelta): boolean => waitsForWhole(this.#principal, delta);
    return { key, speaker: { path, agent }, step, waits };
  }
  putAside(given: string, source: string): { readonly text: string; readonly whole: MediaPart } {
    // As in the journal: a blob holds no known secret.
    const text = this.#run.secrets.text(given);
    return { text, whole: this.#run.content.putAside(text, source) };
  }
  keep(artifacts: readonly Artifact[]): void {
    const { path, scope } = this.#principal;
    this.#run.journal.arrive(scope, { type: 'kept', path, artifacts });
    this.#run.artifacts.push(...artifacts.map((artifact) => ({ path, artifact })));
  }
  async ask(text: string, options?: RequestOptions): Promise<string> {
    const index = this.#askedBefore;
    this.#asked = index + 1;
    const question = { ...options, question: text, index };
    const before = this.#run.journal.again.previousAnswer(this.#ask.key, index);
    return before ?? this.#whileWaiting(askPerson(this.#run, this.#requesting, question));
  }
  get checkpoint(): Json | undefined {
    return this.#lastCheckpoint?.value;
  }
  async commit(value: Json, waitMs: number): Promise<void> {
    const { journal, log } = this.#run;
    const { key: effect } = this.#ask;
    const key = this.#callKey;
    if (this.#isOver || key === undefined) throw nobodyWaits('commit a checkpoint');
    const dueAt = log.now() + waitMs;
    const awaited = { expiresAt: dueAt };
    if (waitMs > 0) journal.waits(effect, awaited, true);
    try {
      // Also an equal one, once: with it the time of the wait is written.
      if (!this.#hasCommitted || canonical(value) !== canonical(this.checkpoint ?? null)) {
        this.#hasCommitted = true;
        this.#checkpoint({ type: 'checkpointed', key, value, asked: this.#askedBefore });
      }
      await journal.flush();
      if (waitMs > 0) await this.#whileWaiting(Promise.resolve(awaitTime({ dueAt }, this)));
    } finally {
      journal.waits(effect, awaited, false);
    }
  }
  afterWork(ms: number, onLate: () => void): () => void {
    return this.#run.person.time.afterWork(placeOf(this.#principal.path, callIn(this.#ask)?.id), ms, onLate);
  }
  longWait(): LongWait {
    return longWaitOf(this.#run, {
      key: this.#ask.key,
      note: async (key, value) => {
        if (this.#isOver) return;
        this.#checkpoint({ type: 'checkpointed', key, value, asked: 0 });
        await this.#run.journal.flush();
      },
      during: (turn) => this.#whileWaiting(turn),
      publish: (reason) => {
        this.emit({ type: 'agent.waiting', reason });
      },
    });
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
    const approval = approveCall(this.#run, this.#requesting, call, check);
    // An effect that only waits occupies no slot.
    return this.#ask.port === 'approve' ? approval : this.#whileWaiting(approval);
  }
  written(): void | Promise<void> {
    return this.#run.journal.flush();
  }
  run<Input, Output>(
    agent: Delegate<Input, Output> | 'self',
    input: Input,
    abort: LazyAbort = this.abort,
    options?: ChildOptions,
  ): Promise<RunResult<Output>> {
    if (this.#isOver || abort.isAborted)
      return this.#whileWaiting(
        Promise.reject(nobodyWaits(`run '${agent === 'self' ? this.#entry.agent : agent.name}'`)),
      );
    return this.#whileWaiting(
      this.#run.actors.runWithin(this.#entry, agent, input, this.#ask, abort, options),
    );
  }
  onLate(output: unknown): void {
    recordLate(this.#effect, output);
  }

  #checkpoint(checkpoint: Checkpoint): void {
    const { journal, effects } = this.#run;
    effects.checkpoints.set(checkpoint.key, checkpoint);
    journal.arrive(this.#principal.scope, checkpoint);
  }
  get #requesting(): RequestingEffect {
    return { actor: this.#principal, ask: this.#ask, abort: this.abort };
  }
  get #lastCheckpoint(): Checkpoint | undefined {
    const { checkpoints } = this.#run.effects;
    // Most runs have none: the key of a call is made of a digest.
    return checkpoints.size === 0 ? undefined : checkpoints.get(this.#callKey ?? '');
  }
  get #callKey(): string | undefined {
    const call = callIn(this.#ask);
    return (this.#call ??= call && keyInRun({ key: this.keyOf(call), runId: this.#ask.runId }));
  }
  get #askedBefore(): number {
    return (this.#asked ??= this.#lastCheckpoint?.asked ?? 0);
  }
  get #keyInRun(): string {
    return keyInRun(this.#ask);
  }
  get #isOver(): boolean {
    return this.#effect.record.state !== 'asked';
  }

  /** Releases the effect's slot while it waits for a person or a child. */
  #whileWaiting<T>(answer: Promise<T>): Promise<T> {
    const slot = (this.#effect.slot ??= new Slot(this.#run.gate));
    slot.lend();
    const waiting = answer.finally(() => {
      slot.reclaim();
    });
    // A rejection must not be reported as unhandled if the caller ignores it.
    waiting.catch(() => undefined);
    return waiting;
  }
}

/** Records a result that arrived after its effect was withdrawn. It changes nothing. */
export const recordLate = ({ record }: EffectUnderWay, output: unknown): void => {
  if (record.state !== 'withdrawn') return;
  record.state = 'late';
  record.output = toJson(output);
};
