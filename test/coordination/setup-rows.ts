import { agent } from '../../src/runtime/define/agent.ts';

/** What of any rubbish is none where this kind of thing is asked for. */
export const MEANT = {
  /** Anything is refused. */
  needed: [],
  /** May be left out. */
  optional: ['nothing'],
  count: ['nothing', '3'],
  text: ['nothing', "'x'"],
  list: ['nothing', '[]'],
  record: ['nothing', '{}'],
  /** Options of an agent may be none at all. */
  role: ['{}'],
  optionalRole: ['nothing', '{}'],
  words: ['[]'],
  number: ['3'],
} as const satisfies Record<string, readonly string[]>;
/** What is asked for. */
export type Kind = keyof typeof MEANT;

const ann = agent({ name: 'ann' });
const bob = agent({ name: 'bob' });
const two = { ann, bob };

/** What every team may be given. */
export const EVERY: Readonly<Record<string, Kind>> = {
  name: 'text',
  description: 'text',
  hooks: 'list',
  budget: 'record',
  mailbox: 'record',
  budgets: 'record',
  limits: 'record',
  supervision: 'record',
  memberTimeMs: 'count',
  asMember: 'record',
};

/** What a pattern may be given, and what of it is not to be taken. */
export interface SetupRow {
  readonly pattern: string;
  /** A setup that is taken. */
  readonly setup: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, Kind>>;
  /** Where one member stands, as the setup with that in its place. */
  readonly places: Readonly<
    Record<string, readonly [Kind, (found: unknown) => Readonly<Record<string, unknown>>]>
  >;
}

export const setupRows: readonly SetupRow[] = [
  {
    pattern: 'blackboard',
    setup: { specialists: two, controller: {} },
    options: {
      specialists: 'needed',
      controller: 'role',
      reads: 'record',
      maxRounds: 'count',
      size: 'count',
      maxAgeMs: 'count',
    },
    places: {
      'a specialist': ['needed', (found) => ({ specialists: { ann, bob: found } })],
      'the agent of a specialist': [
        'needed',
        (found) => ({ specialists: { ann: { agent: found, reads: {} } } }),
      ],
      'what a specialist reads': [
        'record',
        (found) => ({ specialists: { ann: { agent: ann, reads: found } } }),
      ],
      'how much is read': ['count', (found) => ({ reads: { limit: found } })],
      'how old it may be': ['count', (found) => ({ reads: { maxAgeMs: found } })],
      'how important': ['optional', (found) => ({ reads: { minImportance: found } })],
      tags: ['list', (found) => ({ reads: { tags: found } })],
      'how tags count': ['optional', (found) => ({ reads: { tagMode: found } })],
      'by whom not': ['optional', (found) => ({ reads: { notBy: found } })],
    },
  },
  {
    pattern: 'consensus',
    setup: { voters: two },
    options: {
      voters: 'needed',
      choices: 'optional',
      rule: 'optional',
      threshold: 'optional',
      weights: 'record',
      countAbstentions: 'optional',
      maxRounds: 'count',
      summariser: 'optionalRole',
      concurrency: 'count',
    },
    places: {
      'a voter': ['role', (found) => ({ voters: { ann, bob: found } })],
      'the threshold of a rule that has one': [
        'optional',
        (found) => ({ rule: 'threshold', threshold: found }),
      ],
      'what a vote weighs': ['number', (found) => ({ rule: 'weighted', weights: { ann: found } })],
    },
  },
  {
    pattern: 'contractNet',
    setup: { contractors: two },
    options: { contractors: 'needed', bidTimeMs: 'count', award: 'optional', manager: 'optionalRole' },
    places: {
      'a contractor': ['needed', (found) => ({ contractors: { ann, bob: found } })],
      'the agent of a contractor': [
        'needed',
        (found) => ({ contractors: { ann: { agent: found, bidder: bob } } }),
      ],
      'a bidder': ['optional', (found) => ({ contractors: { ann: { agent: ann, bidder: found } } })],
    },
  },
  {
    pattern: 'debate',
    setup: { debaters: two },
    options: { debaters: 'needed', sides: 'record', rounds: 'count', judge: 'optionalRole' },
    places: {
      'a debater': ['role', (found) => ({ debaters: { ann, bob: found } })],
      'a side': ['optional', (found) => ({ sides: { ann: found } })],
    },
  },
  {
    pattern: 'ensemble',
    setup: { proposers: two, aggregator: {} },
    options: { proposers: 'needed', aggregator: 'role', top: 'count', layers: 'count', concurrency: 'count' },
    places: {
      'a proposer': ['needed', (found) => ({ proposers: { ann, bob: found } })],
      skills: ['list', (found) => ({ proposers: { ann, bob: { agent: bob, skills: found } } })],
    },
  },
  {
    pattern: 'groupChat',
    setup: { members: two },
    options: { members: 'needed', moderator: 'optionalRole', maxRounds: 'count' },
    places: { 'a member': ['needed', (found) => ({ members: { ann, bob: found } })] },
  },
  {
    pattern: 'handoffs',
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
  },
  {
    pattern: 'jury',
    setup: { voters: two },
    options: {
      voters: 'needed',
      personTimeMs: 'optional',
      choices: 'optional',
      rule: 'optional',
      maxRounds: 'count',
    },
    places: { 'a voter': ['role', (found) => ({ voters: { ann, bob: found } })] },
  },
  {
    pattern: 'orchestrator',
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
  },
  {
    pattern: 'parallel',
    setup: { members: two },
    options: {
      members: 'needed',
      concurrency: 'count',
      quorum: 'optional',
      failsFast: 'optional',
      aggregator: 'optionalRole',
    },
    places: {
      'a member': ['needed', (found) => ({ members: { ann, bob: found } })],
      'the one for each': ['optional', (found) => ({ each: found })],
    },
  },
  {
    pattern: 'pipeline',
    setup: { stages: [ann, bob] },
    options: { stages: 'needed', onStageError: 'optional' },
    places: {
      'a stage': ['needed', (found) => ({ stages: [ann, found] })],
      'the agent of a stage': ['needed', (found) => ({ stages: [{ agent: found }] })],
      'a map': ['optional', (found) => ({ stages: [{ agent: ann, map: found }] })],
      'what a failure means': ['optional', (found) => ({ stages: [{ agent: ann, onError: found }] })],
      'a stand-in': ['needed', (found) => ({ stages: [{ agent: ann, onError: { agent: found } }] })],
    },
  },
  {
    pattern: 'plannerExecutor',
    setup: { planner: {}, executors: two },
    options: {
      planner: 'role',
      executors: 'needed',
      result: 'optional',
      maxSteps: 'count',
      maxReplans: 'count',
    },
    places: { 'an executor': ['needed', (found) => ({ executors: { ann, bob: found } })] },
  },
  {
    pattern: 'race',
    setup: { members: two },
    options: { members: 'needed', hedgeAfterMs: 'count', accept: 'optional' },
    places: { 'a member': ['needed', (found) => ({ members: { ann, bob: found } })] },
  },
  {
    pattern: 'router',
    setup: { members: two },
    options: { members: 'needed', strategy: 'optional', maxAttempts: 'count' },
    places: {
      'a member': ['needed', (found) => ({ members: { ann, bob: found } })],
      'the agent of a member': ['needed', (found) => ({ members: { ann: { agent: found, skills: [] } } })],
      skills: ['list', (found) => ({ members: { ann: { agent: ann, skills: found } } })],
      'the kind of a strategy': ['needed', (found) => ({ strategy: { kind: found } })],
      'a judge': ['optionalRole', (found) => ({ strategy: { kind: 'semantic', judge: found } })],
      'a score': ['optional', (found) => ({ strategy: { kind: 'semantic', score: found } })],
      turns: ['optional', (found) => ({ strategy: { kind: 'round-robin', turns: found } })],
      'a load': ['optional', (found) => ({ strategy: { kind: 'least-loaded', load: found } })],
      'an assessment': ['optional', (found) => ({ strategy: { kind: 'tiers', assess: found } })],
      'the top tier': ['count', (found) => ({ strategy: { kind: 'tiers', maxTier: found } })],
    },
  },
  {
    pattern: 'saga',
    setup: { steps: { one: { does: ann } } },
    options: { steps: 'needed' },
    places: {
      'a step': ['needed', (found) => ({ steps: { one: found } })],
      'who does it': ['needed', (found) => ({ steps: { one: { does: found } } })],
      'who undoes it': ['optional', (found) => ({ steps: { one: { does: ann, undoes: found } } })],
      'a map': ['optional', (found) => ({ steps: { one: { does: ann, map: found } } })],
    },
  },
  {
    pattern: 'supervisorWorker',
    setup: { supervisor: {}, workers: two },
    options: {
      supervisor: 'role',
      workers: 'needed',
      reviewer: 'optionalRole',
      maxRejections: 'count',
      maxAttempts: 'count',
      result: 'optional',
      maxRounds: 'count',
      maxAssignments: 'count',
      maxDelegations: 'count',
      concurrency: 'count',
    },
    places: {
      'a worker': ['needed', (found) => ({ workers: { ann, bob: found } })],
      skills: ['list', (found) => ({ workers: { ann: { agent: ann, skills: found } } })],
    },
  },
  {
    pattern: 'writerCritic',
    setup: { writer: ann, critic: {} },
    options: { writer: 'needed', critic: 'role', maxRejections: 'count' },
    places: {},
  },
];
