import { describe, expect, test } from 'vitest';
import { rehearse } from '../../src/testing/rehearsal/rehearse.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { PlainStore } from '../support/plain-store.ts';
import { PromptBook } from '../support/prompt-book.ts';
import { letTimePass, quiet, settled } from '../support/runs.ts';
import { startIn } from '../support/stored-runs.ts';
import { sampled } from '../support/thorough.ts';
import { allScenarios } from './all-scenarios.ts';

describe.each(sampled(allScenarios, 2).map((each) => [each.name, each] as const))('%s', (_, scenario) => {
  test('does not differ in a rehearsal of what is unchanged', async () => {
    const clock = virtualClock(1_000);
    const store = new PlainStore();
    const book = new PromptBook();
    const { agent, options, play } = book.with(() => scenario.make(clock));
    const handle = startIn(store, agent, 'go', { runId: 'parity', clock, ...options });
    const result = settled(handle);
    await quiet();
    await play?.(handle, clock);
    await letTimePass(clock, result, 5_000);
    const again = book.with(() => scenario.make(virtualClock(1_000)));
    const { model, secrets, secretKey, context } = again.options ?? {};
    const { runs } = await rehearse(again.agent, { store, model, secrets, secretKey, context });
    const [run] = runs;
    const within = /^'[^']+' asks models within a call, which is answered from the journal as a whole$/;
    const told = [run?.difference, run?.error, (run?.unseen ?? []).filter((why) => !within.test(why))];
    expect(told).toEqual([undefined, undefined, []]);
    expect(['same', 'unseen']).toContain(run?.verdict);
  });
});
