import { assign, setup } from 'xstate';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Acted } from '../agent/agent-context.ts';
import type { Approval, ToolCallContext, ToolCallInput } from './tool-call-context.ts';
import * as call from './tool-call-context.ts';
import { put } from '../in-force.ts';

/** Events of a tool call. */
export type ToolCallEvent =
  | { type: 'answered.approve'; at: number; output: Approval }
  | { type: 'answered.tool'; at: number; output: Acted }
  | { type: 'answered.pause'; at: number }
  | { type: 'abort'; at: number; reason: string }
  | { type: `failed.${string}`; at: number; error: ErrorData };

const toolCall = /* @__PURE__ */ setup({
  types: {
    context: {} as ToolCallContext,
    input: {} as ToolCallInput,
    events: {} as ToolCallEvent,
    output: {} as ReturnType<typeof call.toolCallOutput>,
  },
  actions: {
    entered: ({ context }, { phase }: { phase: string }) => {
      put({ type: 'enter', phase, step: context.of.context.step });
    },
    askApproval: ({ context }) => {
      put({ type: 'ask', asks: [call.approvalAsk(context)] });
    },
    askTool: ({ context }) => {
      put({ type: 'ask', asks: [call.toolAsk(context)] });
    },
    askPause: ({ context }) => {
      put({ type: 'ask', asks: [call.toolPause(context)] });
    },
    emitRetry: ({ context }) => {
      put({
        type: 'emit',
        body: call.retryingEvent(context),
        step: context.of.context.step,
        phase: 'waitingToRetry',
      });
    },
    withdraw: () => {
      put({ type: 'withdraw' });
    },
    holdOff: assign(({ context }) => call.holdOff(context)),
    approved: assign(({ context, event }) =>
      event.type === 'answered.approve' ? call.approved(context, event.output, event.at) : {},
    ),
    denied: assign(({ context, event }) =>
      event.type === 'answered.approve' ? call.denied(context, event.output, event.at) : {},
    ),
    ran: assign(({ event }) => (event.type === 'answered.tool' ? call.ran(event.output, event.at) : {})),
    cancelled: assign(({ context }) => call.cancelled(context)),
    broken: assign(({ context, event }) => ('error' in event ? call.broken(context, event.error) : {})),
    giveUp: assign(({ context }) => call.giveUp(context)),
  },
  guards: {
    needsApproval: ({ context }) => context.trouble.needsApproval === true && !context.isApproved,
    canRetry: ({ context }) => context.trouble.waitMs !== null,
    saidYes: ({ event }) => event.type === 'answered.approve' && event.output.isApproved,
    isTrouble: ({ event }) => event.type === 'answered.tool' && event.output.kind === 'trouble',
    isSuccess: ({ event }) => resultOf(event)?.ok === true,
    isTimeout: ({ event }) => kindOf(resultOf(event)) === 'timeout',
    isCancelled: ({ event }) => kindOf(resultOf(event)) === 'cancelled',
    isAmbiguous: ({ event }) => codeOf(resultOf(event)) === 'tool.ambiguous',
  },
});

const resultOf = (event: ToolCallEvent): ToolResult | undefined =>
  event.type === 'answered.tool' && event.output.kind === 'result' ? event.output.result : undefined;

const kindOf = (result: ToolResult | undefined) => (result?.ok === false ? result.kind : undefined);

const codeOf = (result: ToolResult | undefined) => (result?.ok === false ? result.error.code : undefined);

/**
 * A tool call that needs more than one attempt: it has to be approved, or a failure may be transient.
 *
 * It always ends with a result, as the model needs an answer.
 */
export const toolCallMachine = /* @__PURE__ */ toolCall.createMachine({
  id: 'toolCall',
  description: 'One tool call that has to be approved or retried.',
  context: call.initialToolCall,
  output: call.toolCallOutput,
  options: { maxIterations: 1000 },
  initial: 'proposed',
  on: {
    abort: { target: '.cancelled', actions: 'cancelled' },
    'failed.*': { target: '.failed', actions: 'broken' },
  },
  states: {
    proposed: {
      description: 'An agent has decided on the call.',
      always: 'judged',
    },
    judged: {
      description: 'By the rules, its tool and its failures: a person, a wait, or nothing more?',
      always: [
        { guard: 'needsApproval', target: 'asked' },
        { guard: 'canRetry', target: 'waitingToRetry' },
        { target: 'failed', actions: 'giveUp' },
      ],
    },
    asked: {
      description: 'A person looks at the call and says yes or no.',
      entry: [{ type: 'entered', params: { phase: call.ASKED } }, 'askApproval'],
      exit: 'withdraw',
      on: {
        'answered.approve': [
          { guard: 'saidYes', target: 'queued', actions: 'approved' },
          { target: 'denied', actions: 'denied' },
        ],
      },
    },
    queued: {
      description: 'It was approved, and takes its place among the effects of the run.',
      always: 'running',
    },
    running: {
      description: 'One attempt is in progress.',
      entry: [{ type: 'entered', params: { phase: 'running' } }, 'askTool'],
      exit: 'withdraw',
      on: {
        'answered.tool': [
          { guard: 'isTrouble', target: 'judged', actions: 'ran' },
          { guard: 'isSuccess', target: 'succeeded', actions: 'ran' },
          { guard: 'isTimeout', target: 'timedOut', actions: 'ran' },
          { guard: 'isCancelled', target: 'cancelled', actions: 'ran' },
          { guard: 'isAmbiguous', target: 'ambiguous', actions: 'ran' },
          { target: 'failed', actions: 'ran' },
        ],
      },
    },
    waitingToRetry: {
      description: 'Holding off before the next attempt.',
      entry: ['holdOff', { type: 'entered', params: { phase: 'waitingToRetry' } }, 'emitRetry', 'askPause'],
      exit: 'withdraw',
      on: { 'answered.pause': 'running' },
    },
    succeeded: {
      description: 'The tool did its work.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'succeeded' } },
    },
    failed: {
      description: 'The tool failed, and no attempt is left.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'failed' } },
    },
    denied: {
      description: 'A person said no.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'denied' } },
    },
    timedOut: {
      description: 'The tool took too long and was aborted.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'timedOut' } },
    },
    cancelled: {
      description: 'The run ended before the tool did.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'cancelled' } },
    },
    ambiguous: {
      description: 'The tool may or may not have done its work; a person has to decide.',
      type: 'final',
      entry: { type: 'entered', params: { phase: 'ambiguous' } },
    },
  },
});
