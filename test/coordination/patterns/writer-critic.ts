import { writerCritic } from '../../../src/patterns/index.ts';
import type { Member, PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann } from '../setup-row.ts';

/** The first writes, the last judges. */
const roles = (members: Readonly<Record<string, Member>>): { writer: Member; critic: Member } => {
  const [writer, critic] = Object.values(members);
  if (writer === undefined || critic === undefined) throw new Error('it needs a writer and a critic');
  return { writer, critic };
};

export const row: PatternRow = {
  name: 'writerCritic',
  machine: writerCritic.machine,
  ownStates: ['drafting', 'criticising', 'revising'],
  make: (members, { name = 'essay', ...beside } = {}) => writerCritic({ ...beside, name, ...roles(members) }),
  says: (name) => (name === 'bob' ? 'accept: it is short' : name),
  output: 'ann',
  // Without a draft there is nothing to judge.
  oneFails: 'failed',
  isParallel: false,
  endless: {
    make: () =>
      writerCritic({
        name: 'essay',
        writer: parrot('ann', 'a draft'),
        critic: parrot('bob', '{"verdict": "revise", "note": "no"}'),
        maxRejections: 6,
      }),
    stopReason: { kind: 'rejected', note: 'no', rejections: 7 },
  },
};

export const setup: SetupRow = {
  setup: { writer: ann, critic: {} },
  options: { writer: 'needed', critic: 'role', maxRejections: 'count' },
  places: {},
};
