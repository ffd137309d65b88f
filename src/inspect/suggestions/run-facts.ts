import type { Json } from '../../base/json/json.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { WholeRequest } from '../../runtime/log/sent-requests.ts';

/** Facts of a recorded run that rules look at. */
export interface RunFacts {
  readonly runId: string;
  /** The name of its root. */
  readonly agent: string;
  /** The input, as text. */
  readonly input: string;
  readonly status: RunStatus;
  /** Its output, as canonical text. */
  readonly output: string;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly costUsd: number | undefined;
  readonly tokens: number;
  /** Answered model calls and finished tool calls, in the order of their ends. */
  readonly moves: readonly Move[];
  /** Attempts of model calls that failed, in order. */
  readonly failures: readonly FailureFact[];
  readonly retries: readonly RetryFact[];
  readonly choices: readonly ChoiceFact[];
  /** Agents whose work was sent back by a critic, one entry for each time. */
  readonly revised: readonly string[];
}

/** A model or tool call of a run. */
export type Move = CallFact | ToolFact;

interface Moved {
  readonly agent: string;
  readonly path: string;
  readonly step: number | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly ms: number;
}

/** A model call that was answered. */
export interface CallFact extends Moved {
  readonly kind: 'model';
  /** The number of the event of its answer. */
  readonly seq: number;
  /** `provider:id`, as it was asked. */
  readonly model: string;
  readonly text: string;
  /** Number of tool calls that it asks for. */
  readonly calls: number;
  readonly usage: Usage;
  readonly costUsd: number | undefined;
  /** Answered from a cache. */
  readonly isCached: boolean;
  /** Equal for equal calls. */
  readonly digest: string;
  /** The request, where it is on record: the digest is then of all that was sent. */
  readonly request: WholeRequest | undefined;
  /** The answer as the model gave it, where all of it is on record. */
  readonly answer: ModelAnswer | undefined;
}

/** An attempt of a model call that failed. */
export interface FailureFact {
  readonly agent: string;
  readonly model: string;
  /** From 1; further ones are retries of the same call. */
  readonly attempt: number;
  readonly startedAt: number;
  readonly ms: number;
  readonly error: ErrorData;
  readonly request: WholeRequest | undefined;
}

/** A tool call that finished. */
export interface ToolFact extends Moved {
  readonly kind: 'tool';
  readonly tool: string;
  readonly input: Json;
  readonly text: string;
  readonly isOk: boolean;
}

/** A call that was retried. */
export interface RetryFact {
  readonly agent: string;
  /** The model or the tool. */
  readonly name: string;
  readonly kind: Move['kind'];
  readonly code: string;
  readonly attempts: number;
  /** Waits between attempts, in ms. */
  readonly waitedMs: number;
  readonly hasHelped: boolean;
}

/** A choice between alternatives: of a branch, or of a router. */
export interface ChoiceFact {
  readonly agent: string;
  readonly options: readonly string[];
  readonly chosen: string;
  /** True if the chosen one was the first by an order that is the same without any of the others. */
  readonly isInOrder: boolean;
  /** The name of the agent whose model was shown all, and judged them. */
  readonly judge: string | undefined;
}

/** The model calls among moves. */
export const callsIn = ({ moves }: RunFacts): readonly CallFact[] =>
  moves.filter((move) => move.kind === 'model');

/** The tool calls among moves. */
export const toolsIn = ({ moves }: RunFacts): readonly ToolFact[] =>
  moves.filter((move) => move.kind === 'tool');

/** The moves of each agent of a run, in order. */
export const movesByPath = ({ moves }: RunFacts): Iterable<readonly Move[]> =>
  inGroups(moves, ({ path }) => path);

/** Items of one key together, in their order. */
export const inGroups = <Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Iterable<readonly Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups.values();
};
