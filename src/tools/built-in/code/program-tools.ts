import type { OpsGroup } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Safety, Tool, ToolContext, Toolset } from '../../../contracts/tools/tool.ts';
import { isToolset } from '../../define/tool-registry.ts';
import { requiredBy } from '../../environments/requiring.ts';
import { schemaAsType } from '../../schemas/schema-as-type.ts';
import { withExecute } from '../../wrappers/with-execute.ts';
import { wrapContext } from '../../wrappers/wrap-context.ts';

type Items = readonly (Tool | Toolset)[];

const SAFETIES: readonly Safety[] = ['read', 'write', 'danger'];

/** The tools that programs call, by full name. */
export class ProgramTools {
  readonly #items: Items;
  readonly #tools: ReadonlyMap<string, Tool>;

  /** @throws {TroupeError} `tool.invalid` without a tool, for toolsets that open, and for tools that act on the agent itself. */
  constructor(owner: string, items: Items) {
    this.#items = items;
    this.#tools = new Map(
      items.flatMap((item): readonly (readonly [string, Tool])[] =>
        isToolset(item) ? item.tools.map((each) => [`${item.name}.${each.name}`, each]) : [[item.name, item]],
      ),
    );
    const problem = this.#problem;
    if (problem === undefined) return;
    throw new TroupeError(
      'tool.invalid',
      `Cannot define '${owner}' as programs cannot use its tools: ${problem}`,
      {
        tool: owner,
      },
    );
  }

  get #problem(): string | undefined {
    const opened = this.#items.find((item) => isToolset(item) && item.open !== undefined);
    if (opened !== undefined) return `those of '${opened.name}' are known only when a run opens it`;
    if (this.#tools.size === 0) return 'there are none';
    const control = [...this.#tools].find(([, { category }]) => category === 'control')?.[0];
    return control === undefined ? undefined : `'${control}' acts on the agent itself, give it to the agent`;
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** That of the most careful of them. */
  get safety(): Safety {
    const levels = [...this.#tools.values()].map(({ safety }) => SAFETIES.indexOf(safety));
    return SAFETIES[Math.max(...levels)] ?? 'danger';
  }

  get requires(): readonly OpsGroup[] {
    return [...new Set([...this.#tools.values()].flatMap(requiredBy))];
  }

  /** One typed function for each, as a model reads it. */
  get signatures(): string {
    return [...this.#tools]
      .map(([name, { description, parameters, outputSchema }]) => {
        const about = description.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ').trim();
        const output = outputSchema === undefined ? 'unknown' : schemaAsType(outputSchema);
        return `/** ${about} */\n${accessOf(name)}(input: ${schemaAsType(parameters)}): Promise<${output}>`;
      })
      .join('\n');
  }

  /** The tools for the agent that runs a program: in the environment of the call, whose agent answers for what they require. */
  within(context: ToolContext): Items {
    const share = (tool: Tool): Tool => ({
      ...withExecute(tool, (input, inner) =>
        tool.execute(
          input,
          wrapContext(inner, {
            get ops() {
              return context.ops;
            },
          }),
        ),
      ),
      requires: undefined,
    });
    return this.#items.map((item) =>
      isToolset(item)
        ? {
            name: item.name,
            tools: item.tools.map(share),
            ...(item.setup === undefined ? {} : { setup: () => item.setup?.() }),
            ...(item.teardown === undefined ? {} : { teardown: () => item.teardown?.() }),
          }
        : share(item),
    );
  }
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** The expression that is a tool in a program: `tools.files.read`, `tools["web-search"]`. */
const accessOf = (name: string): string =>
  name
    .split('.')
    .reduce(
      (path, part) => (IDENTIFIER.test(part) ? `${path}.${part}` : `${path}[${JSON.stringify(part)}]`),
      'tools',
    );
