import type { Json } from '../base/json/json.ts';
import type { RemoteEntry, RemoteResult } from '../contracts/runs/remote-run.ts';
import type { StartOptions } from './remote-agent.ts';
import { RemoteAgent } from './remote-agent.ts';
import { RemoteRun } from './remote-run.ts';
import type { ConnectOptions } from './remote-server.ts';
import { RemoteServer } from './remote-server.ts';

/** A server as a client sees it: its agents give the types. */
export interface ServedTypes {
  readonly agents: Readonly<Record<string, { run(input: never): Promise<{ readonly output: unknown }> }>>;
}

/** A server of which no types are known: inputs are validated by the server. */
export interface UntypedServer {
  readonly agents: Readonly<Record<string, { run(input: unknown): Promise<{ readonly output: Json }> }>>;
}

/** The input that an agent takes. */
type InputTo<One> = One extends { run(input: infer Input, ...rest: never[]): unknown } ? Input : never;

/** The answer that an agent gives. */
type OutputFrom<One> = One extends { run(...given: never[]): Promise<{ readonly output: infer Output }> }
  ? Exclude<Output, undefined>
  : never;

/**
 * Connects to a server of agents, made by `serve` of `troupe/server`: its runs have the verbs of a handle, from afar.
 *
 * Nothing is sent before a run is started. Starting is repeated after a failure that may pass, and yet starts one run; events are resumed
 * after a lost connection. Types come from the server, without its code. A path (`/api`) is one of the page's own server.
 *
 * @example
 * import type { service } from './server.ts';
 * const desk = connect<typeof service>('https://api.example.com', { headers: { authorization: `Bearer ${token}` } });
 * const run = await desk.start('clerk', 'Where is order 17?');
 * for await (const event of run) console.log(event.type);
 * const { output } = await run.result;
 *
 * @throws {TroupeError} `stream.invalid` for what is no URL.
 */
export const connect = <Served extends ServedTypes = UntypedServer>(
  url: string | URL,
  options: ConnectOptions = {},
): RemoteAgents<Served> => new RemoteAgents(new RemoteServer(url, options));

/** The agents of a server; see {@link connect}. */
class RemoteAgents<Served extends ServedTypes> {
  readonly #server: RemoteServer;

  constructor(server: RemoteServer) {
    this.#server = server;
  }

  /** The agent of that name: its runs are started and found by it, and `useAgent` of `troupe/react` takes it. */
  agent<Name extends keyof Served['agents'] & string>(
    name: Name,
  ): RemoteAgent<InputTo<Served['agents'][Name]>, OutputFrom<Served['agents'][Name]>> {
    return new RemoteAgent(this.#server, name);
  }

  /** Starts a run of an agent; resolves when the server has it. */
  start<Name extends keyof Served['agents'] & string>(
    agent: Name,
    input: InputTo<Served['agents'][Name]>,
    options: StartOptions = {},
  ): Promise<RemoteRun<OutputFrom<Served['agents'][Name]>>> {
    return this.agent(agent).start(input, options);
  }

  /** Runs an agent to the end. Rejects if the run failed; limits, critics and aborts resolve with their stop reason. */
  async run<Name extends keyof Served['agents'] & string>(
    agent: Name,
    input: InputTo<Served['agents'][Name]>,
    options: StartOptions = {},
  ): Promise<RemoteResult<OutputFrom<Served['agents'][Name]>>> {
    return (await this.start(agent, input, options)).result;
  }

  /** The run of that id, whichever caller of the tenant started it. Nothing is asked until one of its verbs is used. */
  at<Output = Json>(runId: string): RemoteRun<Output> {
    return new RemoteRun<Output>(this.#server, runId);
  }

  /** The runs of the caller's tenant, newest first; at most `limit`, default 50. */
  async runs({ limit }: { readonly limit?: number | undefined } = {}): Promise<readonly RemoteEntry[]> {
    const query = limit === undefined ? '' : `?limit=${limit}`;
    const { value } = await this.#server.ask(`/runs${query}`);
    // What the server gives is trusted, as its events are.
    return (value as { readonly runs: readonly RemoteEntry[] }).runs;
  }
}
