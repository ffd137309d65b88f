import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Critic } from '../../src/contracts/agents/critic.ts';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import type { StopRule } from '../../src/contracts/agents/stop-rule.ts';
import type { Tally } from '../../src/contracts/agents/tally.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { maxSteps, maxTime, maxTokens, maxToolCalls } from '../../src/machines/stopping/stop-rules.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { FAULTS, faultyModel, faultyReply } from '../support/faulty-model.ts';
import type { Fault } from '../support/faulty-model.ts';
import { echo, letTimePass, ofType, settled, start, typesOf } from '../support/runs.ts';
import { isThorough } from '../support/thorough.ts';

/** Ten thousand in the full gate, elsewhere each time; a few hundred, always the same, in the quick one. */
const search = isThorough
  ? { numRuns: 10_000, seed: Number(process.env['TROUPE_SEED'] ?? Math.floor(Math.random() * 2 ** 31)) }
  : { numRuns: 100, seed: 20_261_120 };

const ATTEMPTS = 3;
/** One word about an empty answer, and one shortening of what was too long, come on top of the attempts. */
const REPAIRS = 2;

const fails = tool({
  name: 'fails',
  description: 'Fails.',
  input: z.object({}).loose(),
  execute: () => {
    throw new Error('it is broken');
  },
});

const alone = tool({
  name: 'alone',
  description: 'Runs alone.',
  input: z.object({ text: z.string() }),
  exclusive: true,
  execute: ({ text }) => text,
});

const patience = z.object({ text: z.string() });

const plan = fc.record({
  script: fc.array(faultyReply, { minLength: 1, maxLength: 8 }),
  second: fc.option(fc.array(faultyReply, { minLength: 1, maxLength: 3 })),
  steps: fc.integer({ min: 1, max: 6 }),
  toolCalls: fc.integer({ min: 1, max: 10 }),
  tokens: fc.integer({ min: 1, max: 3_000 }),
  timeMs: fc.constantFrom(1_000, 60_000, Infinity),
  budget: fc.option(
    fc.record({ tokens: fc.integer({ min: 1, max: 20_000 }), toolCalls: fc.integer({ min: 0, max: 6 }) }),
  ),
  judged: fc.boolean(),
  isStructured: fc.boolean(),
});

const doubter: Critic = {
  name: 'doubter',
  critique: ({ rejections }) =>
    rejections === 0 ? { verdict: 'revise', note: 'Are you sure?' } : { verdict: 'accept' },
};

test('[P7] [P10] [P18] [P19] whatever a model does: one end, last; within bounds; only requests that providers take', async () => {
  console.info(`random scripts: ${search.numRuns} of seed ${search.seed}`);
  const met = new Set<Fault>();
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(plan, async (given) => {
      const clock = virtualClock();
      const slow = tool({
        name: 'slow',
        description: 'Takes ten seconds.',
        input: patience,
        execute: ({ text }) =>
          new Promise<string>((resolve) => {
            clock.setTimeout(() => {
              resolve(text);
            }, 10_000);
          }),
      });
      const first = faultyModel('first', given.script, clock);
      const second = given.second === null ? undefined : faultyModel('second', given.second, clock);
      for (const { fault } of given.script) met.add(fault);
      // What was used at each CHECK_STOP.
      const used: Tally[] = [];
      const ledger: StopRule = {
        name: 'ledger',
        check: ({ tally }) => {
          used.push(tally);
          return undefined;
        },
      };
      const subject = agent({
        name: 'subject',
        instructions: 'Go on.',
        model: second === undefined ? first : [first, second],
        tools: [echo, fails, alone, slow, complete],
        limits: { budget: given.budget ?? {} },
        critics: given.judged ? [doubter] : [],
        ...(given.isStructured ? { output: z.object({ answer: z.string() }) } : {}),
        stop: [
          ledger,
          maxSteps(given.steps),
          maxToolCalls(given.toolCalls),
          maxTokens(given.tokens),
          maxTime(given.timeMs),
        ],
      });
      const result = await letTimePass(clock, settled(start(subject, 'Begin.', { clock })), 600_000);
      const { events, totals, status } = result;
      ends.add(status);

      // One terminal event, and it is the last; the result says the same.
      const types = typesOf(events);
      expect(types.filter((type) => type === 'run.ended')).toHaveLength(1);
      const last = events.at(-1);
      expect(last).toMatchObject({ type: 'run.ended', status, stopReason: result.stopReason });

      // Within its bounds: only the last step may go past them, by what was under way in it.
      expect(totals.steps).toBeLessThanOrEqual(given.steps);
      // A step that gives the answer asks no rule.
      const earlier = used.slice(0, totals.steps - 1);
      for (const { toolCalls, inputTokens, outputTokens } of earlier) {
        expect(toolCalls).toBeLessThan(given.toolCalls);
        expect(inputTokens + outputTokens).toBeLessThan(given.tokens);
      }
      // What a budget forbids does not begin.
      const { tokens = Infinity, toolCalls = Infinity } = given.budget ?? {};
      expect(ofType(events, 'tool.finished').filter(({ ok }) => ok).length).toBeLessThanOrEqual(toolCalls);
      for (const { inputTokens, outputTokens } of earlier)
        expect(inputTokens + outputTokens).toBeLessThan(tokens);
      // Also of a step that a limit on time cuts short: it is none, and yet made its calls.
      const spent = [...used.map(({ toolCalls }) => toolCalls), totals.toolCalls];
      for (const [index, calls] of spent.entries())
        expect(calls - (spent[index - 1] ?? 0)).toBeLessThanOrEqual(mostCalls(events));
      expect(Number.isFinite(totals.inputTokens + totals.outputTokens)).toBe(true);
      for (const count of requestsByStepAndModel(events).values())
        expect(count).toBeLessThanOrEqual(ATTEMPTS + REPAIRS);

      // What providers would have said of its requests.
      expect(first.problems).toEqual([]);
      expect(second?.problems ?? []).toEqual([]);

      // Nothing is left behind, once the slowest model has given up talking to nobody.
      await clock.advance(7_200_000);
      expect(clock.pending).toBe(0);
      expect(result.events).toHaveLength(types.length);
    }),
    search,
  );
  expect(met).toEqual(new Set(FAULTS));
  expect(ends).toEqual(new Set(['completed', 'stopped', 'failed']));
}, 600_000);

const mostCalls = (events: readonly RuntimeEvent[]): number =>
  Math.max(0, ...ofType(events, 'model.answered').map(({ calls }) => calls));

const requestsByStepAndModel = (events: readonly RuntimeEvent[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { step = 0, model } of ofType(events, 'model.asked')) {
    const key = `${step} ${model}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};
