import { groupChat } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

export const row: PatternRow = {
  name: 'groupChat',
  machine: groupChat.machine,
  ownStates: ['moderating', 'speaking', 'hearing'],
  make: (members, { name = 'meeting', ...beside } = {}) =>
    groupChat({ ...beside, name, members, maxRounds: 2 }),
  says: (name) => name,
  output: 'ann: ann\nbob: bob',
  isParallel: false,
  endless: {
    make: () =>
      groupChat({
        name: 'meeting',
        members: { ann: parrot('ann', 'more'), bob: parrot('bob', 'more') },
        moderator: () => 'ann',
        maxRounds: 4,
      }),
    stopReason: { kind: 'maxRounds', limit: 4 },
  },
};

export const setup: SetupRow = {
  setup: { members: two },
  options: { members: 'needed', moderator: 'optionalRole', maxRounds: 'count' },
  places: { 'a member': ['needed', (found) => ({ members: { ann, bob: found } })] },
};
