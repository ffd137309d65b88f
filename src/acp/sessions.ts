import type { EnginePlace } from '../contracts/agents/strategy.ts';
import type { HarnessSession } from './harness-session.ts';

/** The session of one agent in one run, which its model and its tools share. */
export interface Seat {
  readonly session: HarnessSession;
  /** The failure of the last attempt to send a prompt. */
  failure?: unknown;
  /** The reason why an earlier session could not be continued, until its agent has reported it. */
  lost?: string | undefined;
}

/** The sessions of all runs of a coding agent, by the places of their agents. */
export class Sessions {
  readonly #seats = new Map<string, Seat>();

  at(where: Where): Seat | undefined {
    return this.#seats.get(keyOf(where));
  }

  set(where: Where, seat: Seat): void {
    this.#seats.set(keyOf(where), seat);
  }

  /** Closes the session of an agent that has ended, and forgets it. */
  async close(where: Where): Promise<void> {
    const key = keyOf(where);
    const seat = this.#seats.get(key);
    this.#seats.delete(key);
    await seat?.session.close();
  }
}

/** The place of an agent: its run, and its address there. */
export type Where = Pick<EnginePlace, 'runId' | 'path'>;

const keyOf = ({ runId, path }: Where): string => JSON.stringify([runId, path]);
