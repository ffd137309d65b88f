import { groupChatMachine } from '../../../src/coordination/group-chat.ts';
import { groupChat } from '../../../src/runtime/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';

export const row: PatternRow = {
  name: 'groupChat',
  chart: groupChatMachine,
  ownStates: ['moderating', 'speaking', 'hearing'],
  make: (speakers, { name = 'meeting', ...beside } = {}) =>
    groupChat({ ...beside, name, speakers, maxTurns: 2 }),
  says: (name) => name,
  output: 'ann: ann\nbob: bob',
  isParallel: false,
  endless: {
    make: () =>
      groupChat({
        name: 'meeting',
        speakers: { ann: parrot('ann', 'more'), bob: parrot('bob', 'more') },
        moderator: () => 'ann',
        maxTurns: 4,
      }),
    stopReason: { kind: 'maxRounds', limit: 4 },
  },
};
