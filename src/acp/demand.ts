import type { JsonObject } from '../base/json/json.ts';
import { TroupeError } from '../contracts/errors/error.ts';

/** A request of a coding agent that a call of its stands for. */
export interface Demand {
  /** Unique in its session. */
  readonly id: string;
  /** The call's tool, without the name of the agent. */
  readonly tool: string;
  readonly input: JsonObject;
  /** Answers the request; later answers are ignored. */
  grant(response: unknown): void;
  /** Refuses the request, in the way that its method has for that. */
  refuse(reason: string): void;
}

/** Requests of one session that wait for an answer. */
export class Demands {
  readonly #open = new Map<string, Demand>();
  #count = 0;

  /** Makes a demand, with the response that refuses it; without one its request fails. */
  make<Response>(
    tool: string,
    input: JsonObject,
    refused?: Response,
  ): { readonly demand: Demand; readonly response: Promise<Response> } {
    this.#count += 1;
    const id = `request_${this.#count}`;
    let settle: (response: Response) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const response = new Promise<Response>((resolve, reject) => {
      settle = resolve;
      fail = reject;
    });
    const demand: Demand = {
      id,
      tool,
      input: { request: id, ...input },
      grant: (given) => {
        this.#open.delete(id);
        // The tool that grants it makes the response of its own method.
        settle(given as Response);
      },
      refuse: (reason) => {
        this.#open.delete(id);
        if (refused === undefined) fail(new Error(reason));
        else settle(refused);
      },
    };
    this.#open.set(id, demand);
    return { demand, response };
  }

  /** The demand that a call stands for. @throws `acp.lost` if its process is gone, or has its answer */
  at(id: string): Demand {
    const demand = this.#open.get(id);
    if (demand !== undefined) return demand;
    throw new TroupeError(
      'acp.lost',
      `Cannot answer the request '${id}' as the process that made it does not wait for it any more`,
    );
  }

  /** Refuses all that wait. */
  refuseAll(reason: string): void {
    for (const demand of this.#open.values()) demand.refuse(reason);
  }
}
