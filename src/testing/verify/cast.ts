import type { Json } from '../../base/json/json.ts';
import type { Tool, Toolset } from '../../contracts/tools/tool.ts';
import type { Rules } from '../../machines/rules.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import type { Chart } from '../../runtime/turn/turn.ts';
import { isToolset } from '../../tools/define/tool-registry.ts';
import { DONE } from './call-end.ts';
import { samplesOf } from './samples.ts';
import type { ProofOptions } from './verify-options.ts';

/** A call that a model may make. */
export interface PossibleCall {
  /** With that of its toolset. */
  readonly name: string;
  readonly tool: Tool;
  readonly input: Json;
}

/** The choices of an agent, as its environment is abstracted; of a team only its chart. */
export interface Part {
  readonly definition: Definition;
  readonly chart: Chart;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly calls: readonly PossibleCall[];
  /** By the name of a tool, what its calls may return. */
  readonly results: ReadonlyMap<string, readonly Json[]>;
  readonly answers: readonly Json[];
}

/** The agents and teams of a proof. Owns what is known of each, made on first use. */
export class Cast {
  readonly #options: ProofOptions;
  readonly #parts = new Map<Definition, Part>();
  readonly #assumed = new Set<string>();

  constructor(options: ProofOptions) {
    this.#options = options;
  }

  /** Assumptions about those that came on. */
  get assumptions(): readonly string[] {
    return [...this.#assumed];
  }

  get parts(): readonly Part[] {
    return [...this.#parts.values()];
  }

  partOf(definition: Definition): Part {
    const known = this.#parts.get(definition);
    if (known !== undefined) return known;
    const part = this.#make(definition);
    this.#parts.set(definition, part);
    return part;
  }

  #make(definition: Definition): Part {
    const { agent, machine, rules, name } = definition;
    const chart = { machine, rules: withoutLoops(rules) };
    if (agent === undefined)
      return { definition, chart, tools: new Map(), calls: [], results: new Map(), answers: [] };
    const tools = new Map(agent.tools.flatMap(toolsIn));
    for (const item of agent.tools)
      if (isToolset(item) && item.open !== undefined)
        this.#assumed.add(`'${name}' calls of the toolset '${item.name}' what it has before it is opened`);
    if (agent.decide !== undefined)
      this.#assumed.add(`the \`decide\` of '${name}' chooses as freely as a model`);
    if (agent.environment !== undefined) this.#assumed.add(`'${name}' observes nothing of its environment`);
    for (const tool of tools.values())
      if (tool.delegates !== undefined || tool.receivers !== undefined)
        this.#assumed.add(
          `what '${tool.name}' of '${name}' has other agents do is one step, which succeeds or fails`,
        );
    const calls = [...tools].flatMap(([called, tool]) =>
      this.#inputsOf(called, tool).map((input) => ({ name: called, tool, input })),
    );
    const results = new Map([...tools].map(([called, tool]) => [called, this.#resultsOf(called, tool)]));
    return { definition, chart, tools, calls, results, answers: this.#answersOf(definition) };
  }

  #inputsOf(name: string, tool: Tool): readonly Json[] {
    const given = this.#options.calls?.[name];
    if (given !== undefined) return given;
    // One each: which input it is matters where `calls` says so.
    return samplesOf(tool.parameters).slice(0, 1);
  }

  #resultsOf(name: string, { outputSchema }: Tool): readonly Json[] {
    const given = this.#options.results?.[name];
    return given ?? (outputSchema === undefined ? DONE : samplesOf(outputSchema));
  }

  #answersOf({ name, agent }: Definition): readonly Json[] {
    const given = this.#options.answers?.[name];
    if (given !== undefined) return given;
    const schema = agent?.output?.spec.schema;
    return schema === undefined ? [`the answer of ${name}`] : samplesOf(schema);
  }
}

/** Loops are watched for by what was said and done before, which a proof does not tell apart: they end a run early, as a limit does. */
const withoutLoops = ({ loops: _loops, wrapUp: _wrapUp, ...rules }: Rules): Rules => rules;

/** The tools of an item, by the names that models call them by. */
const toolsIn = (item: Tool | Toolset): readonly (readonly [string, Tool])[] =>
  isToolset(item)
    ? item.tools.map((each) => [`${item.name}.${each.name}`, each] as const)
    : [[item.name, item] as const];
