import { describe, expect, test } from 'vitest';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { blame } from '../../src/testing/blame/blame.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { PlainStore } from '../support/plain-store.ts';
import { PromptBook } from '../support/prompt-book.ts';
import { letTimePass, quiet, settled } from '../support/runs.ts';
import { startIn } from '../support/stored-runs.ts';
import { allScenarios } from './all-scenarios.ts';

/** Runs of each pattern, but of a blackboard, whose output has times in it, and where somebody waits, as a fork would. */
const patterns = allScenarios.filter(
  ({ name }) => name.startsWith('the pattern ') && !/blackboard|fails|slow/.test(name),
);

describe.each(patterns.map((each) => [each.name, each] as const))('%s', (_, scenario) => {
  test('a fork in which nothing else is said ends as the run did, wherever it starts', async () => {
    const clock = virtualClock(1_000);
    const store = new PlainStore();
    const book = new PromptBook();
    const { agent, options, play } = book.with(() => scenario.make(clock));
    const handle = startIn(store, agent, 'go', { runId: 'parity', clock, ...options });
    const result = settled(handle);
    await quiet();
    await play?.(handle, clock);
    const { status, output } = await letTimePass(clock, result, 5_000);
    const again = book.with(() => scenario.make(virtualClock(1_000)));
    const ends: unknown[] = [];
    const fails = (run: RunResult): boolean => {
      ends.push({ status: run.status, output: run.output });
      return true;
    };
    const { model, secrets, secretKey, context } = again.options ?? {};
    const given = { model, secrets, secretKey, context };
    const found = await blame(again.agent, { store, runId: 'parity', fails, samples: 1, ...given });
    expect(found.untried.filter((why) => why.startsWith('a fork'))).toEqual([]);
    expect(ends).toEqual(Array.from({ length: found.tried.forks + 1 }, () => ({ status, output })));
  });
});
