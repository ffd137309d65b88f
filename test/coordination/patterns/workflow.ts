import type { BesideMembers } from '../../../src/testing/pattern-laws.ts';
import { definitionOf } from '../../../src/runtime/define/definition.ts';
import { workflow } from '../../../src/patterns/index.ts';
import type { Member, PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';

const make = (
  members: Readonly<Record<string, Member>>,
  {
    name = 'flow',
    limits: { memberTimeMs: timeMs, budget, maxDepth, maxChildren } = {},
    failures,
    hooks,
  }: BesideMembers = {},
) => {
  const { ann, bob } = members;
  if (ann === undefined || bob === undefined) throw new Error('the nodes are ann and bob');
  const node = { retry: failures?.supervision === undefined ? 0 : 2, timeMs };
  return workflow({
    name,
    limits: { budget, maxDepth, maxChildren },
    failures: { asMember: failures?.asMember },
    hooks,
    mode: 'partial',
  })
    .node('ann', ann, { ...node, optional: true })
    .node('bob', bob, node)
    .build();
};

const sample = definitionOf(make({ ann: parrot('ann', 'ann'), bob: parrot('bob', 'bob') }))?.machine;

export const row: PatternRow = {
  name: 'workflow',
  machine: () => {
    if (sample === undefined) throw new Error('a workflow has a chart');
    return sample;
  },
  ownStates: ['held', 'skipped'],
  make,
  says: (name) => name,
  output: { ann: 'ann', bob: 'bob' },
  isParallel: true,
};
