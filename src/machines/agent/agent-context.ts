import type { BudgetSpent, BudgetUse } from '../../contracts/runs/budget.ts';
import type { Critique, SaidCritique } from '../../contracts/agents/critique.ts';
import type { BranchTaken, TakenDecision } from '../../contracts/agents/decision.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { History } from '../../base/collections/history.ts';
import { emptyHistory } from '../../base/collections/history.ts';
import type { Part } from '../../contracts/content/part.ts';
import type { Json } from '../../base/json/json.ts';
import type { MemoryBlock } from '../../contracts/conversations/memory.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { ApprovalTerms } from '../../contracts/people/approval-terms.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { ModelFailure } from '../../contracts/models/model-failure.ts';
import type { Compaction } from '../../contracts/conversations/processor.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { StateChange } from '../../contracts/runs/step-record.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Tally } from '../../contracts/agents/tally.ts';
import { emptyTally } from '../../contracts/agents/tally.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { AssistantTurn, Turn } from '../../contracts/conversations/transcript.ts';
import type { RecoveryState } from '../recovery/recovery-state.ts';
import type { CallPlan, PlannedCall } from './call-plan.ts';
import type { Delegations } from './delegations-state.ts';
import type { Watch } from '../stopping/watch.ts';
import { NOTHING_SEEN } from '../stopping/watch.ts';

/** The context of an agent's machine: plain JSON, few keys, and nothing that grows with the run but `history`. */
export interface AgentContext {
  readonly run: AgentIdentity;
  readonly input: Json;
  /** Number of completed steps; advances in REDUCE only. */
  readonly step: number;
  readonly state: Json;
  readonly history: History<Turn>;
  /** Messages not yet observed. */
  readonly inbox: readonly Message[];
  readonly cycle: Cycle;
  readonly tally: Tally;
  readonly review: ReviewState;
  /** The reason why the run is over; null until then. */
  readonly end: End | null;
}

/** A partial context returned by a reducer. */
export type AgentChange = Partial<AgentContext>;

/** The part of the context that hardly ever changes during a run. */
export interface AgentIdentity {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly observes: boolean;
  /** True if it answers only after reading all messages; `people`: those from outside the run. */
  readonly readsUnread?: true | 'people' | undefined;
  readonly critics: 'none' | 'answer' | 'step';
  /** Critics of steps apply to multiples of these only; absent if one of them applies to every step. */
  readonly critiqueEvery?: readonly number[] | undefined;
  readonly maxRejections: number;
  readonly toolConcurrency: number;
  /** Number of models in the fallback list. */
  readonly models: number;
  /** Largest number of consecutive failures that are recovered; absent if the first one ends the run. */
  readonly recoveries?: number | undefined;
  /** Includes the conversation in the outcome. */
  readonly keepsConversation?: boolean | undefined;
  /** Author of the input, if not the user. */
  readonly inputFrom?: string | undefined;
  /** The phase of the work, if it has phases. */
  readonly phase?: string | undefined;
  /** Index of this run's prompt in the history; absent until it is prepared. */
  readonly promptAt?: number | undefined;
  /** The part of the history that is no longer shown; absent while all of it is. */
  readonly compaction?: Compaction | undefined;
}

/** The current step. */
export interface Cycle {
  readonly startedAt: number;
  readonly messages: number;
  readonly observation: Json | null;
  /** Recalled memories. */
  readonly memory: MemoryBlock | null;
  readonly decision: TakenDecision | null;
  /** The branch that the decision was selected from, if any. */
  readonly branch: BranchTaken | null;
  readonly turn: AssistantTurn | null;
  /** A note to the model after its turn: the reason why that turn was rejected. */
  readonly note: string | null;
  readonly plan: CallPlan | null;
  readonly trouble: Trouble | null;
  readonly results: readonly ToolResult[];
  /** Results of the previous step. */
  readonly previous: readonly ToolResult[];
  readonly critiques: readonly SaidCritique[];
  readonly diff: Readonly<Record<string, StateChange>>;
  /** Events to emit at CHECK_STOP, beside those of every step. */
  readonly notices: readonly EventBody[];
  /** Wait before the next step, in ms; null for none. */
  readonly pauseMs: number | null;
}

/** The state of reviews, recoveries, loops and delegations. */
export interface ReviewState {
  readonly candidate: Candidate | null;
  readonly rejections: number;
  /** Number of consecutive steps in which every call named an unknown tool. */
  readonly unknownTools: number;
  /** Number of consecutive rejected turns (an answer that violates its schema …). */
  readonly badTurns: number;
  /** Failures that were recovered or wait for a decision; absent until there is one. */
  readonly recovery?: RecoveryState | undefined;
  /** Latest failures of models, for adaptive retries; absent until there is one. */
  readonly modelFailures?: readonly ModelFailure[] | undefined;
  readonly watch: Watch;
  /** Delegated work; absent until there is some. */
  readonly delegations?: Delegations | undefined;
}

/** An answer that may become the output of the run. */
export interface Candidate {
  readonly answer: Json;
  /** True if the model never declared it as its answer. */
  readonly autoCompleted?: true | undefined;
}

/** The end of a run. */
export interface End {
  readonly status: RunStatus;
  readonly stopReason: StopReason;
  readonly error?: ErrorData | undefined;
  /** All problems found while preparing, if they ended the run; `error` summarizes them. */
  readonly problems?: readonly ErrorData[] | undefined;
}

/** A decision, or the reason for not having one. */
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
      /** Ends the run if too many of these occur in a row. */
      readonly problem?: ErrorData | undefined;
    }
  | { readonly kind: 'refused'; readonly text: string; readonly usage: Usage }
  | {
      /** Refused by a budget. */
      readonly kind: 'spent';
      readonly stopReason: BudgetSpent;
      /** True if the step itself is refused, so that nothing of it has started. */
      readonly isUnbegun?: true | undefined;
      /** Usage of earlier attempts. */
      readonly usage?: Usage | undefined;
    };

/** The effort behind a choice. */
interface Expense {
  /** Number of attempts beyond the first, of all models. */
  readonly retries?: number | undefined;
  /** All failures remembered by the call actor, if there was one. */
  readonly failures?: readonly ModelFailure[] | undefined;
  readonly budget?: BudgetUse | undefined;
  /** The compaction made for the request, if any. */
  readonly compaction?: Compaction | undefined;
}

/** The answer of port `decide`, or of a model call. */
export type Decided = (Choice & Expense) | Trouble;

/** Work that needs more than one attempt: it is handed to a call machine. */
export interface Trouble {
  readonly kind: 'trouble';
  readonly index: number;
  readonly attempt: number;
  /** Wait before the next attempt, in ms; null if this model or tool is not tried again. */
  readonly waitMs: number | null;
  /** True if a person has to approve it first. */
  readonly needsApproval?: boolean | undefined;
  /** The terms on which the run's safety strategy has it approved; absent if it names none. */
  readonly terms?: ApprovalTerms | undefined;
  readonly error?: ErrorData | undefined;
  /** Name of the model. */
  readonly model?: string | undefined;
  /** A note to the model in the next attempt. */
  readonly nudge?: string | undefined;
  /** Partial text of an interrupted attempt, to continue from. */
  readonly partial?: string | undefined;
  /** A failure to remember, for adaptive retries. */
  readonly failure?: ModelFailure | undefined;
  /** Wasted tokens. */
  readonly usage?: Usage | undefined;
  readonly compaction?: Compaction | undefined;
}

/** The answer of ports `act` and `tool`: the result of one tool call. */
export type Acted =
  | {
      readonly kind: 'result';
      readonly result: ToolResult;
      /** The budget that refused the call. */
      readonly spent?: BudgetSpent | undefined;
      readonly budget?: BudgetUse | undefined;
    }
  | Trouble;

/** The answer of port `prepare`. */
export interface Prepared {
  readonly problems: readonly ErrorData[];
  readonly input: Json;
  /** The first user turn. */
  readonly prompt: string;
  /** All of its content, if it is more than text. */
  readonly parts?: readonly Part[] | undefined;
  readonly models: number;
  readonly budget?: BudgetUse | undefined;
}

/** The answer of port `observe`. */
export interface Observed {
  readonly observation?: Json | undefined;
  readonly memory?: MemoryBlock | undefined;
}

/** The combined answer of all critics. */
export interface Critiqued {
  readonly critiques: readonly SaidCritique[];
  readonly verdict: Critique;
}

/** Input of an agent's actor. */
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

/** The cycle of a step that starts at `startedAt`. */
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

/** The initial context. XState's pure functions also call it without an input, hence the default. */
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
