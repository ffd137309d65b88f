import { toJson } from '../../../base/json/json.ts';
import type { Json } from '../../../base/json/json.ts';
import { fitsJson } from '../../../base/json/fits-json.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import type { ToolExecutor } from '../../../contracts/tools/executor.ts';
import type { RunFacts, ToolFact } from '../run-facts.ts';
import { toolsIn } from '../run-facts.ts';
import type { TrialClock } from './trial-clock.ts';

/** A tool of an agent whose long results are shortened. */
export interface CutResults {
  readonly agent: string;
  readonly tool: string;
  /** Number of characters that are left. */
  readonly most: number;
}

/** Answers tool calls from the record of a run, for their recorded time, and executes none. */
export class RecordedTools {
  readonly #run: RunFacts;
  readonly #clock: TrialClock;
  readonly #cut: CutResults | undefined;
  /** Calls whose results were given. */
  readonly #given = new Set<ToolFact>();
  /** True once a call was made that the run did not make. */
  hasDiverged = false;
  /** Called tools that are not declared to read only. */
  readonly #writers = new Set<string>();

  constructor(run: RunFacts, clock: TrialClock, cut?: CutResults) {
    this.#run = run;
    this.#clock = clock;
    this.#cut = cut;
  }

  /** Those of given calls whose tools are not declared to read only. */
  writersAmong(calls: readonly ChosenCall[] = []): ReadonlySet<string> {
    return new Set(calls.map(({ name }) => name).filter((name) => this.#writers.has(name)));
  }

  /** A call that the run did not make fails with `journal.diverged`. */
  readonly execute: ToolExecutor = async ({ tool, facts, input, context }) => {
    if (facts.safety !== 'read' || facts.undeclared === true) this.#writers.add(tool);
    const found = this.#take(tool, toJson(input), context.agent);
    if (found === undefined) {
      this.hasDiverged = true;
      throw new TroupeError(
        'journal.diverged',
        `Cannot answer a call of '${tool}' as run '${this.#run.runId}' has no such call: a trial executes no tool`,
        { retryable: 'no' },
      );
    }
    await this.#clock.pass(found.ms);
    if (!found.isOk) throw new TroupeError('tool.failed', found.text, { retryable: 'no' });
    const { agent, most } = this.#cut?.tool === tool ? this.#cut : {};
    return agent === context.agent ? found.text.slice(0, most) : found.text;
  };

  /** The recorded call, of the agent's own the next one; a call that is made once more gets the last result again. */
  #take(tool: string, input: Json, agent: string): ToolFact | undefined {
    const equal = toolsIn(this.#run).filter((call) => call.tool === tool && fitsJson(call.input, input));
    const own = equal.filter((call) => call.agent === agent);
    const fitting = own.length > 0 ? own : equal;
    const found = fitting.find((call) => !this.#given.has(call)) ?? fitting.at(-1);
    if (found !== undefined) this.#given.add(found);
    return found;
  }
}
