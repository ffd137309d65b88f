import type { Json } from '../base/json/json.ts';
import { randomId } from '../base/random-id.ts';
import type { RemoteServer } from './remote-server.ts';
import { RemoteRun } from './remote-run.ts';

/** Options of a run that is started from afar. */
export interface StartOptions {
  /** The conversation that it continues; the server needs a store. */
  readonly thread?: string | undefined;
  /** Start paused, to be stepped. Default false. */
  readonly paused?: boolean | undefined;
  /** The same key and input are the same run, however often they are sent. Default: a random one, for the repetitions of one call. */
  readonly key?: string | undefined;
  /** Aborts starting, not the run. */
  readonly signal?: AbortSignal | undefined;
}

/** An agent or a team of a server; `useAgent` takes it. Nothing is asked of the server until one of its verbs is used. */
export class RemoteAgent<Input = unknown, Output = Json> {
  /** The name by which it is served. */
  readonly name: string;
  /** The address of its runs. */
  readonly url: string;
  readonly #server: RemoteServer;
  readonly #path: string;

  constructor(server: RemoteServer, name: string) {
    this.name = name;
    this.#server = server;
    this.#path = `/agents/${encodeURIComponent(name)}/runs`;
    this.url = server.at(this.#path);
  }

  /** Starts a run; resolves when the server has it. */
  async start(
    input: Input,
    { thread, paused, key = randomId(), signal }: StartOptions = {},
  ): Promise<RemoteRun<Output>> {
    const { value } = await this.#server.ask(this.#path, {
      body: { input, thread, paused },
      key,
      signal,
    });
    // As `start` of the server replies.
    return this.at((value as { readonly runId: string }).runId);
  }

  /** Its run of that id. Nothing is asked until one of its verbs is used. */
  at(runId: string): RemoteRun<Output> {
    return new RemoteRun<Output>(this.#server, runId);
  }
}
