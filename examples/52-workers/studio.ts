// The agents of a film studio. Every process has them: the one that takes requests, and those that execute them.
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from 'troupe';
import { pipeline } from 'troupe/patterns';
import { scriptedModel, calls } from 'troupe/testing';
import { z } from 'zod';

/** Work that takes a while, and is written down: by which process, for which call. A call that was cut off may be made again, under its key. */
const workOf = (name: string, description: string) =>
  tool({
    name,
    description,
    input: z.object({ scene: z.number() }),
    idempotent: true,
    execute: async ({ scene }, { key }) => {
      await pause(150);
      appendFileSync(process.env['STUDIO_LEDGER'] ?? '/dev/null', `${process.pid} ${key}\n`);
      return `Scene ${scene} is done.`;
    },
  });

/** A member that does two scenes, by the answers that it has given: the same in each process, and after a crash. */
const memberOf = (name: string, tool: ReturnType<typeof workOf>) => {
  const answers = [0, 1].map((scene) => calls({ name: tool.name, input: { scene } }));
  const model = scriptedModel([]);
  return agent({
    name,
    tools: [tool],
    model: {
      ...model,
      answer: (request, call) => {
        const given = request.messages.toArray().filter(({ role }) => role === 'assistant').length;
        return scriptedModel([answers[given] ?? `The ${name} has done two scenes.`]).answer(request, call);
      },
    },
  });
};

export const studio = pipeline({
  name: 'studio',
  stages: [
    memberOf('writer', workOf('write', 'Writes a scene.')),
    memberOf('camera', workOf('shoot', 'Shoots a scene.')),
    memberOf('cutter', workOf('cut', 'Cuts a scene.')),
  ],
});
