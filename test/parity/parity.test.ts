import { expect, test } from 'vitest';
import type { RunResult } from '../../src/contracts/run.ts';
import type { Host } from '../../src/runtime/stage.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, settled, start } from '../support/runs.ts';
import { allScenarios } from './all-scenarios.ts';
import type { Scenario } from './scenarios.ts';
import { drivenHost } from '../../src/runtime/driven-host.ts';

/** Plays a scenario to its end by one interpreter. */
const play = async (scenario: Scenario, host?: Host): Promise<RunResult<unknown, unknown>> => {
  const clock = virtualClock(1_000);
  const { agent, options, play: meanwhile } = scenario.make(clock);
  const handle = start(agent, 'go', { runId: 'parity', clock, ...options }, host);
  const result = settled(handle);
  await meanwhile?.(handle, clock);
  const found = await letTimePass(clock, result, 500);
  expect(clock.pending, 'timers that nobody waits for any more').toBe(0);
  return found;
};

test.each(allScenarios)('live and driven mean the same: $name', async (scenario) => {
  const live = await play(scenario);
  const driven = await play(scenario, drivenHost());
  expect(compareRuns(live, driven)).toEqual([]);
  // Time is virtual and chance is fixed, so that even the order of all agents together and every time agree.
  expect(driven.events).toEqual(live.events);
  expect(driven.effects.map(({ key }) => key)).toEqual(live.effects.map(({ key }) => key));
  expect(live.events.map(({ type }) => type)).toEqual(expect.arrayContaining([...(scenario.tells ?? [])]));
  expect(live.output).toEqual(scenario.output ?? live.output);
  expect(live.events.at(-1)?.type).toBe('run.ended');
});
