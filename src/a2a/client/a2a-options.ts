import {
  aFunction,
  anything,
  aText,
  aTime,
  byName,
  fulfilling,
  listOf,
  optional,
} from '../../base/schemas/option-schemas.ts';
import type { AgentOptions } from '../../contracts/agents/agent.ts';
import type { Described } from '../../contracts/agents/signature.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';

/** Options of an agent that is somewhere else: its name here and its address; all others have defaults. */
export interface A2aAgentOptions<
  Input extends Described = undefined,
  Output extends Described = undefined,
> extends Pick<
  AgentOptions<Input, Output>,
  'name' | 'description' | 'input' | 'output' | 'limits' | 'failures' | 'hooks'
> {
  /** The address below which its card is, at `.well-known/agent-card.json`; or that of the card itself, which ends in `.json`. */
  readonly url: string | URL;
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Returns a bearer token, a secret of the run: called before each request, and with `refused` once more for one that was refused. */
  readonly auth?: ((refused: boolean) => string | Promise<string>) | undefined;
  /**
   * Hosts that its card may lead to beside that of `url`, such as `api.example.com` or `10.0.0.7:8080`: a card is the word of another party,
   * and requests have credentials. Default: none. Redirects are never followed.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Default: the platform's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Time limit of a task, in ms, not counting the time that a person takes to answer; then it is cancelled there. Default 3,600,000: an hour. */
  readonly timeoutMs?: number | undefined;
}

/** Checks the options; what they share with other agents is checked where an agent is made of them. @throws {TroupeError} `agent.invalid` */
export const checkA2aAgent = optionsCheck<{ readonly [Option in keyof A2aAgentOptions]?: unknown }>(
  { code: 'agent.invalid', owner: 'an agent over A2A' },
  () => ({
    name: anything(),
    description: anything(),
    input: anything(),
    output: anything(),
    limits: anything(),
    failures: anything(),
    hooks: anything(),
    url: fulfilling(isHttpUrl, 'not an address: write one that begins with http:// or https://'),
    headers: optional(byName(aText())),
    auth: optional(aFunction()),
    hosts: optional(listOf(fulfilling(isHost, "not a host: write one such as 'api.example.com'"))),
    fetch: optional(aFunction()),
    timeoutMs: optional(aTime()),
  }),
);

const isHttpUrl = (given: unknown): boolean => {
  const text = given instanceof URL ? given.href : given;
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
};

const isHost = (given: unknown): boolean =>
  typeof given === 'string' && URL.canParse(`http://${given}`) && new URL(`http://${given}`).host === given;
