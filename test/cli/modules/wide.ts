import { act, agent, answer, tool } from 'troupe';
import { parallel } from 'troupe/patterns';
import { z } from 'zod';

const WIDE = '東京の天気を調べる 👩‍👩‍👧 🇯🇵 '.repeat(12);

const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  describe: () => WIDE,
  execute: () => 'sunny',
});

const member = (name: string) =>
  agent({
    name,
    tools: [look],
    decide: ({ step }) => (step === 0 ? act({ name: 'look', input: {} }) : answer('晴れ '.repeat(60).trim())),
  });

/** All that it says is of wide characters and emoji. */
export default parallel({ name: 'wide', members: { ann: member('ann'), bob: member('bob') } });
