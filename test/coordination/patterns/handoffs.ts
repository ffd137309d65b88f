import { handoff } from '../../../src/contracts/agents/decision.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { handoffs } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

export const row: PatternRow = {
  name: 'handoffs',
  machine: handoffs.machine,
  ownStates: ['receiving', 'holding', 'passing'],
  // Somebody at the door who hands everything to the first of them.
  make: (members, { name = 'relay', ...beside } = {}) => {
    const [first = ''] = Object.keys(members);
    const door = agent({ name: 'door', decide: () => handoff(first) });
    return handoffs({ ...beside, name, first: 'door', members: { ...members, door } });
  },
  says: (name) => name,
  output: 'ann',
  oneFails: 'failed',
  isParallel: false,
  endless: {
    make: () => {
      const names = Array.from({ length: 7 }, (_, index) => `m${index}`);
      const members = names.map((name, index) => [
        name,
        agent({ name, decide: () => handoff(`m${index + 1}`) }),
      ]);
      return handoffs({ name: 'relay', members: Object.fromEntries(members), maxHandoffs: 4 });
    },
    stopReason: { kind: 'softCap', cap: 'handoffs', limit: 4, detail: "'m4' would have handed over to 'm5'" },
  },
};

export const setup: SetupRow = {
  setup: { members: two },
  options: {
    members: 'needed',
    first: 'optional',
    sees: 'record',
    fields: 'list',
    adapt: 'optional',
    maxHandoffs: 'count',
    revisits: 'count',
  },
  places: {
    'a member': ['needed', (found) => ({ members: { ann, bob: found } })],
    'the rounds of a summary': ['count', (found) => ({ sees: { rounds: found } })],
  },
};
