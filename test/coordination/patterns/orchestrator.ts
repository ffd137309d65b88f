import { orchestrator } from '../../../src/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

const route = (agents: readonly string[], phase?: string): string =>
  JSON.stringify({ agents, phase, reason: 'it is time' });

export const row: PatternRow = {
  name: 'orchestrator',
  machine: orchestrator.machine,
  ownStates: ['checkingRoute', 'takingTurns', 'closingTurn'],
  make: (members, { name = 'house', ...beside } = {}) =>
    orchestrator({
      ...beside,
      name,
      members,
      targets: 'together',
      orchestrator: { model: scripted([route(Object.keys(members), 'plan'), route(['END'])]) },
    }),
  says: (name) => name,
  output: 'bob',
  isParallel: true,
  endless: {
    make: () =>
      orchestrator({
        name: 'house',
        members: { ann: parrot('ann', 'more') },
        orchestrator: { model: scripted(Array.from({ length: 9 }, () => route(['ann']))) },
        maxRounds: 4,
      }),
    stopReason: { kind: 'maxRounds', limit: 4 },
  },
};

export const setup: SetupRow = {
  setup: { members: two, orchestrator: {} },
  options: {
    members: 'needed',
    orchestrator: 'role',
    phases: 'optional',
    start: 'optional',
    mayChange: 'list',
    targets: 'optional',
    maxRounds: 'count',
  },
  places: {
    'a member': ['needed', (found) => ({ members: { ann, bob: found } })],
    'what follows a phase': ['words', (found) => ({ phases: { chat: found } })],
  },
};
