import { assign, setup } from 'xstate';
import type { ErrorData } from '../contracts/error.ts';
import type { RuntimeEvent } from '../contracts/event.ts';
import type { Json } from '../contracts/json.ts';
import type { Message } from '../contracts/message.ts';
import type { Outcome } from '../contracts/run.ts';
import { agentAsks, callEngagement } from './agent-asks.ts';
import type { AgentPort } from './agent-asks.ts';
import type { Acted, AgentContext, AgentInput, Critiqued, Decided, Prepared } from './agent-context.ts';
import { initialContext, outcome } from './agent-context.ts';
import { agentEvent, stepAt } from './agent-events.ts';
import type { AgentEventType } from './agent-events.ts';
import * as reducers from './agent-reducers.ts';
import { isLastOpen, isOpen } from './call-plan.ts';
import { carrierOf } from './outputs.ts';

/** What an agent's machine is told. Every envelope carries `at`: the only clock that a machine sees. */
export type AgentEvent =
  | { type: 'answered.prepare'; at: number; output: Prepared }
  | { type: 'answered.observe'; at: number; output: Json | undefined }
  | { type: 'answered.decide'; at: number; output: Decided }
  | { type: 'answered.act'; at: number; index: number; output: Acted }
  | { type: 'answered.critique'; at: number; output: Critiqued }
  | { type: 'answered.wake'; at: number }
  | { type: 'message'; at: number; message: Message }
  | { type: 'abort'; at: number; reason: string }
  | { type: `failed.${string}`; at: number; error: ErrorData };

const agent = setup({
  types: {
    context: {} as AgentContext,
    input: {} as AgentInput,
    events: {} as AgentEvent,
    output: {} as Outcome,
    emitted: {} as RuntimeEvent,
  },
  actions: {
    entered: ({ self, context }, { phase }: { phase: string }) => {
      carrierOf(self).enter(phase, stepAt(context, phase));
    },
    ask: ({ self, context }, { port }: { port: AgentPort }) => {
      carrierOf(self).ask(agentAsks(context, port));
    },
    engage: ({ self, context }) => {
      carrierOf(self).engage(callEngagement(context));
    },
    withdraw: ({ self }) => {
      carrierOf(self).withdraw();
    },
    dismiss: ({ self }) => {
      carrierOf(self).dismiss();
    },
    emit: ({ self, context }, { event, phase }: { event: AgentEventType; phase: string }) => {
      carrierOf(self).emit(
        agentEvent(context, event),
        event === 'agent.reduced' ? context.step - 1 : stepAt(context, phase),
        phase,
      );
    },
    prepared: assign(({ context, event }) =>
      event.type === 'answered.prepare' ? reducers.prepared(context, event.output, event.at) : {},
    ),
    listened: assign(({ context }) => reducers.listened(context)),
    observed: assign(({ context, event }) =>
      event.type === 'answered.observe' ? reducers.observed(context, event.output, event.at) : {},
    ),
    decided: assign(({ context, event }) =>
      event.type === 'answered.decide' && event.output.kind !== 'trouble'
        ? reducers.decided(context, event.output, event.at)
        : {},
    ),
    troubled: assign(({ context, event }) =>
      (event.type === 'answered.decide' || event.type === 'answered.act') && event.output.kind === 'trouble'
        ? reducers.troubled(context, event.output, event.at)
        : {},
    ),
    acted: assign(({ context, event }) =>
      event.type === 'answered.act' ? reducers.acted(context, event.output, event.index, event.at) : {},
    ),
    reduced: assign(({ context }) => reducers.reduced(context)),
    critiqued: assign(({ context, event }) =>
      event.type === 'answered.critique' ? reducers.critiqued(context, event.output, event.at) : {},
    ),
    checked: assign(({ context }) => reducers.checked(context)),
    received: assign(({ context, event }) =>
      event.type === 'message' ? reducers.received(context, event.message, event.at) : {},
    ),
    woken: assign(({ context, event }) => reducers.woken(context, event.at)),
    abandoned: assign(({ event }) => (event.type === 'abort' ? reducers.abandoned(event.reason) : {})),
    broken: assign(({ event }) => ('error' in event ? reducers.broken(event.error) : {})),
  },
  guards: {
    hasProblems: ({ event }) => event.type === 'answered.prepare' && event.output.problems.length > 0,
    observes: ({ context }) => context.run.observes,
    isTroubled: ({ context: { cycle }, event }) =>
      'output' in event &&
      hasTrouble(event.output) &&
      (event.type !== 'answered.act' || (cycle.plan !== null && isOpen(cycle.plan, event.index))),
    // Without a single call ACT would wait for ever.
    wantsToAct: ({ event }) =>
      event.type === 'answered.decide' && event.output.kind === 'decided' && !!event.output.calls?.length,
    isLastResult: ({ context: { cycle }, event }) =>
      event.type === 'answered.act' &&
      event.output.kind === 'result' &&
      cycle.plan !== null &&
      isLastOpen(cycle.plan, event.index),
    wantsCritique: ({ context: { run, review, end } }) =>
      end === null && (run.critics === 'step' || (run.critics === 'answer' && review.candidate !== null)),
    isAnswered: ({ context }) => context.end?.status === 'completed',
    hasFailed: ({ context }) => context.end?.status === 'failed',
    mustStop: ({ context }) => context.end !== null,
    mustWait: ({ context }) => context.cycle.decision?.kind === 'wait' && context.inbox.length === 0,
  },
});

const hasTrouble = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && 'kind' in output && output.kind === 'trouble';

const enters = (phase: string) => ({ type: 'entered', params: { phase } }) as const;
const asks = (port: AgentPort) => ({ type: 'ask', params: { port } }) as const;
const tells = (event: AgentEventType, phase: string) => ({ type: 'emit', params: { event, phase } }) as const;

/**
 * The statechart that every agent is.
 *
 * I1  A state decides (by `always`) or works (asks on entry, leaves on the answer), never both.
 * I2  The context is plain JSON; whatever is to be done leaves as an output (see `outputs.ts`).
 * I3  Every run ends in exactly one of completed, stopped, aborted, failed.
 * I4  No state is re-entered from itself, no loop passes without CHECK_STOP, where the step limit holds.
 */
export const agentMachine = agent.createMachine({
  id: 'agent',
  description: 'One agent: it looks, chooses, acts, learns, is judged, and checks whether it is done.',
  context: initialContext,
  output: outcome,
  options: { maxIterations: 1000 },
  initial: 'preparing',
  on: {
    message: { actions: 'received' },
    abort: { target: '.aborted', actions: 'abandoned' },
    'failed.*': { target: '.failed', actions: 'broken' },
  },
  states: {
    preparing: {
      description: 'Input, model and tools are looked at; all problems are collected.',
      entry: [enters('preparing'), asks('prepare')],
      exit: 'withdraw',
      on: {
        'answered.prepare': [
          {
            guard: 'hasProblems',
            target: 'failed',
            actions: ['prepared', tells('agent.prepared', 'preparing')],
          },
          {
            guard: 'observes',
            target: '#agent.running.OBSERVE.looking',
            actions: ['prepared', tells('agent.prepared', 'preparing')],
          },
          {
            target: 'running',
            actions: ['prepared', tells('agent.prepared', 'preparing')],
          },
        ],
      },
    },
    running: {
      description: 'Round and round through the six phases, one step each time.',
      initial: 'OBSERVE',
      exit: ['withdraw', 'dismiss'],
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
          },
        },
        REDUCE: {
          description: 'Decision and results are folded into state and conversation; the step counts.',
          entry: [enters('REDUCE'), 'reduced'],
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
        message: [
          { guard: 'observes', target: '#agent.running.OBSERVE.looking', actions: 'received' },
          { target: 'running', actions: 'received' },
        ],
        'answered.wake': [
          { guard: 'observes', target: '#agent.running.OBSERVE.looking', actions: 'woken' },
          { target: 'running', actions: 'woken' },
        ],
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
      description: 'Somebody called the run off.',
      type: 'final',
      entry: enters('aborted'),
    },
    failed: {
      description: 'Something broke that trying again could not mend.',
      type: 'final',
      entry: enters('failed'),
    },
  },
});
