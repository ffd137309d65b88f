import type { Json } from '../../base/json/json.ts';
import type { Tally } from './tally.ts';
import type { Receiver } from '../tools/tool.ts';
import type { ToolSpec } from '../tools/tool-call.ts';

/**
 * A named piece of the system prompt.
 *
 * The fragments of a run are composed once, lowest priority first, and stay byte-identical for the whole run, so that
 * providers can cache them. Text that changes from step to step goes at the end of the conversation (`each: 'step'`),
 * not into the system prompt.
 */
export type PromptFragment = RunFragment | StepFragment;

interface FragmentBase {
  /** Of two fragments with one name, the later wins. */
  readonly name: string;
  /** Lower comes first; see `promptOrder` for those of the runtime. */
  readonly priority: number;
}

/** Part of the system prompt; undefined leaves it out. */
export interface RunFragment extends FragmentBase {
  readonly each?: 'run' | undefined;
  readonly text: string | ((facts: PromptFacts) => string | undefined);
}

/** Text added at the end of the conversation, in this step only. */
export interface StepFragment extends FragmentBase {
  readonly each: 'step';
  readonly text: string | ((facts: StepFacts) => string | undefined);
}

/** Facts that are fixed for a whole run. */
export interface PromptFacts {
  readonly agent: string;
  readonly description: string;
  readonly tools: readonly ToolSpec[];
  /** Agents that its tools delegate to, each once. */
  readonly members: readonly Receiver[];
}

/** Facts of the current step. */
export interface StepFacts extends PromptFacts {
  readonly step: number;
  /** The phase of the work, by the agent's `workPhases` or its team; null without either. */
  readonly phase: string | null;
  readonly state: Json;
  readonly tally: Tally;
}
