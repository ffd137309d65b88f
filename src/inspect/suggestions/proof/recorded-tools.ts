import { isJsonObject, toJson } from '../../../base/json/json.ts';
import type { Json } from '../../../base/json/json.ts';
import { isSameJson } from '../../../base/json/same-json.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import type { ToolExecutor } from '../../../contracts/tools/executor.ts';
import type { RunFacts } from '../run-facts.ts';
import { toolsIn } from '../run-facts.ts';

/** A tool of an agent whose long results are shortened. */
export interface CutResults {
  readonly agent: string;
  readonly tool: string;
  /** Number of characters that are left. */
  readonly most: number;
}

/** Answers tool calls from the record of a run, and executes none. */
export class RecordedTools {
  readonly #run: RunFacts;
  readonly #cut: CutResults | undefined;
  /** True once a call was made that the run did not make. */
  hasDiverged = false;
  /** Called tools that are not declared to read only. */
  readonly #writers = new Set<string>();

  constructor(run: RunFacts, cut?: CutResults) {
    this.#run = run;
    this.#cut = cut;
  }

  /** Those of given calls whose tools are not declared to read only. */
  writersAmong(calls: readonly ChosenCall[] = []): ReadonlySet<string> {
    return new Set(calls.map(({ name }) => name).filter((name) => this.#writers.has(name)));
  }

  /** A call that the run did not make fails with `journal.diverged`. */
  readonly execute: ToolExecutor = ({ tool, facts, input, context }) => {
    if (facts.safety !== 'read' || facts.undeclared === true) this.#writers.add(tool);
    const recorded = toolsIn(this.#run);
    const found = recorded.find((call) => call.tool === tool && fits(call.input, toJson(input)));
    if (found === undefined) {
      this.hasDiverged = true;
      throw new TroupeError(
        'journal.diverged',
        `Cannot answer a call of '${tool}' as run '${this.#run.runId}' has no such call: a trial executes no tool`,
        { retryable: 'no' },
      );
    }
    if (!found.isOk) throw new TroupeError('tool.failed', found.text, { retryable: 'no' });
    const { agent, most } = this.#cut?.tool === tool ? this.#cut : {};
    return agent === context.agent ? found.text.slice(0, most) : found.text;
  };
}

/** Checks whether an input is the recorded one, to which a schema may have added defaults. */
const fits = (recorded: Json, input: Json): boolean =>
  isJsonObject(recorded) && isJsonObject(input)
    ? Object.entries(recorded).every(([name, value]) => isSameJson(value, input[name]))
    : isSameJson(recorded, input);
