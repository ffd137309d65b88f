import { isTroupeError } from '../contracts/error.ts';
import type { History } from '../contracts/history.ts';
import { append, emptyHistory, HistoryView } from '../contracts/history.ts';
import type { Usage } from '../contracts/model.ts';
import type {
  Compaction,
  Processor,
  ProjectionNote,
  Summariser,
  TokenBudget,
  TokenCounter,
} from '../contracts/processor.ts';
import { noCompaction } from '../contracts/processor.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { Turn } from '../contracts/transcript.ts';
import { compact, type Compacted } from './compact.ts';
import { budgetLadder } from './budget-ladder.ts';
import { TurnCounter } from './count-tokens.ts';
import { budgetAfterOverflow } from './model-limits.ts';
import { project } from './project.ts';
import { RunningEstimate } from './running-estimate.ts';

/** How an agent's conversation is kept short. */
export interface ContextPlan {
  readonly processors: () => readonly Processor[];
  /** True if they are applied to every request, and not only past the soft limit. */
  readonly isConstant: boolean;
  readonly counter: TokenCounter | undefined;
}

/** What is to be shown, and to whom. */
export interface ShowRequest {
  readonly history: History<Turn>;
  readonly compaction: Compaction | null;
  /** Where the prompt of the run stands. */
  readonly promptAt: number | undefined;
  readonly model: string;
  /** What this model takes, as far as anybody knows; undefined for one without a limit. */
  readonly budget: TokenBudget | undefined;
  /** Nobody knows what the model takes: what cannot be cut to the budget is sent as it is. */
  readonly isGuess: boolean;
  /** What the request holds beside the turns. */
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  /** Called only where there is something to summarise. */
  readonly summariser: () => Summariser | undefined;
}

/** What the model is shown. */
export interface Shown {
  readonly history: History<Turn>;
  /** What is to be kept in the agent's context; absent where nothing changed. */
  readonly compaction?: Compaction | undefined;
  readonly usage?: Usage | undefined;
  /** The request is past the soft limit, and nobody was told yet. */
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
 * What an agent's model is shown of its conversation, from request to request of one run.
 *
 * I1  It follows from the history and the compaction alone: what is kept here is a cache.
 * I2  While a conversation is short, only what is new is looked at; once it was cut, it is left alone, the new turns behind
 *     it, until it is too long again. So a request costs the same at turn 10 and at turn 10,000, and its beginning stays
 *     the same bytes for long.
 */
export class ShownConversation {
  readonly counter: TurnCounter;
  /** Blocks of the history that were looked at: for tests and measurements. */
  touched = 0;
  readonly #plan: ContextPlan;
  #estimate: RunningEstimate;
  #cut: Compaction['cut'] = null;
  #tokensAfterCut = 0;
  /** Of the request before, where every request is processed. */
  #sent = 0;
  #tools: readonly ToolSpec[] | undefined;
  #overhead = 0;

  constructor(plan: ContextPlan) {
    this.#plan = plan;
    this.counter = new TurnCounter(plan.counter);
    this.#estimate = new RunningEstimate(this.counter);
  }

  /**
   * What to send.
   *
   * @throws `model.context-overflow` if nothing more can be left out, and whatever a processor throws.
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

  /** What to keep in mind once the model has said that this was too much; undefined where nothing can be left out. */
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

  /** The conversation as it was cut last, with what was said since. */
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

/** Follows processors that hold to no budget. */
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
