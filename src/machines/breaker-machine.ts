import { assign, setup } from 'xstate';

/** When a breaker opens, and for how long. */
export interface BreakerInput {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** In ms. */
  readonly halfOpenAfterMs: number;
}

/** What a breaker remembers. */
export interface BreakerContext extends BreakerInput {
  /** Failures in a row so far. */
  readonly inRow: number;
  /** When one call may pass again, in ms since 1970. */
  readonly dueAt: number;
  /** Which spell this is: what was begun in an earlier one says nothing of now. */
  readonly spell: number;
}

/** What a breaker is told; `spell` is that of the moment at which the call passed. */
export type BreakerEvent =
  | { type: 'asked'; at: number }
  | { type: 'succeeded'; spell: number }
  | { type: 'failed'; at: number; spell: number }
  /** The call came to nothing that tells of the other side: a mistake of the caller, or nobody waited any more. */
  | { type: 'spared'; spell: number };

const isOfNow = (context: BreakerContext, event: BreakerEvent): boolean =>
  'spell' in event && event.spell === context.spell;

const breaker = setup({
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
 * A circuit breaker: whoever fails so often in a row is left alone for a while, then tried by one call.
 *
 * It needs no timer: it half-opens at the first call that is due.
 */
export const breakerMachine = breaker.createMachine({
  id: 'breaker',
  description: 'Keeps calls from somebody who fails every time.',
  // XState tries a machine out without an input.
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
      description: 'Every call fails at once, until it is time to try one.',
      on: { asked: { guard: 'isDue', target: 'halfOpen', actions: 'begin' } },
    },
    halfOpen: {
      description: 'One call has passed, and all others fail at once until it is back.',
      on: {
        succeeded: { guard: 'isOfNow', target: 'closed', actions: 'begin' },
        failed: { guard: 'isOfNow', target: 'open', actions: ['begin', 'setDue'] },
        spared: { guard: 'isOfNow', target: 'open', actions: 'begin' },
      },
    },
  },
});
