import {
  aBoolean,
  aFunction,
  anything,
  aText,
  aTime,
  byName,
  fulfilling,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  shortOr,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { onDemand } from '../../base/on-demand.ts';
import { optionProblems, refusedOptions } from '../../contracts/errors/check-options.ts';
import type { Safety } from '../../contracts/tools/tool.ts';
import { isToolsetName } from '../define/tool-options.ts';
import type { ServerAuth } from './server-auth.ts';

/** The state of a connection: `backing-off` is the wait before the next attempt. */
export type McpStatus = 'connecting' | 'ready' | 'lost' | 'backing-off' | 'closed';

/** Options of a server: its name, and either a `command` or a `url`; all others have defaults. */
export interface McpServerOptions {
  /** The name of the toolset, which precedes the names of its tools: `files.read`. Letters, digits, `_` and `-`. */
  readonly name: string;
  /** The program of a server of this machine, which is spoken to by its standard input and output. Node only. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** Variables that the program sees beside `PATH`, `HOME`, `LANG` and the like: no other of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder that the program starts in. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** The address of a server over streamable HTTP. */
  readonly url?: string | URL | undefined;
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A function that returns a bearer token, or an OAuth client of the package `@modelcontextprotocol/client`. */
  readonly auth?: ServerAuth | undefined;
  /** Default: the platform's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The tools that are offered, by the server's own names; one that it does not have is refused when a run starts. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** True if its tools are not sent to the model until it has found them by `find_tools`. Default false. */
  readonly deferred?: boolean | undefined;
  /**
   * Safety of tools, by the server's own names. Default: what the server says of them: `read` for `readOnlyHint`, `danger` for
   * `destructiveHint`, else `write`.
   */
  readonly safety?: Readonly<Record<string, Safety>> | undefined;
  /** True if a person must approve each call, or the names of tools that need it. Default: calls of `danger`. */
  readonly approval?: boolean | readonly string[] | undefined;
  /**
   * Fingerprints of definitions that somebody has read and approved, by the server's own names, as the event `toolset.opened` has them: any
   * other tool is held. Default: definitions as they were listed first, in this run and in this process.
   */
  readonly approved?: Readonly<Record<string, string>> | undefined;
  /** Handling of a tool whose definition changed: `hold` fails its calls by `mcp.changed`, `ask` asks a person to approve each. Default `hold`. */
  readonly onChange?: 'hold' | 'ask' | undefined;
  /** Time limit of a call, and of each request on behalf of a task, in ms, not counting the time that a person takes to answer. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time limit of a call that the server makes a task of, in ms, not counting the time that a person takes to answer. It begins when the
   * call does, or is resumed. Default 86,400,000: a day.
   */
  readonly taskTimeoutMs?: number | undefined;
  /** Time limit of a connection attempt, in ms. Default 30,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Attempts to connect before a call, or a run, fails; waits double from 250 ms to 8,000 ms. Default 3. */
  readonly attempts?: number | undefined;
  /** True if a run starts without the tools of a server that cannot be reached. Default: such a run fails. */
  readonly optional?: boolean | undefined;
  /** False if the server may not ask a person: it is refused from the start. Default true. */
  readonly elicitation?: boolean | undefined;
  /** True if the server may ask the agent's own model, within the budget of the run. Default false. */
  readonly sampling?: boolean | undefined;
  /** Tools that read the server's resources: `list_resources`, `read_resource`. Default true, if it has any. */
  readonly resources?: boolean | undefined;
  /** Tools that read the server's prompts: `list_prompts`, `get_prompt`. Default false. */
  readonly prompts?: boolean | undefined;
  /** Called with each change of a connection, of which each agent of a run has one. */
  readonly onStatus?: ((status: McpStatus, server: string) => void) | undefined;
}

const serverSchema = onDemand(() =>
  optionsSchema<McpServerOptions>({
    name: fulfilling(
      isToolsetName,
      'not a name: write up to 64 letters, digits, _ and -, the first a letter or _',
    ),
    command: optional(aText(1)),
    args: optional(listOf(aText())),
    env: optional(byName(aText())),
    cwd: optional(aText(1)),
    url: optional(fulfilling(isHttpUrl, 'not an address: write one that begins with http:// or https://')),
    headers: optional(byName(aText())),
    auth: anything(),
    fetch: optional(aFunction()),
    only: optional(listOf(aText(1))),
    deferred: optional(aBoolean()),
    safety: optional(byName(oneOf(['read', 'write', 'danger']))),
    approval: optional(shortOr((given) => typeof given === 'boolean', listOf(aText(1)))),
    approved: optional(byName(aText(1))),
    onChange: optional(oneOf(['hold', 'ask'])),
    timeoutMs: optional(aTime()),
    taskTimeoutMs: optional(aTime()),
    connectTimeoutMs: optional(aTime()),
    attempts: optional(wholeNumber(1)),
    optional: optional(aBoolean()),
    elicitation: optional(aBoolean()),
    sampling: optional(aBoolean()),
    resources: optional(aBoolean()),
    prompts: optional(aBoolean()),
    onStatus: optional(aFunction()),
  }),
);

/**
 * Checks the options of a server.
 *
 * @throws {TroupeError} `tool.invalid` with all that is wrong.
 */
export const checkServer: (options: unknown) => asserts options is McpServerOptions = (options) => {
  const problems = optionProblems(serverSchema(), options);
  const fields: { readonly [name: string]: unknown } = Object(options);
  const placeless = problems.length > 0 ? [] : placeProblems(fields);
  const all = [...problems, ...placeless];
  if (all.length === 0) return;
  const { name } = fields;
  const owner = `the MCP server${typeof name === 'string' ? ` '${name}'` : ''}`;
  throw refusedOptions(all, { code: 'tool.invalid', owner });
};

/** Options of a program, and of an address. */
const OF_PROGRAM = ['args', 'env', 'cwd'] as const;
const OF_ADDRESS = ['headers', 'auth', 'fetch'] as const;

const placeProblems = (options: { readonly [name: string]: unknown }): readonly string[] => {
  const { command, url } = options;
  if (command === undefined && url === undefined)
    return ['it has neither a command nor a url: write `command:` for a program, or `url:` for an address'];
  if (command !== undefined && url !== undefined) return ['it has a command and a url: write one of them'];
  const [other, names] =
    command === undefined ? (['url', OF_PROGRAM] as const) : (['command', OF_ADDRESS] as const);
  return names.flatMap((name) =>
    options[name] === undefined ? [] : [`its option \`${name}\` does not go with \`${other}\``],
  );
};

function isHttpUrl(given: unknown): boolean {
  const text = given instanceof URL ? given.href : given;
  return typeof text === 'string' && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
