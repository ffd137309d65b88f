import { z } from 'zod';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { settled } from '../runs.ts';
import type { Situation } from './situation.ts';
import { clockAtNine, pacedModel } from './situation.ts';

/** Three members plan a trip; the model of one refuses its key, so the team has failed. */
export const failedMember = (): Situation => {
  const clock = clockAtNine();
  const timetable = tool({
    name: 'timetable',
    description: 'Looks up trains.',
    input: z.object({ to: z.string() }),
    execute: async ({ to }) => {
      await clock.advance(42_000);
      return `To ${to}: 9.04, 11.04 and 13.04.`;
    },
  });
  const trip = parallel({
    name: 'trip',
    concurrency: 1,
    quorum: 3,
    members: {
      trains: agent({
        name: 'trains',
        instructions: 'Find the trains.',
        tools: [timetable],
        model: pacedModel(clock, 'small', [
          calls({ name: 'timetable', input: { to: 'Whitby' } }),
          'Take the 9.04 to Whitby.',
        ]),
      }),
      weather: agent({
        name: 'weather',
        instructions: 'Say what the weather will be.',
        model: pacedModel(clock, 'small', ['Dry, and windy from noon on.']),
      }),
      hotels: agent({
        name: 'hotels',
        instructions: 'Find a quiet hotel.',
        model: pacedModel(clock, 'large', [
          new TroupeError('model.auth', 'Cannot ask the model as it refused the key: 401 invalid_api_key'),
        ]),
      }),
    },
  });
  return {
    name: 'failed-member',
    agent: trip,
    runId: 'trip-1',
    play: async (where) => {
      const run = trip.stream('Plan a day in Whitby.', { ...where, clock, runId: 'trip-1' });
      await settled(run);
      return run;
    },
  };
};
