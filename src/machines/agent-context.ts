import type { BudgetSpent, BudgetUse } from '../contracts/budget.ts';
import type { Critique, SaidCritique } from '../contracts/critique.ts';
import type { BranchTaken, TakenDecision } from '../contracts/decision.ts';
import type { ErrorData } from '../contracts/error.ts';
import type { EventBody } from '../contracts/event.ts';
import type { History } from '../contracts/history.ts';
import { emptyHistory } from '../contracts/history.ts';
import type { Json } from '../contracts/json.ts';
import type { MemoryBlock } from '../contracts/memory.ts';
import type { Message } from '../contracts/message.ts';
import type { Usage } from '../contracts/model.ts';
import type { ModelFailure } from '../contracts/model-failure.ts';
import type { Compaction } from '../contracts/processor.ts';
import type { RunStatus, StateChange } from '../contracts/run.ts';
import type { StopReason, Tally } from '../contracts/stop.ts';
import { emptyTally } from '../contracts/stop.ts';
import type { ToolResult } from '../contracts/tool.ts';
import type { AssistantTurn, Turn } from '../contracts/transcript.ts';
import type { RecoveryState } from './recovery-state.ts';
import type { CallPlan, PlannedCall } from './call-plan.ts';
import type { Delegations } from './delegations-state.ts';
import type { Watch } from './watch.ts';
import { NOTHING_SEEN } from './watch.ts';

/** What an agent's machine knows: plain JSON, few keys, and nothing that grows with the run but `history`. */
export interface AgentContext {
  readonly run: AgentIdentity;
  readonly input: Json;
  /** Steps completed; advances in REDUCE and only there. */
  readonly step: number;
  readonly state: Json;
  readonly history: History<Turn>;
  /** Messages not yet observed. */
  readonly inbox: readonly Message[];
  readonly cycle: Cycle;
  readonly tally: Tally;
  readonly review: ReviewState;
  /** Why the run is over; null while it is not. */
  readonly end: End | null;
}

/** What a reducer changes of the context. */
export type AgentChange = Partial<AgentContext>;

/** What does not change during a run, or hardly ever. */
export interface AgentIdentity {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly observes: boolean;
  /** It answers only when it has read all that came in. */
  readonly readsUnread?: true | undefined;
  readonly critics: 'none' | 'answer' | 'step';
  /** Critics of steps look at multiples of these only; absent where one of them looks at every step. */
  readonly critiqueEvery?: readonly number[] | undefined;
  readonly maxRejections: number;
  readonly toolConcurrency: number;
  /** The number of models to fall back along. */
  readonly models: number;
  /** Failures in a row that are survived; absent where the first one ends the run. */
  readonly recoveries?: number | undefined;
  /** What was said is part of how it ends. */
  readonly keepsConversation?: boolean | undefined;
  /** The author of the input, where that is not the user. */
  readonly inputFrom?: string | undefined;
  /** The phase that the work is in, where it goes through phases. */
  readonly phase?: string | undefined;
  /** Where the prompt of this run stands in the history; absent until it is prepared. */
  readonly promptAt?: number | undefined;
  /** What of the history is not shown any more; absent while all of it is. */
  readonly compaction?: Compaction | undefined;
}

/** The step under way. */
export interface Cycle {
  readonly startedAt: number;
  readonly messages: number;
  readonly observation: Json | null;
  /** What was recalled. */
  readonly memory: MemoryBlock | null;
  readonly decision: TakenDecision | null;
  /** What the decision was picked from, where it was. */
  readonly branch: BranchTaken | null;
  readonly turn: AssistantTurn | null;
  /** Said back to the model after its turn: why that turn could not stand. */
  readonly note: string | null;
  readonly plan: CallPlan | null;
  readonly trouble: Trouble | null;
  readonly results: readonly ToolResult[];
  /** The results of the step before. */
  readonly previous: readonly ToolResult[];
  readonly critiques: readonly SaidCritique[];
  readonly diff: Readonly<Record<string, StateChange>>;
  /** Told at CHECK_STOP, beside what is told of every step. */
  readonly notices: readonly EventBody[];
  /** The time to wait before the next step, in ms; null for none. */
  readonly pauseMs: number | null;
}

/** How the answer stands with the critics, what went wrong in a row, and how the run is getting on. */
export interface ReviewState {
  readonly candidate: Candidate | null;
  readonly rejections: number;
  /** Steps in a row in which every call named an unknown tool. */
  readonly unknownTools: number;
  /** Turns in a row that could not stand (an answer that breaks its schema …). */
  readonly badTurns: number;
  /** Failures that were survived, or wait for a decision; absent until there is one. */
  readonly recovery?: RecoveryState | undefined;
  /** The last failures of models, where retries adapt to them; absent until there is one. */
  readonly modelFailures?: readonly ModelFailure[] | undefined;
  readonly watch: Watch;
  /** Work given to others; absent until there is some. */
  readonly delegations?: Delegations | undefined;
}

/** An answer that may become the output of the run. */
export interface Candidate {
  readonly answer: Json;
  /** It was taken for the answer although the model never said so. */
  readonly autoCompleted?: true | undefined;
}

/** The end of a run. */
export interface End {
  readonly status: RunStatus;
  readonly stopReason: StopReason;
  readonly error?: ErrorData | undefined;
  /** All that preparing found, where that ended the run: `error` is the sum of it. */
  readonly problems?: readonly ErrorData[] | undefined;
}

/** A decision, or why there is none. */
type Choice =
  | {
      readonly kind: 'decided';
      readonly decision: TakenDecision;
      readonly branch?: BranchTaken | undefined;
      readonly calls?: readonly PlannedCall[] | undefined;
      readonly turn?: AssistantTurn | undefined;
      readonly usage?: Usage | undefined;
    }
  | {
      readonly kind: 'again';
      readonly turn: AssistantTurn;
      readonly note?: string | undefined;
      readonly usage: Usage;
      /** Too many of these in a row end the run with this. */
      readonly problem?: ErrorData | undefined;
    }
  | { readonly kind: 'refused'; readonly text: string; readonly usage: Usage }
  | {
      /** Nothing was chosen, as a budget does not allow it. */
      readonly kind: 'spent';
      readonly stopReason: BudgetSpent;
      /** The step itself is not allowed: nothing of it has begun. */
      readonly isUnbegun?: true | undefined;
      /** What attempts used before. */
      readonly usage?: Usage | undefined;
    };

/** What it took to come to a choice. */
interface Expense {
  /** Attempts and models that it took beyond the first. */
  readonly retries?: number | undefined;
  /** All that are remembered, where a call of its own had more. */
  readonly failures?: readonly ModelFailure[] | undefined;
  readonly budget?: BudgetUse | undefined;
  /** What became of the conversation when the request was made, if anything did. */
  readonly compaction?: Compaction | undefined;
}

/** What a decision comes to: the answer of port `decide`, or of a model call. */
export type Decided = (Choice & Expense) | Trouble;

/** Work that could not be finished in one go: handed to a call machine of its own. */
export interface Trouble {
  readonly kind: 'trouble';
  readonly index: number;
  readonly attempt: number;
  /** The time to wait before the next attempt, in ms; null where there is none with this model or tool. */
  readonly waitMs: number | null;
  /** A person has to say yes first. */
  readonly needsApproval?: boolean | undefined;
  readonly error?: ErrorData | undefined;
  /** The model that was asked, by name. */
  readonly model?: string | undefined;
  /** Said to the model in the next attempt. */
  readonly nudge?: string | undefined;
  /** The text of an attempt that broke off, incomplete: kept for the next to go on from. */
  readonly partial?: string | undefined;
  /** To be remembered, where retries adapt. */
  readonly failure?: ModelFailure | undefined;
  /** Tokens used in vain. */
  readonly usage?: Usage | undefined;
  readonly compaction?: Compaction | undefined;
}

/** What one tool call comes to: the answer of ports `act` and `tool`. */
export type Acted =
  | {
      readonly kind: 'result';
      readonly result: ToolResult;
      /** The budget that did not allow the call. */
      readonly spent?: BudgetSpent | undefined;
      readonly budget?: BudgetUse | undefined;
    }
  | Trouble;

/** What preparing found. */
export interface Prepared {
  readonly problems: readonly ErrorData[];
  readonly input: Json;
  /** The first user turn. */
  readonly prompt: string;
  readonly models: number;
  readonly budget?: BudgetUse | undefined;
}

/** What looking around gave. */
export interface Observed {
  readonly observation?: Json | undefined;
  readonly memory?: MemoryBlock | undefined;
}

/** What all critics together said. */
export interface Critiqued {
  readonly critiques: readonly SaidCritique[];
  readonly verdict: Critique;
}

/** What an agent's actor is started with. */
export interface AgentInput extends AgentIdentity {
  readonly input: Json;
  readonly state: Json;
  readonly history: History<Turn>;
  readonly at: number;
}

const NO_CYCLE: Cycle = {
  startedAt: 0,
  messages: 0,
  observation: null,
  memory: null,
  decision: null,
  branch: null,
  turn: null,
  note: null,
  plan: null,
  trouble: null,
  results: [],
  previous: [],
  critiques: [],
  diff: {},
  notices: [],
  pauseMs: null,
};

/** The cycle of a step that begins at `startedAt`. */
export const newCycle = (startedAt: number, messages = 0, previous: readonly ToolResult[] = []): Cycle => ({
  ...NO_CYCLE,
  startedAt,
  messages,
  previous,
});

const NOBODY: AgentInput = {
  runId: '',
  path: '',
  agent: '',
  observes: false,
  critics: 'none',
  maxRejections: 0,
  toolConcurrency: 1,
  models: 0,
  input: null,
  state: {},
  history: emptyHistory(),
  at: 0,
};

/** The context to start from. XState's pure functions call it once more without an input: hence the default. */
export const initialContext = ({ input: given }: { input: AgentInput | undefined }): AgentContext => {
  const { input, state, history, at, ...run } = given ?? NOBODY;
  return {
    run,
    input,
    step: 0,
    state,
    history,
    inbox: [],
    cycle: newCycle(at),
    tally: emptyTally(at),
    review: { candidate: null, rejections: 0, unknownTools: 0, badTurns: 0, watch: NOTHING_SEEN },
    end: null,
  };
};
