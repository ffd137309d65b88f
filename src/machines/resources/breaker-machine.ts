import { assign, setup } from 'xstate';

/** Limits of a circuit breaker. */
export interface BreakerInput {
  /** Number of consecutive failures that open it. */
  readonly failures: number;
  /** In ms. */
  readonly halfOpenAfterMs: number;
}

/** State of a circuit breaker. */
export interface BreakerContext extends BreakerInput {
  /** Number of consecutive failures so far. */
  readonly inRow: number;
  /** Time of the next trial call, in ms since 1970. */
  readonly dueAt: number;
  /** Number of the current period: results of calls from earlier ones are ignored. */
  readonly spell: number;
}

/** Events of a breaker; `spell` is the period in which the call was admitted. */
export type BreakerEvent =
  | { type: 'asked'; at: number }
  | { type: 'succeeded'; spell: number }
  | { type: 'failed'; at: number; spell: number }
  /** The call says nothing about the called side: a mistake of the caller, or a cancellation. */
  | { type: 'spared'; spell: number };

const isOfNow = (context: BreakerContext, event: BreakerEvent): boolean =>
  'spell' in event && event.spell === context.spell;

const breaker = /* @__PURE__ */ setup({
  types: {
    context: {} as BreakerContext,
    input: {} as BreakerInput,
    events: {} as BreakerEvent,
  },
  actions: {
    count: assign({ inRow: ({ context }) => context.inRow + 1 }),
    forgive: assign({ inRow: 0 }),
    begin: assign({ inRow: 0, spell: ({ context }) => context.spell + 1 }),
    setDue: assign({
      dueAt: ({ context, event }) =>
        event.type === 'failed' ? event.at + context.halfOpenAfterMs : context.dueAt,
    }),
  },
  guards: {
    isDue: ({ context, event }) => event.type === 'asked' && event.at >= context.dueAt,
    isOfNow: ({ context, event }) => isOfNow(context, event),
    isLastStraw: ({ context, event }) => isOfNow(context, event) && context.inRow + 1 >= context.failures,
  },
});

/**
 * A circuit breaker: rejects calls after a number of consecutive failures, then admits one trial call.
 *
 * It uses no timer: it half-opens at the first call that is due.
 */
export const breakerMachine = /* @__PURE__ */ breaker.createMachine({
  id: 'breaker',
  description: 'Rejects calls to a service that keeps failing.',
  // XState calls this without an input to inspect the machine.
  context: ({ input }: { input: BreakerInput | undefined }) => ({
    failures: input?.failures ?? 1,
    halfOpenAfterMs: input?.halfOpenAfterMs ?? 0,
    inRow: 0,
    dueAt: 0,
    spell: 0,
  }),
  options: { maxIterations: 100 },
  initial: 'closed',
  states: {
    closed: {
      description: 'Every call passes; failures in a row are counted.',
      on: {
        succeeded: { guard: 'isOfNow', actions: 'forgive' },
        failed: [
          { guard: 'isLastStraw', target: 'open', actions: ['begin', 'setDue'] },
          { guard: 'isOfNow', actions: 'count' },
        ],
      },
    },
    open: {
      description: 'Every call fails at once, until a trial call is due.',
      on: { asked: { guard: 'isDue', target: 'halfOpen', actions: 'begin' } },
    },
    halfOpen: {
      description: 'A trial call is in progress; all others fail at once.',
      on: {
        succeeded: { guard: 'isOfNow', target: 'closed', actions: 'begin' },
        failed: { guard: 'isOfNow', target: 'open', actions: ['begin', 'setDue'] },
        spared: { guard: 'isOfNow', target: 'open', actions: 'begin' },
      },
    },
  },
});
