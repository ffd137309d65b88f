import type { Graph, GraphNode } from './workflow-graph.ts';

/** The guards that a node's region follows the scheduler by. */
export type NodeGuard =
  | 'nodeIsReady'
  | 'nodeIsPending'
  | 'nodeIsQueued'
  | 'nodeRuns'
  | 'nodeWaits'
  | 'nodeIsHeld'
  | 'nodeIsSkipped'
  | 'nodeIsCompleted'
  | 'nodeHasFailed';

type OtherGuard = 'isSuspended' | 'isResumed' | 'hasAddedNodes' | 'addedNodesAreThrough';

interface RegionArrow<Guard> {
  readonly guard: Guard;
  readonly target: string;
}

interface RegionState<Guard> {
  readonly description: string;
  readonly type?: 'final';
  readonly entry: { readonly type: 'entered'; readonly params: { readonly phase: string } };
  readonly always?: readonly RegionArrow<Guard>[];
}

/** One region of a workflow's chart. */
export interface Region<Guard> {
  readonly description: string;
  readonly initial: string;
  readonly states: Readonly<Record<string, RegionState<Guard>>>;
}

/** The region of a node: where it is, and where it can go from there. */
export const regionOf = (
  node: GraphNode,
  { edges }: Pick<Graph, 'edges'>,
): Region<{ readonly type: NodeGuard; readonly params: { readonly node: string } }> => {
  const { id } = node;
  const state = (
    phase: string,
    description: string,
    arrows: readonly (readonly [NodeGuard, string])[] = [],
  ) => ({
    description,
    entry: { type: 'entered', params: { phase: `${id}.${phase}` } } as const,
    ...(arrows.length === 0
      ? { type: 'final' as const }
      : { always: arrows.map(([type, target]) => ({ guard: { type, params: { node: id } }, target })) }),
  });
  const ends = [
    ['nodeIsCompleted', 'completed'],
    ['nodeHasFailed', 'failed'],
    ['nodeIsSkipped', 'skipped'],
  ] as const;
  return {
    description: inWords(node, edges),
    initial: 'pending',
    states: {
      pending: state('pending', 'Something before it is not through.', [
        ['nodeIsSkipped', 'skipped'],
        ['nodeHasFailed', 'failed'],
        ['nodeIsHeld', 'held'],
        ['nodeIsReady', 'ready'],
      ]),
      ready: state('ready', 'All that it needs is there: it begins as soon as there is room.', [
        ['nodeRuns', 'running'],
        ['nodeIsHeld', 'held'],
        ...ends,
      ]),
      running: state('running', 'Its member is at work.', [
        ['nodeWaits', 'waiting'],
        ['nodeIsHeld', 'held'],
        ['nodeIsQueued', 'ready'],
        ...ends,
      ]),
      waiting: state('waiting', 'It failed, and is tried again after a while.', [
        ['nodeIsReady', 'ready'],
        ['nodeIsHeld', 'held'],
        ['nodeIsSkipped', 'skipped'],
      ]),
      held: state('held', 'It goes on when it is released.', [
        ['nodeHasFailed', 'failed'],
        ['nodeIsReady', 'ready'],
        ['nodeIsPending', 'pending'],
        ['nodeIsSkipped', 'skipped'],
      ]),
      completed: state('completed', 'It has done its work.'),
      failed: state('failed', 'It could not do its work, however often it was tried.'),
      skipped: state('skipped', 'It was not its turn, and never will be.'),
    },
  };
};

/** The sentence that describes a node. */
const inWords = ({ id, member, over, optional, held }: GraphNode, edges: Graph['edges']): string => {
  const before = edges.filter(({ to }) => to === id).map(({ from, kind }) => `${from} (${kind})`);
  return [
    member === id ? 'A node' : `A node done by ${member}`,
    ...(over === null ? [] : ['once for each item of a list']),
    ...(before.length === 0 ? [] : [`after ${[...new Set(before)].join(', ')}`]),
    ...(optional === null ? [] : ['optional']),
    ...(held ? ['held until it is released'] : []),
  ]
    .join(', ')
    .concat('.');
};

/** The region that says if new nodes begin. */
export const admission: Region<OtherGuard> = {
  description: 'Whether nodes begin whose turn has come.',
  initial: 'open',
  states: {
    open: {
      description: 'They begin as soon as there is room.',
      entry: { type: 'entered', params: { phase: 'open' } },
      always: [{ guard: 'isSuspended', target: 'suspended' }],
    },
    suspended: {
      description: 'None begins until the workflow is resumed; those at work go on.',
      entry: { type: 'entered', params: { phase: 'suspended' } },
      always: [{ guard: 'isResumed', target: 'open' }],
    },
  },
};

/** Nodes that were added on the way. */
export const additions: Region<OtherGuard> = {
  description: 'Nodes that were added on the way.',
  initial: 'none',
  states: {
    none: {
      description: 'There are none that are not through.',
      entry: { type: 'entered', params: { phase: 'added.none' } },
      always: [{ guard: 'hasAddedNodes', target: 'underWay' }],
    },
    underWay: {
      description: 'Some are not through.',
      entry: { type: 'entered', params: { phase: 'added.underWay' } },
      always: [{ guard: 'addedNodesAreThrough', target: 'none' }],
    },
  },
};
