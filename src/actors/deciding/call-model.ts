import type { Clock } from '../../base/clock.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, toError, TroupeError } from '../../contracts/errors/error.ts';
import { nobodyWaits } from '../../contracts/errors/nobody-waits.ts';
import type { LongWait } from '../../contracts/models/long-wait.ts';
import type { Model, ModelAnswer, ModelDelta, ModelRequest } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { Compaction } from '../../contracts/conversations/processor.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import { andThen, isThenable } from '../../base/promises/thenable.ts';
import type { AgentContext, Decided, Trouble } from '../../machines/agent/agent-context.ts';
import type { AttemptEnds, AttemptOptions } from '../../models/retry/attempt.ts';
import { attemptThen } from '../../models/retry/attempt.ts';
import { joinAnswers, withIncomplete } from './broken-off.ts';
import { withoutOptionsOf } from '../../models/wire/others-options.ts';
import type { Reservation } from '../../policy/budget-account.ts';
import { isSpent } from '../../policy/budget-account.ts';
import { answerLength, estimatedUsage, isUnreported, reserveCall } from './call-cost.ts';
import { checkAnswer, withMedia } from './check-answer.ts';
import type { Desk } from '../desk.ts';
import { answeredEvent, askedEvent, nameOf } from './model-events.ts';
import type { MediaPart } from '../../contracts/content/part.ts';
import type { ModelAttempt } from './next-attempt.ts';
import { nextAttempt } from './next-attempt.ts';
import { modelRequest } from './model-request.ts';
import { readAnswer } from './read-answer.ts';
import { fitContent } from './fit-content.ts';
import type { Sent } from './show-conversation.ts';
import { cutTurn } from './cut-turn.ts';
import { compactionAfterOverflow, showConversation, withCompaction } from './show-conversation.ts';

/** Makes one attempt of a model call. Returns a choice, or trouble for a call machine to take over; rejects if nothing is left to try. */
export const callModel = (
  effect: Effect,
  context: AgentContext,
  attempt: ModelAttempt,
  desk: Desk,
): Decided | Promise<Decided> => new Attempt(effect, context, attempt, desk).make();

class Attempt implements AttemptOptions, AttemptEnds<Decided> {
  readonly #effect: Effect;
  readonly #context: AgentContext;
  readonly #attempt: ModelAttempt;
  readonly #desk: Desk;
  readonly #model: Model;
  readonly #startedAt: number;
  #streamed = 0;
  /** Text of the answer in all attempts; tracked only if answers are continued. */
  #text: string;
  /** Characters received, including reasoning and calls. */
  #received = 0;
  /** Those that were sent: the step keeps them, whatever is added meanwhile. */
  #tools: readonly ToolSpec[] = [];
  #held: Reservation | undefined;
  /** The sent part of the conversation, and its compaction. */
  #shown: Sent;
  /** True once the model was called: earlier failures would repeat. */
  #wasAsked = false;
  /** True for an answer that a person gave: it cost nothing. */
  #isGiven = false;

  constructor(effect: Effect, context: AgentContext, attempt: ModelAttempt, desk: Desk) {
    this.#effect = effect;
    this.#context = context;
    this.#attempt = attempt;
    this.#desk = desk;
    const { models } = desk;
    const model = models[attempt.model] ?? models.at(-1);
    if (model === undefined) throw toError(NO_MODEL);
    this.#model = model;
    this.#startedAt = desk.clock.now();
    this.#text = attempt.partial ?? '';
    this.#shown = { history: context.history };
  }

  make(): Decided | Promise<Decided> {
    const { abort } = this.#desk;
    // An agent's own `decide` may have run past the end: its model is not to be paid any more.
    if (abort.isAborted) throw nobodyWaits('ask a model');
    let shown: Sent | Promise<Sent>;
    try {
      shown = andThen(showConversation(this.#context, this.#model, this.#desk), (sent) =>
        fitContent(sent, this.#model, this.#desk),
      );
    } catch (thrown) {
      return this.failed(thrown);
    }
    if (!isThenable(shown)) return this.#reserve(shown);
    return shown.then(
      (settled) => this.#reserve(settled),
      (thrown: unknown) => this.failed(thrown),
    );
  }

  #reserve(shown: Sent): Decided | Promise<Decided> {
    this.#shown = shown;
    const { account } = this.#desk;
    if (account === undefined) return this.#ask();
    return andThen(reserveCall(account, shown.history, this.#model, this.#desk), (held) => {
      if (isSpent(held)) return withCompaction({ kind: 'spent', stopReason: held }, shown);
      this.#held = held;
      return this.#ask();
    });
  }

  #ask(): Decided | Promise<Decided> {
    const asked = askedEvent(this.#model, this.key, this.#shown.history.length, this.#attempt.attempt);
    let request: ModelRequest;
    try {
      request = modelRequest(this.#shown.history, this.#context, this.#attempt, this.#desk);
      this.#tools = request.tools;
    } catch (thrown) {
      this.#desk.emit(asked);
      return this.failed(thrown);
    }
    const said = this.#desk.refusal(asked);
    // What a guard blocks is over: no other model is tried in its place.
    if (said !== undefined) return this.failed(new TroupeError('guardrail.blocked', said.reason));
    this.#desk.asked(asked, request);
    // Streamed again under this attempt's key, as the previous attempt's deltas were discarded.
    if (this.#text !== '') this.#desk.delta({ type: 'text', text: this.#text });
    this.#wasAsked = true;
    const given = this.#desk.takeGiven();
    this.#isGiven = given !== undefined;
    if (given !== undefined) return this.answered(given);
    return attemptThen(this.#model, request, this, this);
  }

  get key(): string {
    return this.#effect.key;
  }
  get clock(): Clock {
    return this.#desk.clock;
  }
  get abort(): LazyAbort {
    return this.#desk.abort;
  }
  get isWatched(): boolean {
    return this.#desk.isWatched || this.#continues;
  }
  get longWait() {
    const desk = this.#desk;
    return (): LongWait => desk.longWait();
  }
  get ask() {
    const desk = this.#desk;
    return (question: string): Promise<string> => desk.ask(question);
  }
  get bytesOf() {
    const { content } = this.#desk;
    return (part: MediaPart): Promise<Uint8Array> => content.bytesOf(part);
  }
  get context(): unknown {
    return this.#desk.context;
  }
  get attemptTimeoutMs(): number | undefined {
    return this.#desk.definition.retry?.attemptTimeoutMs;
  }
  get idleTimeoutMs(): number | undefined {
    return this.#desk.definition.retry?.idleTimeoutMs;
  }
  get #continues(): boolean {
    return this.#desk.definition.retry?.onBreak === 'continue';
  }

  onDelta(delta: ModelDelta): void {
    if (delta.type === 'text') this.#streamed += delta.text.length;
    if (delta.type === 'text' && this.#continues) this.#text += delta.text;
    if (delta.type !== 'progress') this.#received += delta.text.length;
    this.#desk.delta(delta);
  }

  onLate(late: ModelAnswer): void {
    this.#desk.onLate(late);
  }

  answered(given: ModelAnswer): Decided | Promise<Decided> {
    let answer: ModelAnswer;
    try {
      const checked = checkAnswer(given, nameOf(this.#model));
      answer = withMedia(withoutOptionsOf(this.#desk.models, checked), this.#desk);
      const { partial } = this.#attempt;
      if (partial !== undefined) answer = joinAnswers(partial, answer);
    } catch (thrown) {
      return this.failed(thrown);
    }
    if (!this.#isGiven && isUnreported(answer, this.#model))
      answer = { ...answer, usage: this.#estimatedUsage(answerLength(answer)) };
    const price = (usage: Usage): number | undefined => this.#desk.costOf(this.#model, usage, answer.model);
    const { cached } = answer;
    // A call that was not made is free, whatever the model's price.
    const costUsd = cached === undefined ? price(answer.usage) : 0;
    this.#settle(answer.usage, costUsd);
    const savedUsd = cached && price(cached.usage);
    const saved = cached && { ...cached, ...(savedUsd === undefined ? {} : { costUsd: savedUsd }) };
    const took = { costUsd, durationMs: this.#desk.clock.now() - this.#startedAt, cached: saved };
    this.#desk.answered(answeredEvent(this.#model, this.#effect.key, answer, took), answer);
    const read = readAnswer(answer, this.#context, this.#desk);
    return isThenable(read)
      ? read.then((decided) => this.#accept(decided, answer))
      : this.#accept(read, answer);
  }

  /** Treats an empty answer as trouble: it is asked for once more, with a note. */
  #accept(decided: Decided | ErrorData, answer: ModelAnswer): Decided {
    if ('kind' in decided) {
      const choice = withCompaction(decided, this.#shown);
      // A strategy reviews the whole turn before it is cut.
      const isReviewed = this.#desk.definition.strategies.some(({ review }) => review !== undefined);
      return isReviewed ? choice : cutTurn(choice, this.#desk);
    }
    return this.#trouble({ ...decided, ...this.#where() }, answer);
  }

  failed(thrown: unknown): Decided {
    const message = `Cannot use the answer of ${nameOf(this.#model)} as it failed`;
    const error = errorData(thrown, 'model.failed', { message });
    return this.#trouble({ ...error, ...this.#where() }, undefined);
  }

  /** The agent's address, also if a call actor makes the attempt. */
  #where(): Partial<ErrorData> {
    const { runId, step, key: errorId } = this.#effect;
    return { runId, path: this.#context.run.path, step, phase: 'DECIDE', operation: 'model', errorId };
  }

  #trouble(error: ErrorData, answer: ModelAnswer | undefined): Decided {
    const desk = this.#desk;
    const { isAborted } = desk.abort;
    const { attempt, hasTriedMaybe } = this.#attempt;
    const { key, index, step } = this.#effect;
    // Neither a complete answer nor one that the provider refused is a prefix to continue from.
    const partial = answer === undefined && this.#text.trim() !== '' ? this.#text : undefined;
    // A useless answer was reported and counted already.
    const wasted = answer === undefined ? (error.spent ?? this.#wastedUsage()) : undefined;
    const costUsd = wasted === undefined ? undefined : desk.costOf(this.#model, wasted);
    this.#settle(wasted, costUsd);
    const usage = answer?.usage ?? wasted;
    const facts = {
      model: nameOf(this.#model),
      key,
      ...(wasted === undefined ? {} : { usage: wasted }),
      ...(costUsd === undefined ? {} : { costUsd }),
    };
    if (partial !== undefined && !isAborted)
      desk.emit({ type: 'model.interrupted', text: partial, ...facts });
    else if ((this.#streamed > 0 || wasted !== undefined) && !isAborted)
      desk.emit({ type: 'model.discarded', characters: this.#streamed, ...facts });
    // `maybe` means a retry with a change: a conversation that is too long is compacted once.
    const isTooLong = error.code === 'model.context-overflow';
    const cut = isTooLong && this.#wasAsked && !hasTriedMaybe ? this.#compactAfterOverflow() : undefined;
    if (cut !== undefined) this.#shown = { ...this.#shown, compaction: cut };
    const { modelFailures } = this.#context.review;
    const made = { failures: modelFailures, ...this.#attempt };
    const failure = { error, isCut: cut !== undefined, attempt: made, model: this.#model, step, key };
    const { waitMs, canFallBack, remembered, error: said } = nextAttempt(failure, desk);
    // Nothing is left to try, for a call machine either.
    if (waitMs === null && !canFallBack) {
      const last = partial === undefined ? said : withIncomplete(said, partial);
      throw toError(usage === undefined ? last : { ...last, spent: usage });
    }
    const trouble: Trouble = {
      kind: 'trouble',
      index,
      attempt,
      waitMs,
      error: cut === undefined ? said : { ...said, retryable: 'maybe' },
      model: nameOf(this.#model),
      ...(error.code === 'model.empty' ? { nudge: NUDGE } : {}),
      ...(partial === undefined ? {} : { partial }),
      ...(remembered === undefined ? {} : { failure: remembered }),
      ...(usage === undefined ? {} : { usage }),
    };
    return withCompaction(trouble, this.#shown);
  }

  #compactAfterOverflow(): Compaction | undefined {
    return compactionAfterOverflow(this.#context, this.#shown, this.#model, this.#desk);
  }

  /** Estimated usage of an interrupted attempt; undefined if nothing was received. */
  #wastedUsage(): Usage | undefined {
    return this.#received === 0 ? undefined : this.#estimatedUsage(this.#received);
  }

  #estimatedUsage(characters: number): Usage {
    return estimatedUsage(this.#shown.history, this.#tools, characters, this.#desk);
  }

  /** Accounts for a cancelled call now, as the run may end in a moment. */
  calledOff(): void {
    const wasted = this.#wastedUsage();
    if (wasted !== undefined) this.#desk.charge(this.#model, wasted);
    this.#settle(wasted, wasted === undefined ? undefined : this.#desk.costOf(this.#model, wasted));
    this.#received = 0;
  }

  #settle(usage: Usage | undefined, costUsd: number | undefined): void {
    const tokens = usage === undefined ? 0 : usage.input + usage.output;
    this.#held?.settle({ tokens, usd: costUsd ?? 0 });
    this.#held = undefined;
  }
}

const NUDGE = 'Your last reply was empty. Use a tool, or give your answer in words.';

const NO_MODEL: ErrorData = {
  code: 'model.missing',
  message: 'Cannot ask a model as the agent has none: set its `model` or `decide`',
  retryable: 'no',
};
