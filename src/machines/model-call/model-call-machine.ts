import { assign, setup } from 'xstate';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Decided } from '../agent/agent-context.ts';
import type { ModelCallContext, ModelCallInput, ModelCallOutput } from './model-call-context.ts';
import * as call from './model-call-context.ts';
import { put } from '../in-force.ts';

/** Events of a model call. */
export type ModelCallEvent =
  | { type: 'answered.model'; at: number; output: Decided }
  | { type: 'answered.pause'; at: number }
  | { type: 'abort'; at: number; reason: string }
  | { type: `failed.${string}`; at: number; error: ErrorData };

const modelCall = /* @__PURE__ */ setup({
  types: {
    context: {} as ModelCallContext,
    input: {} as ModelCallInput,
    events: {} as ModelCallEvent,
    output: {} as ModelCallOutput,
  },
  actions: {
    entered: ({ context }, { phase }: { phase: string }) => {
      put({ type: 'enter', phase, step: context.call.context.step });
    },
    askModel: ({ context }) => {
      put({ type: 'ask', asks: [call.modelAsk(context)] });
    },
    askPause: ({ context }) => {
      put({ type: 'ask', asks: [call.modelPause(context)] });
    },
    emitRetry: ({ context }) => {
      put({
        type: 'emit',
        body: call.retryingEvent(context),
        step: context.call.context.step,
        phase: 'waitingToRetry',
      });
    },
    withdraw: () => {
      put({ type: 'withdraw' });
    },
    holdOff: assign(({ context }) => call.holdOff(context)),
    fallBack: assign(({ context }) => call.fallBack(context)),
    answered: assign(({ context, event }) =>
      event.type === 'answered.model' ? call.answeredModel(context, event.output, event.at) : {},
    ),
    giveUp: assign(({ context }) => call.giveUp(context)),
    broken: assign(({ event }) => ('error' in event ? { error: event.error } : {})),
  },
  guards: {
    canRetry: ({ context }) => context.trouble.waitMs !== null,
    canFallBack: ({ context }) => context.model + 1 < context.call.context.run.models,
    isTrouble: ({ event }) => event.type === 'answered.model' && event.output.kind === 'trouble',
    isRefusal: ({ event }) => event.type === 'answered.model' && event.output.kind === 'refused',
  },
});

/**
 * A model call that needs more than one attempt: it waits, retries, and falls back along the list.
 *
 * DECIDE engages it with the trouble of the first attempt, so it starts by judging that.
 */
export const modelCallMachine = /* @__PURE__ */ modelCall.createMachine({
  id: 'modelCall',
  description: 'One troubled model call: wait, retry, fall back, or give up.',
  context: call.initialModelCall,
  output: call.modelCallOutput,
  options: { maxIterations: 1000 },
  initial: 'judging',
  on: {
    abort: '.cancelled',
    'failed.*': { target: '.failed', actions: 'broken' },
  },
  states: {
    judging: {
      description: 'Is there another attempt, or another model?',
      always: [
        { guard: 'canRetry', target: 'waitingToRetry' },
        { guard: 'canFallBack', target: 'fallingBack' },
        { target: 'failed', actions: 'giveUp' },
      ],
    },
    waitingToRetry: {
      description: 'Holding off for as long as the provider asked, or the back-off says.',
      entry: ['holdOff', { type: 'entered', params: { phase: 'waitingToRetry' } }, 'emitRetry', 'askPause'],
      exit: 'withdraw',
      on: { 'answered.pause': 'asking' },
    },
    fallingBack: {
      description: 'The next model of the list takes over.',
      entry: ['fallBack', { type: 'entered', params: { phase: 'fallingBack' } }],
      always: 'asking',
    },
    asking: {
      description: 'One attempt is in progress.',
      entry: [{ type: 'entered', params: { phase: 'asking' } }, 'askModel'],
      exit: 'withdraw',
      on: {
        'answered.model': [
          { guard: 'isTrouble', target: 'judging', actions: 'answered' },
          { guard: 'isRefusal', target: 'refused', actions: 'answered' },
          { target: 'answered', actions: 'answered' },
        ],
      },
    },
    answered: {
      description: 'The model answered.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'answered' } },
    },
    refused: {
      description: 'The model declined.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'refused' } },
    },
    failed: {
      description: 'No attempt and no model is left.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'failed' } },
    },
    cancelled: {
      description: 'The call was cancelled.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'cancelled' } },
    },
  },
});
