import type { RunResult } from '../runs/run-result.ts';

/** An agent or a team, as seen by a tool or a critic that engages it: who it is, and the types of its input and answer. */
export interface Delegate<Input = string, Output = string> {
  readonly name: string;
  readonly description: string;
  run(input: Input): Promise<RunResult<Output, unknown>>;
}
