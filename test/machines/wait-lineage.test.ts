import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WaitGraph } from '../../src/machines/messages/wait-graph.ts';
import type { Wait } from '../../src/machines/messages/wait-graph.ts';
import { sized } from '../support/thorough.ts';

interface Agent {
  readonly calls: Set<Call>;
}
interface Question {
  readonly of: Agent;
  isRead: boolean;
}
interface Lock {
  holder: Call | undefined;
  readonly line: Call[];
}
/** A call of an agent: it waits for one thing at a time. */
interface Call {
  readonly by: Agent;
  waitsFor: Question | Lock | undefined;
}
type Party = Agent | Question | Call;

interface Act {
  readonly kind: 'begin' | 'ask' | 'lock' | 'end' | 'reply';
  readonly who: number;
  readonly whom: number;
}

/**
 * Agents, their calls, questions and locks, as the runtime has them: an agent reads what it was asked when all its calls are over, and any
 * call of its may answer what it has read.
 */
class Town {
  readonly agents: readonly Agent[] = Array.from({ length: 5 }, () => ({ calls: new Set() }));
  readonly locks: readonly Lock[] = Array.from({ length: 3 }, () => ({ holder: undefined, line: [] }));

  get calls(): readonly Call[] {
    return this.agents.flatMap(({ calls }) => [...calls]);
  }

  waiting(call: Call): Wait<Party> | undefined {
    const { waitsFor } = call;
    if (waitsFor === undefined) return undefined;
    if ('of' in waitsFor) return { who: call, on: [waitsFor], kind: 'ask' };
    return waitsFor.holder && { who: call, on: [waitsFor.holder], kind: 'lock' };
  }

  /** What follows from what it is, as the graph asks for it. */
  lineage(party: Party): readonly Wait<Party>[] {
    if ('calls' in party)
      return party.calls.size === 0 ? [] : [{ who: party, on: [...party.calls], kind: 'call' }];
    if (!('of' in party)) return [];
    const { of, isRead } = party;
    return isRead && of.calls.size > 0
      ? [{ who: party, on: [...of.calls], kind: 'call', enough: 'one' }]
      : [{ who: party, on: [of], kind: 'call' }];
  }

  /** A call is over: its locks are passed on, and an agent without any goes on to its next step. */
  end(call: Call): readonly Call[] {
    const served: Call[] = [];
    call.by.calls.delete(call);
    for (const lock of this.locks) {
      if (lock.holder !== call) continue;
      lock.holder = lock.line.shift();
      if (lock.holder === undefined) continue;
      lock.holder.waitsFor = undefined;
      served.push(lock.holder);
    }
    if (call.by.calls.size === 0) for (const question of this.questionsOf(call.by)) question.isRead = true;
    return served;
  }

  questionsOf(agent: Agent): readonly Question[] {
    return this.calls.flatMap(({ waitsFor }) =>
      waitsFor !== undefined && 'of' in waitsFor && waitsFor.of === agent ? [waitsFor] : [],
    );
  }

  /** An agent answers all that it has read. */
  answer(agent: Agent): readonly Call[] {
    const answered = this.calls.filter(
      ({ waitsFor }) =>
        waitsFor !== undefined && 'of' in waitsFor && waitsFor.of === agent && waitsFor.isRead,
    );
    for (const call of answered) call.waitsFor = undefined;
    return answered;
  }

  /** A town that is the same, in which things can happen that do not count. */
  copy(): Town {
    const town = new Town();
    const calls = new Map(
      this.agents.flatMap(({ calls: own }, index) =>
        [...own].map((call): [Call, Call] => {
          const by = town.agents[index];
          if (by === undefined) throw new Error('no such agent');
          const other: Call = { by, waitsFor: undefined };
          by.calls.add(other);
          return [call, other];
        }),
      ),
    );
    for (const [index, { holder, line }] of this.locks.entries()) {
      const lock = town.locks[index];
      if (lock === undefined) continue;
      lock.holder = holder && calls.get(holder);
      lock.line.push(...line.flatMap((call) => calls.get(call) ?? []));
    }
    for (const [call, other] of calls) {
      const { waitsFor } = call;
      if (waitsFor === undefined) continue;
      if (!('of' in waitsFor)) other.waitsFor = town.locks[this.locks.indexOf(waitsFor)];
      else {
        const of = town.agents[this.agents.indexOf(waitsFor.of)];
        other.waitsFor = of && { of, isRead: waitsFor.isRead };
      }
    }
    return town;
  }

  /** Whether somebody would wait for ever, though everybody does what they can: by doing it. */
  isStuck(): boolean {
    const town = this.copy();
    for (let isMoving = true; isMoving;) {
      isMoving = false;
      for (const agent of town.agents) {
        const free = [...agent.calls].filter(({ waitsFor }) => waitsFor === undefined);
        if (free.length > 0 || agent.calls.size === 0) {
          for (const question of agent.calls.size === 0 ? town.questionsOf(agent) : [])
            question.isRead = true;
          isMoving ||= free.length > 0 || town.questionsOf(agent).length > 0;
          town.answer(agent);
        }
        for (const call of free) town.end(call);
      }
    }
    return town.calls.length > 0;
  }
}

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('begin', 'begin', 'ask', 'ask', 'lock', 'lock', 'end', 'reply'),
    who: fc.nat(30),
    whom: fc.nat(30),
  }),
  { maxLength: 60 },
);
const one = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];

test('[TENEX-Q16] whatever mixture of questions, calls and locks: told is who closes a circle, at once, and nobody else ever', () => {
  let told = 0;
  let waited = 0;
  fc.assert(
    fc.property(acts, (given) => {
      const town = new Town();
      const graph = new WaitGraph<Party>((party) => town.lineage(party));
      const taken = new Map<Call, Wait<Party>>();
      const release = (call: Call): void => {
        const wait = taken.get(call);
        if (wait !== undefined) graph.remove(wait);
        taken.delete(call);
      };
      const enter = (call: Call, wanted: Question | Lock): void => {
        call.waitsFor = wanted;
        const wait = town.waiting(call);
        if (wait === undefined) throw new Error('nobody to wait for');
        if (!('of' in wanted)) wanted.line.push(call);
        const isStuck = town.isStuck();
        const circle = graph.add(wait);
        expect(circle !== undefined).toBe(isStuck);
        waited += 1;
        if (circle === undefined) {
          taken.set(call, wait);
          return;
        }
        told += 1;
        expect(circle.at(0)?.from).toBe(call);
        expect(circle.at(-1)?.to).toBe(call);
        call.waitsFor = undefined;
        if (!('of' in wanted)) wanted.line.pop();
      };
      /** Those behind wait for whoever has the lock now. */
      const passedOn = (served: readonly Call[]): void => {
        for (const call of served) release(call);
        for (const { holder, line } of town.locks)
          for (const call of holder !== undefined && served.includes(holder) ? line : []) {
            release(call);
            const wait = town.waiting(call);
            if (wait === undefined) continue;
            expect(graph.add(wait)).toBeUndefined();
            taken.set(call, wait);
          }
      };
      /** Somebody who could have answered is gone: who asked is told where nobody is left. */
      const lookAgain = (agent: Agent): void => {
        for (const call of town.calls) {
          const { waitsFor } = call;
          const wait = taken.get(call);
          if (wait === undefined || waitsFor === undefined || !('of' in waitsFor)) continue;
          if (waitsFor.of !== agent || !waitsFor.isRead || graph.circleOf(wait) === undefined) continue;
          expect(town.isStuck()).toBe(true);
          told += 1;
          call.waitsFor = undefined;
          release(call);
        }
      };
      for (const { kind, who, whom } of given) {
        const agent = one(town.agents, who);
        const call = one(
          town.calls.filter(({ waitsFor }) => waitsFor === undefined),
          who,
        );
        const of = one(town.agents, whom);
        const lock = one(town.locks, whom);
        if (kind === 'begin') agent?.calls.add({ by: agent, waitsFor: undefined });
        else if (call === undefined || of === undefined || lock === undefined) continue;
        else if (kind === 'ask') enter(call, { of, isRead: of.calls.size === 0 });
        else if (kind === 'reply') for (const each of town.answer(call.by)) release(each);
        else if (kind === 'end') {
          passedOn(town.end(call));
          lookAgain(call.by);
        } else if (lock.holder === undefined) lock.holder = call;
        else enter(call, lock);
        expect(town.isStuck()).toBe(false);
      }
    }),
    { numRuns: sized(300, 10_000) },
  );
  // Neither is rare: a graph that never says anything, or always does, would not pass.
  expect(told).toBeGreaterThan(waited / 20);
  expect(told).toBeLessThan(waited / 2);
});
