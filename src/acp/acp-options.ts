import {
  aBoolean,
  aText,
  aTime,
  anything,
  byName,
  fulfilling,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  wholeNumber,
} from '../base/schemas/option-schemas.ts';
import { onDemand } from '../base/on-demand.ts';
import type { AgentLimits, AgentOptions, FailureOptions } from '../contracts/agents/agent.ts';
import type { Described } from '../contracts/agents/signature.ts';
import { checkOptions } from '../contracts/errors/check-options.ts';
import { isToolsetName } from '../tools/define/tool-options.ts';

/** Options of {@link acpAgent}: its name, its program and its folder; all others have defaults. */
export interface AcpAgentOptions<Input extends Described = undefined, Output extends Described = undefined>
  extends
    Pick<
      AgentOptions<Input, Output>,
      'description' | 'input' | 'output' | 'environment' | 'critics' | 'stop' | 'mailbox' | 'hooks'
    >,
    Program {
  /** Letters, digits, `-` and `_`, the first a letter or `_`: it also precedes the names of its calls, as in `coder.may_edit`. */
  readonly name: string;
  /** Sent before the first prompt of a session, as the protocol has no system prompt. */
  readonly instructions?: string | undefined;
  /** Servers of MCP that it connects to itself: nothing of troupe is between it and them. */
  readonly mcpServers?: readonly AcpMcpServer[] | undefined;
  /** Id of the mode that its sessions are set to, one of those that it offers. Default: its own. */
  readonly mode?: string | undefined;
  /** Id of the method by which it has to authenticate after the start, one of those that it offers. Default: none. */
  readonly authMethod?: string | undefined;
  /**
   * False if it gets permission for whatever the policy of the run does not deny or ask about. Default true: a person is asked, unless a
   * rule of the policy allows the call by its name.
   */
  readonly approval?: boolean | undefined;
  /**
   * Handling of a prompt that a crash interrupted, of an agent that cannot load its session: `ask` has a person approve that it is sent
   * again, `again` sends it again. Default `ask`.
   */
  readonly onInterrupted?: 'ask' | 'again' | undefined;
  readonly limits?: Omit<AgentLimits, 'wrapUp'> | undefined;
  readonly failures?: Pick<FailureOptions, 'asMember' | 'recovery'> | undefined;
  /** Time limit of the start: of the process, the protocol's first exchange, and the session; each in ms. Default 60,000. */
  readonly startTimeoutMs?: number | undefined;
  /** Time in which it may be silent while it works, in ms. Default 600,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Time to end its turn by itself when it is cancelled, in ms; then it is killed. Default 2,000. */
  readonly graceMs?: number | undefined;
  /** Bytes that it may write in one turn; more end it. Default 100,000,000. */
  readonly maxOutputBytes?: number | undefined;
}

/** The program of a coding agent. */
interface Program {
  /** The program that speaks the protocol by its standard input and output. Node only. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables that it sees beside `PATH`, `HOME`, `LANG` and the like: no other of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The absolute path of the folder that it works in; that of its environment, where it has one. */
  readonly cwd: string;
}

/** A server of MCP, as a coding agent connects to it: a program, or an address. */
export interface AcpMcpServer {
  readonly name: string;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options that are checked here; those that `agent` checks pass through. */
const schema = onDemand(() =>
  optionsSchema<AcpAgentOptions<Described, Described>>({
    name: fulfilling(
      isToolsetName,
      'not a name: write up to 64 letters, digits, _ and -, the first a letter or _',
    ),
    command: aText(1),
    args: optional(listOf(aText())),
    env: optional(byName(aText())),
    cwd: fulfilling(isAbsolute, 'not an absolute path: write the whole path of the folder that it works in'),
    description: anything(),
    instructions: optional(aText()),
    input: anything(),
    output: anything(),
    environment: anything(),
    critics: anything(),
    stop: anything(),
    mailbox: anything(),
    hooks: anything(),
    mcpServers: optional(
      listOf(fulfilling(isServer, 'not a server: write { name, command } or { name, url }')),
    ),
    mode: optional(aText(1)),
    authMethod: optional(aText(1)),
    approval: optional(aBoolean()),
    onInterrupted: optional(oneOf(['ask', 'again'])),
    limits: optional(
      fulfilling(without('wrapUp'), 'not usable: it has `wrapUp`, which a coding agent knows nothing of'),
    ),
    failures: optional(
      fulfilling(
        without('retry', 'timeoutMs'),
        'not usable: of failures it takes `asMember` and `recovery`, as no prompt is sent twice',
      ),
    ),
    startTimeoutMs: optional(aTime()),
    idleTimeoutMs: optional(aTime()),
    graceMs: optional(aTime()),
    maxOutputBytes: optional(wholeNumber(1)),
  }),
);

/**
 * Checks the options of a coding agent.
 *
 * @throws {TroupeError} `agent.invalid` with all that is wrong.
 */
export const checkAcpAgent = (given: unknown): void => {
  const { name }: { readonly name?: unknown } = Object(given);
  const owner = `the coding agent${typeof name === 'string' ? ` '${name}'` : ''}`;
  checkOptions(schema(), given, { code: 'agent.invalid', owner });
};

function isAbsolute(given: unknown): boolean {
  return typeof given === 'string' && /^(?:\/|[A-Za-z]:[\\/])/.test(given);
}

function isServer(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const { name, command, url }: { readonly [Field in keyof AcpMcpServer]?: unknown } = given;
  return typeof name === 'string' && (typeof command === 'string') !== (typeof url === 'string');
}

function without(...names: readonly string[]): (given: unknown) => boolean {
  return (given) => typeof given === 'object' && given !== null && names.every((name) => !(name in given));
}
