import type { Json } from '../../base/json/json.ts';
import type { MemoryBlock } from '../conversations/memory.ts';
import type { Tally } from './tally.ts';
import type { ToolResult } from '../tools/tool-result.ts';
import type { Transcript } from '../conversations/transcript.ts';

/** The run, as an agent's own functions see it. */
export interface AgentView<State extends Json = Json, Observation extends Json = Json, Input = Json> {
  /** As JSON: where the input schema makes a Date, its text. */
  readonly input: Input;
  readonly state: State;
  readonly step: number;
  readonly transcript: Transcript;
  /** The result of `observe` in this step. */
  readonly observation: Observation | undefined;
  /** The memories recalled in this step. */
  readonly memory?: MemoryBlock | undefined;
  /** The results of the step before. */
  readonly results: readonly ToolResult[];
  readonly tally: Tally;
  /** The `context` that the caller of the run passed; validate it before use. */
  readonly context?: unknown;
  /** Aborted when the run ends. Made on first use. */
  readonly signal: AbortSignal;
}
