import type { LiveEvent } from '../contracts/events/event.ts';

/**
 * A counter of turns, over all runs that share it. Asked once for each run: its answer is on record, so that a replayed run does not take
 * another turn.
 */
export interface Rotation {
  /** The number of this turn, from 0. */
  next(): number | Promise<number>;
}

/**
 * A rotation in the memory of this process: it starts from zero with it.
 *
 * For turns over several processes, or beyond their end, give an object of your own that counts in a store.
 *
 * @example
 * const turns = rotation();
 * router({ name: 'desk', members, strategy: { kind: 'round-robin', turns } });
 */
export const rotation = (): Rotation => {
  let turn = -1;
  return { next: () => (turn += 1) };
};

/**
 * The work of each agent, over all routers and runs that share it, in the memory of this process.
 *
 * Work counts from the moment it is given out to the end of the agent that does it. A suspended run counts until it was
 * resumed and has ended.
 */
export interface Workload {
  /** Tasks under way. */
  of(name: string): number;
  /** Names, the least loaded first, of equals the first given; the first is taken to have the task of `ticket` now. */
  take(names: readonly string[], ticket: string): readonly string[];
  /** A hook: the events of the router say who has the task. */
  follow(event: LiveEvent): void;
}

/**
 * Counts how much each agent has to do; shared by routers, they see each other's work.
 *
 * @example
 * const load = workload();
 * router({ name: 'desk', members, strategy: { kind: 'least-loaded', load } });
 */
export const workload = (): Workload => {
  /** The agent that has the task of each ticket: `runId path` of the router. */
  const tickets = new Map<string, string>();
  const of = (name: string): number => [...tickets.values()].filter((holder) => holder === name).length;
  return {
    of,
    take: (names, ticket) => {
      const ordered = names.toSorted((a, b) => of(a) - of(b));
      const [first] = ordered;
      if (first !== undefined) tickets.set(ticket, first);
      return ordered;
    },
    follow: (event) => {
      const ticket = `${event.runId} ${event.path}`;
      if (event.type === 'route.chosen') tickets.set(ticket, event.member);
      else if (event.type === 'member.ended') tickets.delete(ticket);
      else if (event.type === 'run.ended')
        for (const held of tickets.keys()) if (held.startsWith(`${event.runId} `)) tickets.delete(held);
    },
  };
};
