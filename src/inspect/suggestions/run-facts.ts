import type { Json } from '../../base/json/json.ts';
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
  readonly durationMs: number;
  readonly costUsd: number | undefined;
  readonly tokens: number;
  /** Answered model calls and finished tool calls, in the order of their ends. */
  readonly moves: readonly Move[];
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
