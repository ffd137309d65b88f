import type { AgentPort } from './agent-asks.ts';
import type { RecoverablePort } from '../recovery/recovery-state.ts';
import { initialContext } from './agent-context.ts';
import { outcome } from './agent-outcome.ts';
import type { AgentEventType } from './agent-events.ts';
import { agentSetup } from './agent-setup.ts';

const enters = (phase: string) => ({ type: 'entered', params: { phase } }) as const;
const asks = (port: AgentPort) => ({ type: 'ask', params: { port } }) as const;
const tells = (event: AgentEventType, phase: string) => ({ type: 'emit', params: { event, phase } }) as const;

const isPrepared = ['prepared', tells('agent.prepared', 'preparing')] as const;

const takesBack = ['emitReturn', 'returned'] as const;

const LOOKING = '#agent.running.OBSERVE.looking';

/** Messages and timeouts continue with a look at the environment if the agent observes, otherwise at once. */
const goesOn = <const Action extends string>(action: Action) =>
  [
    { guard: 'observes', target: LOOKING, actions: action },
    { target: 'running', actions: action },
  ] as const;

/** Events that end a wait. */
const wakes = { message: goesOn('received'), 'answered.wake': goesOn('woken') } as const;

/** The last awaited delegate has returned. */
const comesBack = [
  { guard: 'comesBackToLook', target: LOOKING, actions: takesBack },
  { guard: 'comesBack', target: 'running', actions: takesBack },
] as const;

/** A failure within the recovery policy's limit is handled in the state in which it occurred. */
const survives = (port: RecoverablePort) =>
  ({ guard: 'mayRecover', actions: [{ type: 'stumbled', params: { port } }, asks('recover')] }) as const;

/**
 * The statechart of every agent.
 *
 * I1 A state decides (by `always`) or works (asks on entry, leaves on the answer), never both.
 * I2 The context is plain JSON; work leaves as outputs (see `outputs.ts`).
 * I3 Every run ends in exactly one of completed, stopped, aborted, failed.
 * I4 No state is re-entered from itself, and every loop passes CHECK_STOP, where the step limit applies.
 */
export const agentMachine = /* @__PURE__ */ agentSetup.createMachine({
  id: 'agent',
  description: 'One agent: it looks, chooses, acts, learns, is judged, and checks whether it is done.',
  context: initialContext,
  output: outcome,
  options: { maxIterations: 1000 },
  initial: 'preparing',
  on: {
    message: { actions: 'received' },
    'answered.delegate': { actions: takesBack },
    abort: { target: '.aborted', actions: 'abandoned' },
    expired: { target: '.stopped', actions: 'expired' },
    'failed.*': { target: '.failed', actions: 'broken' },
  },
  states: {
    preparing: {
      description: 'Input, model and tools are validated; all problems are collected.',
      entry: [enters('preparing'), asks('prepare')],
      exit: 'withdraw',
      on: {
        'answered.prepare': [
          { guard: 'hasProblems', target: 'failed', actions: isPrepared },
          { guard: 'observes', target: LOOKING, actions: isPrepared },
          { target: 'running', actions: isPrepared },
        ],
      },
    },
    running: {
      description: 'Round and round through the six phases, one step each time.',
      initial: 'OBSERVE',
      exit: ['withdraw', 'dismiss'],
      on: {
        'answered.recover': [
          { guard: 'givesUp', target: 'failed', actions: ['recovered', 'emitRecovery'] },
          { actions: ['recovered', 'emitRecovery', 'askOn'] },
        ],
      },
      states: {
        OBSERVE: {
          description: 'A step begins: new messages, and the environment if there is one, are taken in.',
          initial: 'listening',
          entry: [enters('OBSERVE'), 'listened'],
          states: {
            listening: {
              description: 'Nothing to look at but the inbox.',
              always: {
                target: '#agent.running.DECIDE',
                actions: tells('agent.observed', 'OBSERVE'),
              },
            },
            looking: {
              description: 'The agent looks at its environment.',
              entry: asks('observe'),
              on: {
                'answered.observe': {
                  target: '#agent.running.DECIDE',
                  actions: ['observed', tells('agent.observed', 'OBSERVE')],
                },
                'failed.observe': survives('observe'),
                'answered.recover': [
                  {
                    guard: 'seesInstead',
                    target: '#agent.running.DECIDE',
                    actions: ['recovered', 'emitRecovery'],
                  },
                  {
                    guard: 'movesOn',
                    target: '#agent.running.REDUCE',
                    actions: ['recovered', 'emitRecovery'],
                  },
                ],
              },
            },
          },
        },
        DECIDE: {
          description: 'The agent, or its model, chooses what to do.',
          entry: [enters('DECIDE'), asks('decide')],
          on: {
            'answered.decide': [
              { guard: 'isTroubled', actions: ['troubled', 'engage'] },
              { guard: 'isUnaffordable', target: '#agent.stopped', actions: 'decided' },
              {
                guard: 'wantsToAct',
                target: 'ACT',
                actions: ['decided', tells('agent.decided', 'DECIDE')],
              },
              {
                target: 'REDUCE',
                actions: ['decided', tells('agent.decided', 'DECIDE')],
              },
            ],
            'failed.decide': survives('decide'),
            'answered.recover': [
              { guard: 'actsInstead', target: 'ACT', actions: ['recovered', 'emitRecovery'] },
              { guard: 'movesOn', target: 'REDUCE', actions: ['recovered', 'emitRecovery'] },
            ],
          },
        },
        ACT: {
          description: 'The chosen tools run, in parallel up to the cap; exclusive ones alone.',
          entry: [enters('ACT'), asks('act')],
          on: {
            'answered.act': [
              { guard: 'isTroubled', actions: ['troubled', 'engage'] },
              {
                guard: 'isLastResult',
                target: 'REDUCE',
                actions: ['acted', tells('agent.acted', 'ACT')],
              },
              { actions: ['acted', asks('act')] },
            ],
            'failed.act': survives('act'),
            'answered.recover': {
              guard: 'movesOn',
              target: 'REDUCE',
              actions: ['recovered', 'emitRecovery'],
            },
          },
        },
        REDUCE: {
          description: 'Decision and results are folded into state and conversation; the step counts.',
          entry: [enters('REDUCE'), 'reduced', 'delegate'],
          exit: tells('agent.reduced', 'REDUCE'),
          always: [{ guard: 'wantsCritique', target: 'CRITIC' }, { target: 'CHECK_STOP' }],
        },
        CRITIC: {
          description: 'The critics accept the answer, send it back with a note, or stop the run.',
          entry: [enters('CRITIC'), asks('critique')],
          on: {
            'answered.critique': {
              target: 'CHECK_STOP',
              actions: ['critiqued', tells('agent.critiqued', 'CRITIC')],
            },
          },
        },
        CHECK_STOP: {
          description: 'Done, out of bounds, waiting, or another step.',
          entry: [
            enters('CHECK_STOP'),
            'checked',
            'emitNotices',
            tells('agent.checked', 'CHECK_STOP'),
            tells('step.ended', 'CHECK_STOP'),
          ],
          always: [
            { guard: 'isAnswered', target: '#agent.completed' },
            { guard: 'hasFailed', target: '#agent.failed' },
            { guard: 'mustStop', target: '#agent.stopped' },
            { guard: 'mustWait', target: '#agent.waiting' },
            { guard: 'observes', target: '#agent.running.OBSERVE.looking' },
            { target: '#agent.running.OBSERVE' },
          ],
        },
      },
    },
    waiting: {
      description: 'The agent sleeps until a message arrives or its time is up.',
      entry: [enters('waiting'), tells('agent.waiting', 'waiting'), asks('wake')],
      exit: 'withdraw',
      on: {
        ...wakes,
        'answered.delegate': [
          { guard: 'mayBeMore', target: 'gathering', actions: ['gather', ...takesBack] },
          ...comesBack,
        ],
      },
    },
    gathering: {
      description: 'A delegate has returned; others may within a moment.',
      entry: enters('gathering'),
      exit: 'withdraw',
      on: {
        ...wakes,
        'answered.delegate': [{ guard: 'mayBeMore', actions: takesBack }, ...comesBack],
      },
    },
    completed: {
      description: 'The answer is given.',
      type: 'final',
      entry: enters('completed'),
    },
    stopped: {
      description: 'A rule, a critic or a handoff ended the run before an answer was accepted.',
      type: 'final',
      entry: enters('stopped'),
    },
    aborted: {
      description: 'The run was aborted.',
      type: 'final',
      entry: enters('aborted'),
    },
    failed: {
      description: 'A failure that no retry resolved.',
      type: 'final',
      entry: enters('failed'),
    },
  },
});
