import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import { platformSha256 } from '../../base/platform-sha256.ts';
import type { WholeRequest } from '../../runtime/log/sent-requests.ts';

/** The call that a digest is made for. */
interface AskedCall {
  readonly agent: string;
  readonly path: string;
  readonly model: string;
  /** Number of messages that were sent. */
  readonly messages: number;
  readonly request: WholeRequest | undefined;
}

/**
 * Digests of the model calls of a run, equal for equal calls.
 *
 * A call whose request is on record has the digest of that. Of any other, all that its agent was seen to be given before stands for it: the
 * run's input, answers, results and messages; for a member, all that had happened in the run when it began.
 */
export class CallDigests {
  readonly #byPath = new Map<string, string>();
  #run = '';

  began(input: unknown, path: string): void {
    this.#run = link('', toJson(input));
    this.#byPath.set(path, this.#run);
  }

  /** Adds what an agent was given, or has said. */
  add(path: string, what: unknown): void {
    this.#byPath.set(path, link(this.#of(path), toJson(what)));
    this.#run = link(this.#run, toJson(what));
  }

  digestOf({ agent, path, model, messages, request }: AskedCall): string {
    if (request === undefined) return link(this.#of(path), [agent, model, messages]);
    const { hashes, messages: sent, output, toolChoice, settings } = request;
    const turns = sent.map(({ turn }) => turn);
    return link('', toJson({ agent, model, ...hashes, turns, output, toolChoice, settings }));
  }

  #of(path: string): string {
    const known = this.#byPath.get(path);
    if (known !== undefined) return known;
    this.#byPath.set(path, this.#run);
    return this.#run;
  }
}

const link = (before: string, what: Parameters<typeof canonical>[0]): string =>
  platformSha256(`${before}\n${canonical(what)}`);
