import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RestartStrategy } from '../../src/contracts/agents/supervision.ts';
import type { Outcome } from '../../src/contracts/runs/outcome.ts';
import { oddValueIn } from '../../src/base/json/odd-value.ts';
import { emptyTally } from '../../src/contracts/agents/tally.ts';
import { isRoundOver, placeAt, repliesIn } from '../../src/coordination/round/round.ts';
import { beginRound, roundMove } from '../../src/coordination/round/settle-reply.ts';
import type { TeamContext } from '../../src/coordination/round/team-context.ts';
import { teamContext } from '../../src/coordination/round/team-context.ts';
import { teamRules } from '../../src/machines/supervision.ts';
import { sized } from '../support/thorough.ts';

const RUNS = sized(300, 10_000);
const INTENSITY = { restarts: 2, withinMs: 1_000 };

/** What may happen next, as numbers: who of those at work ends and how, or which wait is over. */
interface Happening {
  readonly pick: number;
  readonly what: 'answers' | 'fails' | 'waits' | 'late';
  readonly afterMs: number;
}

/** What supervision means, in the plainest words: one array and one list. */
class Plain {
  readonly state: ('idle' | 'up' | 'done' | number)[];
  escalated = false;
  stops: number[] = [];
  starts: number[] = [];
  #started = 0;
  #waits = 0;
  #restarts: number[] = [];
  readonly #cap: number;
  readonly #strategy: RestartStrategy;

  constructor(size: number, cap: number, strategy: RestartStrategy) {
    this.state = Array.from({ length: size }, () => 'idle');
    this.#cap = cap;
    this.#strategy = strategy;
    this.#fill();
  }

  answers(who: number): void {
    this.#clear();
    this.state[who] = 'done';
    this.#fill();
  }

  fails(who: number, at: number): void {
    this.#clear();
    this.#restarts = this.#restarts.filter((time) => at - time < INTENSITY.withinMs);
    if (this.#restarts.length >= INTENSITY.restarts) {
      this.escalated = true;
      return;
    }
    this.#restarts.push(at);
    const again = [...this.state.keys()].filter(
      (index) =>
        index < this.#started &&
        (this.#strategy === 'one-for-all' ||
          index === who ||
          (this.#strategy === 'rest-for-one' && index > who)),
    );
    this.stops = again.filter((index) => index !== who && this.state[index] === 'up').toReversed();
    for (const index of again) this.state[index] = this.#waits;
    this.#waits += 1;
  }

  over(wait: number): void {
    this.#clear();
    for (const [index, state] of this.state.entries()) if (state === wait) this.#start(index);
  }

  #fill(): void {
    while (
      this.#started < this.state.length &&
      this.state.filter((state) => state === 'up' || typeof state === 'number').length < this.#cap
    ) {
      this.#start(this.#started);
      this.#started += 1;
    }
  }

  #start(index: number): void {
    this.state[index] = 'up';
    this.starts.push(index);
  }

  #clear(): void {
    this.stops = [];
    this.starts = [];
  }
}

const outcome = (status: 'completed' | 'failed', at: number): Outcome => ({
  status,
  stopReason: { kind: status === 'completed' ? 'answered' : 'failed' },
  ...(status === 'completed'
    ? { output: 'x' }
    : { error: { code: 'model.unavailable', message: 'Cannot', retryable: 'yes' } }),
  steps: 1,
  state: null,
  tally: emptyTally(at),
});

describe('[P1] [P2] restarts, against a plain model', () => {
  test.each<RestartStrategy>(['one-for-one', 'one-for-all', 'rest-for-one'])(
    '%s restarts whom it says, in the order of their start, and stops in the reverse',
    (strategy) => {
      const happening = fc.record<Happening>({
        pick: fc.nat(100),
        what: fc.constantFrom('answers', 'fails', 'fails', 'waits', 'waits', 'late'),
        afterMs: fc.nat(400),
      });
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: 1, max: 8 }),
          fc.array(happening, { maxLength: 30 }),
          (size, cap, happenings) => {
            const names = Array.from({ length: size }, (_, index) => `m${index}`);
            const supervision = teamRules(
              { strategy, intensity: INTENSITY },
              Object.fromEntries(names.map((name) => [name, undefined])),
            );
            const given = {
              runId: 'r',
              path: 't',
              name: 't',
              at: 0,
              input: null,
              options: null,
              supervision,
            };
            let context: TeamContext = teamContext(given, null, null);
            const plain = new Plain(size, cap, strategy);
            const tasks = names.map((member) => ({ member, input: member }));
            context = { ...context, ...beginRound(context, tasks, { cap }) };
            const problems: unknown[] = [];
            const same = (found: unknown, expected: unknown): void => {
              if (JSON.stringify(found) !== JSON.stringify(expected)) problems.push({ found, expected });
            };
            const addresses = new Set<string>();
            const pathOf = (index: number): string => placeAt(context.round, index)?.path ?? '';
            const paths = new Map<number, string>();
            const check = (): void => {
              same(context.round.starting, plain.starts);
              same(
                context.round.stopping,
                plain.stops.map((index) => paths.get(index)),
              );
              for (const index of plain.starts) {
                const path = pathOf(index);
                // No address is used twice.
                same(addresses.has(path), false);
                addresses.add(path);
                paths.set(index, path);
              }
            };
            check();
            let at = 0;
            for (const { pick, what, afterMs } of happenings) {
              if (plain.escalated || isRoundOver(context.round)) break;
              at += afterMs;
              const up = [...plain.state.keys()].filter((index) => plain.state[index] === 'up');
              const waits = plain.state.filter((state) => typeof state === 'number');
              const who = up[pick % Math.max(1, up.length)];
              const wait = waits[pick % Math.max(1, waits.length)];
              if (what === 'waits' && wait !== undefined) {
                context = { ...context, ...roundMove(context, { type: 'answered.pause', at, index: wait }) };
                plain.over(wait);
                check();
              } else if ((what === 'answers' || what === 'fails') && who !== undefined) {
                const output = outcome(what === 'answers' ? 'completed' : 'failed', at);
                const path = pathOf(who);
                context = {
                  ...context,
                  ...roundMove(context, { type: 'answered.member', at, index: who, path, output }),
                };
                if (what === 'answers') plain.answers(who);
                else plain.fails(who, at);
                same(context.end !== null, plain.escalated);
                if (!plain.escalated) check();
              } else if (what === 'late') {
                // One that was stopped meanwhile answers all the same: that is nobody's.
                const before = repliesIn(context.round);
                const late = { type: 'answered.member', at, index: pick % size, path: 't/gone-0' } as const;
                context = {
                  ...context,
                  ...roundMove(context, { ...late, output: outcome('failed', at) }),
                };
                same(repliesIn(context.round), before);
                same(context.round.starting, []);
              }
              same(oddValueIn(context, 'context'), undefined);
            }
            const done = plain.state.filter((state) => state === 'done').length;
            same(plain.escalated || repliesIn(context.round).length === done, true);
            expect(problems).toEqual([]);
          },
        ),
        { numRuns: RUNS },
      );
    },
  );
});

test('one reply of five thousand changes a chunk of the round, and not all of it', () => {
  const input = { runId: 'r', path: 't', name: 't', at: 0, input: null, options: null };
  let context: TeamContext = teamContext(input, null, null);
  const tasks = Array.from({ length: 5_000 }, (_, index) => ({ member: 'm', input: index }));
  context = { ...context, ...beginRound(context, tasks) };
  expect(context.round.starting).toHaveLength(5_000);
  const path = placeAt(context.round, 77)?.path ?? '';
  const next = roundMove(context, {
    type: 'answered.member',
    at: 1,
    index: 77,
    path,
    output: outcome('completed', 1),
  });
  const changed = next.round.places.chunks.filter(
    (chunk, index) => chunk !== context.round.places.chunks[index],
  );
  expect(changed).toHaveLength(1);
  expect(next.round.tasks).toBe(context.round.tasks);
});
