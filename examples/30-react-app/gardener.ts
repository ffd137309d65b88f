// The agent: its tools and its output. Independent of React.
import { agent, tool } from 'troupe';
import { modelAnswer, type Model } from 'troupe/models';
import { z } from 'zod';

const forecast = tool({
  name: 'forecast',
  description: 'Says how much rain is to come.',
  input: z.object({ days: z.number() }),
  describe: ({ days }) => `Looking at the sky for ${days} days`,
  idempotent: true,
  execute: async ({ days }, { signal }) => {
    await pause(300, signal);
    return `${days * 2} mm`;
  },
});

const water = tool({
  name: 'water',
  description: 'Waters a bed.',
  input: z.object({ bed: z.string(), litres: z.number() }),
  describe: ({ bed, litres }) => `Watering the ${bed} with ${litres} litres`,
  approval: true,
  execute: async ({ bed, litres }) => `${litres} litres on the ${bed}`,
});

const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('aborted'));
    });
  });

// Stands in for a model behind your own server, which keeps the key: it streams word by word.
const model: Model = {
  provider: 'app',
  id: 'stand-in',
  isLanguageModel: false,
  answer: async ({ messages }, { delta, signal }) => {
    const all = [...messages];
    const asked = all.findLastIndex(({ role }) => role === 'user');
    const results = all.slice(asked).filter(({ role }) => role === 'tool');
    const say = async (text: string) => {
      for (const word of text.split(/(?<= )/)) {
        await pause(30, signal);
        delta({ type: 'text', text: word });
      }
      return text;
    };
    if (results.length === 0)
      return modelAnswer({
        text: await say('Let me see what the sky will do.'),
        calls: [{ id: 'sky', name: 'forecast', input: { days: 3 } }],
      });
    if (results.length === 1)
      return modelAnswer({
        text: await say('That is little. I would water the beans.'),
        calls: [{ id: 'beans', name: 'water', input: { bed: 'beans', litres: 12 } }],
      });
    const last = results.at(-1)?.text ?? '';
    return modelAnswer({
      text: await say(last.includes('litres on') ? `Done: ${last}.` : 'As you like: I leave the beans dry.'),
    });
  },
};

/** Looks after a garden, and asks before it waters anything. */
export const gardener = agent({
  name: 'gardener',
  instructions: 'Look after the garden.',
  tools: [forecast, water],
  model,
});
