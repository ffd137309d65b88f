import { isTroupeError } from '../../contracts/errors/error.ts';
import type { History } from '../../base/collections/history.ts';
import { append, emptyHistory, HistoryView } from '../../base/collections/history.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type {
  Compaction,
  Processor,
  ProjectionNote,
  Summariser,
  TokenBudget,
  TokenCounter,
} from '../../contracts/conversations/processor.ts';
import { noCompaction } from '../../contracts/conversations/processor.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { compact, type Compacted } from './compact.ts';
import { budgetLadder } from './budget-ladder.ts';
import { TurnCounter } from '../tokens/count-tokens.ts';
import { budgetAfterOverflow } from '../tokens/model-limits.ts';
import { project } from './project.ts';
import { RunningEstimate } from '../tokens/running-estimate.ts';

/** The policy that keeps an agent's conversation short. */
export interface CompactionPlan {
  readonly processors: () => readonly Processor[];
  /** True if they are applied to every request, and not only past the soft limit. */
  readonly isConstant: boolean;
  readonly counter: TokenCounter | undefined;
}

/** A request to show a conversation to a model. */
export interface ShowRequest {
  readonly history: History<Turn>;
  readonly compaction: Compaction | null;
  /** Index of the run's prompt. */
  readonly promptAt: number | undefined;
  readonly model: string;
  /** The model's budget, as far as it is known; undefined if there is no limit. */
  readonly budget: TokenBudget | undefined;
  /** True if the model's limit is unknown: what cannot be cut to the budget is sent unchanged. */
  readonly isGuess: boolean;
  /** The parts of the request beside its turns. */
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  /** Called only if there is something to summarise. */
  readonly summariser: () => Summariser | undefined;
}

/** The conversation as shown to the model. */
export interface Shown {
  readonly history: History<Turn>;
  /** To be stored in the agent's context; absent if nothing changed. */
  readonly compaction?: Compaction | undefined;
  readonly usage?: Usage | undefined;
  /** Set when the request first exceeds the soft limit. */
  readonly warning?: { readonly tokens: number; readonly soft: number } | undefined;
  /** It was cut just now. */
  readonly cut?: {
    readonly before: number;
    readonly after: number;
    readonly rungs: readonly string[];
    readonly isSummarised: boolean;
  };
  readonly problem?: unknown;
}

/**
 * The conversation as shown to an agent's model, from request to request of one run.
 *
 * I1  It follows from the history and the compaction alone: the state here is a cache.
 * I2  While a conversation is short, only new turns are read; once it was cut, the cut stays, with new turns behind it,
 *     until it is too long again. So a request costs the same at turn 10 and at turn 10,000, and its beginning stays
 *     byte-identical for long.
 */
export class ShownConversation {
  readonly counter: TurnCounter;
  /** Blocks of the history that were looked at: for tests and measurements. */
  touched = 0;
  readonly #plan: CompactionPlan;
  #estimate: RunningEstimate;
  #cut: Compaction['cut'] = null;
  #tokensAfterCut = 0;
  /** Of the request before, where every request is processed. */
  #sent = 0;
  #tools: readonly ToolSpec[] | undefined;
  #overhead = 0;

  constructor(plan: CompactionPlan) {
    this.#plan = plan;
    this.counter = new TurnCounter(plan.counter);
    this.#estimate = new RunningEstimate(this.counter);
  }

  /**
   * Returns the conversation to send.
   *
   * @throws `model.context-overflow` if nothing more can be omitted, and a processor's error.
   */
  show(request: ShowRequest): Shown | Promise<Shown> {
    const { history } = request;
    const { isConstant } = this.#plan;
    const budget = this.#budgetOf(request);
    if (isConstant) return this.#cutDown(request, budget, undefined);
    if (budget === undefined)
      return (request.compaction?.cut ?? null) === null ? { history } : this.#known(request);
    const shown = this.#known(request);
    const overhead = this.#overheadOf(request);
    const tokens = this.#estimate.tokens + overhead;
    const isTight = this.#cut !== null && this.#tokensAfterCut + overhead > budget.soft;
    return tokens <= (isTight ? budget.hard - budget.reserve : budget.soft)
      ? shown
      : this.#cutDown(request, budget, tokens);
  }

  /** Returns the compaction after the model reported an overflow; undefined if nothing can be omitted. */
  afterOverflow(request: ShowRequest): Compaction | undefined {
    const { history, model, promptAt, compaction } = request;
    const overhead = this.#overheadOf(request);
    const sent = (this.#plan.isConstant ? this.#sent : this.#total(request)) + overhead;
    const known = this.#budgetOf(request);
    const isGuess = request.isGuess && known === request.budget;
    const before = known === undefined || isGuess ? { hard: sent, soft: sent, reserve: 0 } : known;
    const budget = budgetAfterOverflow(before, sent);
    try {
      const { counter } = this;
      const summary = compaction?.summary ?? undefined;
      project(history, this.#processors(budget), {
        counter,
        budget,
        overhead,
        summary,
        pins: pinsOf(promptAt),
      });
    } catch (thrown) {
      if (isTroupeError(thrown, 'model.context-overflow')) return undefined;
      throw thrown;
    }
    return { ...(compaction ?? noCompaction), refused: { model, budget } };
  }

  /** Instructions stay the same over a run, tools nearly always. */
  #overheadOf({ instructions, tools }: ShowRequest): number {
    if (this.#tools !== tools) {
      this.#tools = tools;
      this.#overhead = this.counter.overhead(instructions, tools);
    }
    return this.#overhead;
  }

  #total(request: ShowRequest): number {
    this.#known(request);
    return this.#estimate.tokens;
  }

  #budgetOf({ compaction, model, budget }: ShowRequest): TokenBudget | undefined {
    const refused = compaction?.refused;
    return refused?.model === model ? refused.budget : budget;
  }

  #processors(budget: TokenBudget | undefined): readonly Processor[] {
    const processors = this.#plan.processors();
    return budget === undefined || processors.some(isLadder) ? processors : [...processors, ladder];
  }

  /** Returns the conversation as last cut, with later turns. */
  #known({ history, compaction, promptAt }: ShowRequest): Shown {
    const cut = compaction?.cut ?? null;
    if (!isSameCut(cut, this.#cut) || !this.#estimate.continues(history)) {
      this.#cut = cut;
      this.#estimate = new RunningEstimate(this.counter);
      this.#tokensAfterCut = 0;
      if (cut !== null) {
        const budget = cut.budget ?? undefined;
        const summary = compaction?.summary ?? undefined;
        const { counter } = this;
        const { overhead, upTo } = cut;
        const facts = { counter, budget, overhead, summary, pins: pinsOf(promptAt) };
        const found = project(prefixOf(history, upTo), this.#processors(budget), facts);
        this.#begin(cut, found.history, found.tokens);
      }
    }
    this.#estimate.follow(history);
    return { history: this.#cut === null ? history : this.#estimate.shown };
  }

  #begin(cut: Compaction['cut'], shown: History<Turn>, tokens: number): void {
    this.#cut = cut;
    this.#tokensAfterCut = tokens;
    this.#estimate = new RunningEstimate(this.counter, { upTo: cut?.upTo ?? 0, shown, tokens });
  }

  #cutDown(
    request: ShowRequest,
    budget: TokenBudget | undefined,
    before: number | undefined,
  ): Shown | Promise<Shown> {
    const { history, compaction, promptAt } = request;
    const isGuess = request.isGuess && budget === request.budget;
    const overhead = budget === undefined ? 0 : this.#overheadOf(request);
    const options = {
      counter: this.counter,
      budget,
      overhead,
      summary: compaction?.summary ?? undefined,
      pins: pinsOf(promptAt),
      summariser: request.summariser(),
    };
    const settle = (made: Compacted, under: TokenBudget | undefined): Shown =>
      this.#settled(request, made, { budget: under, overhead, before });
    const withoutBudget = (thrown: unknown): Shown | Promise<Shown> => {
      if (!isGuess || !isTroupeError(thrown, 'model.context-overflow')) throw thrown;
      const made = compact(history, this.#plan.processors(), { ...options, budget: undefined });
      return made instanceof Promise ? made.then((each) => settle(each, undefined)) : settle(made, undefined);
    };
    let made: Compacted | Promise<Compacted>;
    try {
      made = compact(history, this.#processors(budget), options);
    } catch (thrown) {
      return withoutBudget(thrown);
    }
    return made instanceof Promise
      ? made.then((each) => settle(each, budget)).catch(withoutBudget)
      : settle(made, budget);
  }

  #settled(
    { history, compaction }: ShowRequest,
    { projection, summary, usage, problem }: Compacted,
    { budget, overhead, before }: CutFacts,
  ): Shown {
    const known = compaction ?? noCompaction;
    const { isConstant } = this.#plan;
    const tokens = projection.tokens + overhead;
    this.touched += projection.touched;
    const isLong = budget !== undefined && (before ?? tokens) > budget.soft;
    const isWarned = budget !== undefined && tokens > budget.soft;
    const rungs = projection.notes.filter(isRung).map(({ rung }) => rung);
    const isSummarised = summary !== undefined && summary !== compaction?.summary && summary.text !== '';
    let cut = known.cut;
    if (isConstant) this.#sent = projection.tokens;
    else {
      cut = { upTo: history.length, budget: budget ?? null, overhead };
      this.#begin(cut, projection.history, projection.tokens);
    }
    const next: Compaction = { ...known, cut, summary: summary ?? null, isWarned };
    const isChanged = !isConstant || next.summary !== known.summary || next.isWarned !== known.isWarned;
    const isCut = isConstant ? isSummarised || rungs.length > 0 : projection.history !== history;
    return {
      history: projection.history,
      ...(isChanged ? { compaction: next } : {}),
      ...(usage === undefined ? {} : { usage }),
      ...(problem === undefined ? {} : { problem }),
      ...(isLong && !known.isWarned ? { warning: { tokens: before ?? tokens, soft: budget.soft } } : {}),
      ...(isCut
        ? {
            cut: {
              before: before ?? this.counter.history(history) + overhead,
              after: tokens,
              rungs,
              isSummarised,
            },
          }
        : {}),
    };
  }
}

interface CutFacts {
  readonly budget: TokenBudget | undefined;
  readonly overhead: number;
  /** Estimated before; unknown where every request is processed. */
  readonly before: number | undefined;
}

const isRung = (note: ProjectionNote): note is Extract<ProjectionNote, { kind: 'rung' }> =>
  note.kind === 'rung' && note.helped;

const isLadder = ({ name }: Processor): boolean => name === 'budgetLadder';

/** For processors without a budget. */
const ladder = budgetLadder();

const pinsOf = (promptAt: number | undefined): readonly number[] =>
  promptAt === undefined ? [] : [promptAt];

const isSameCut = (one: Compaction['cut'], other: Compaction['cut']): boolean =>
  one === other || (one !== null && other !== null && one.upTo === other.upTo);

const prefixOf = (history: History<Turn>, length: number): History<Turn> => {
  if (length >= history.length) return history;
  const view = new HistoryView(history);
  const turns: Turn[] = [];
  for (let index = 0; index < length; index += 1) {
    const turn = view.at(index);
    if (turn !== undefined) turns.push(turn);
  }
  return append(emptyHistory<Turn>(), ...turns);
};
