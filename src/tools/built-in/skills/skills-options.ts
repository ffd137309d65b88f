import { onDemand } from '../../../base/on-demand.ts';
import {
  anything,
  aText,
  formOr,
  fulfilling,
  isObject,
  listOf,
  oneOf,
  oneOrMore,
  optional,
  optionsSchema,
} from '../../../base/schemas/option-schemas.ts';
import { checkOptions, refusedOptions } from '../../../contracts/errors/check-options.ts';
import type { McpServerOptions } from '../../mcp/mcp-options.ts';
import { checkServer } from '../../mcp/mcp-options.ts';
import { isToolsetName } from '../../define/tool-options.ts';

/** The options of a server that lead to it. */
const SERVER = [
  'name',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'auth',
  'fetch',
  'timeoutMs',
  'connectTimeoutMs',
  'attempts',
  'optional',
  'onStatus',
] as const;

/** The way to an MCP server that serves skills; see `mcpServer` for each option. */
export type SkillServer = Pick<McpServerOptions, (typeof SERVER)[number]>;

/**
 * A place of skills: a folder of theirs, the folder of one, an installed package, with a folder `skills` or a SKILL.md in it, or an MCP server.
 */
export type SkillSource = string | { readonly package: string } | { readonly mcp: SkillServer };

/** Options of skills. */
export interface SkillsOptions {
  /** Name of the toolset. Default `skills`. */
  readonly name?: string | undefined;
  /** The skills that are offered, by name. Default: all. */
  readonly only?: readonly string[] | undefined;
  /**
   * Adds `run_skill_script`, which runs the scripts of skills by the commands of the run's environment: `ask` once a person has approved the call, `run` at once.
   * Default: scripts are not run.
   */
  readonly scripts?: 'ask' | 'run' | undefined;
}

const skillsSchema = onDemand(() =>
  optionsSchema<SkillsOptions & { from: SkillSource | readonly SkillSource[] }>({
    from: oneOrMore(
      formOr(
        isObject,
        optionsSchema<{ package?: string | undefined; mcp?: unknown }>({
          package: optional(aText(1)),
          mcp: anything(),
        }),
        aText(1),
      ),
    ),
    name: optional(
      fulfilling(isToolsetName, 'not a name: write letters, digits, _ and -, the first a letter or _'),
    ),
    only: optional(listOf(aText(1))),
    scripts: optional(oneOf(['ask', 'run'])),
  }),
);

/**
 * Checks the places and the options of skills.
 *
 * @throws {TroupeError} `tool.invalid` with all that is wrong.
 */
export const checkSkills = (from: SkillSource | readonly SkillSource[], options: SkillsOptions): void => {
  checkOptions(skillsSchema(), { ...options, from }, { code: 'tool.invalid', owner: 'skills' });
  for (const source of [from].flat()) {
    if (typeof source === 'string') continue;
    if ('mcp' in source) checkSkillServer(source.mcp);
    else if (source.package === undefined)
      throw refusedOptions(['a place has neither `package` nor `mcp`'], {
        code: 'tool.invalid',
        owner: 'skills',
      });
  }
};

const checkSkillServer = (server: unknown): void => {
  checkServer(server);
  const known: readonly string[] = SERVER;
  const others = Object.keys(server).filter((name) => !known.includes(name));
  if (others.length === 0) return;
  const problems = others.map(
    (name) => `its option \`${name}\` is of \`mcpServer\`, and has no meaning for skills`,
  );
  throw refusedOptions(problems, {
    code: 'tool.invalid',
    owner: `the skills of the MCP server '${server.name}'`,
  });
};
