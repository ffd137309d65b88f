import type { Json } from './json.ts';
import type { Tally } from './stop.ts';
import type { Receiver, ToolSpec } from './tool.ts';

/**
 * A named piece of the system prompt.
 *
 * Those of a run are composed once, lowest priority first, and stay the same bytes for the whole run, so that providers can
 * cache them. What changes from step to step is said at the end of the conversation (`each: 'step'`), and is no part of it.
 */
export type PromptFragment = RunFragment | StepFragment;

interface FragmentBase {
  /** One of two fragments of a name stands: the later. */
  readonly name: string;
  /** Lower comes first; see `promptOrder` for those of the runtime. */
  readonly priority: number;
}

/** Part of the system prompt; undefined leaves it out. */
export interface RunFragment extends FragmentBase {
  readonly each?: 'run' | undefined;
  readonly text: string | ((facts: PromptFacts) => string | undefined);
}

/** Said to the model after everything else, in this step only. */
export interface StepFragment extends FragmentBase {
  readonly each: 'step';
  readonly text: string | ((facts: StepFacts) => string | undefined);
}

/** What holds for a whole run. */
export interface PromptFacts {
  readonly agent: string;
  readonly description: string;
  readonly tools: readonly ToolSpec[];
  /** Agents that its tools give work to, each once. */
  readonly members: readonly Receiver[];
}

/** What holds now. */
export interface StepFacts extends PromptFacts {
  readonly step: number;
  /** The phase that the work is in, by the agent's `workPhases` or its team; null where it has none. */
  readonly phase: string | null;
  readonly state: Json;
  readonly tally: Tally;
}
