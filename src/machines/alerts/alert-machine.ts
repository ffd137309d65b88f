import { assign, setup } from 'xstate';

/** Settings of an alert. */
export interface AlertInput {
  /** Time for which the same is not sent again, in ms. */
  readonly mutedMs: number;
}

/** State of an alert: of one rule and one subject. */
export interface AlertContext extends AlertInput {
  /** Number of times that it was sent. */
  readonly sent: number;
  /** Time until which it is muted, in ms since 1970. */
  readonly mutedUntil: number;
  /** Number of times that its condition held since it was sent. */
  readonly repeats: number;
}

/** Events of an alert: its condition holds, or does not. */
export type AlertEvent = { type: 'met'; at: number } | { type: 'cleared' };

const alert = /* @__PURE__ */ setup({
  types: {
    context: {} as AlertContext,
    input: {} as AlertInput,
    events: {} as AlertEvent,
  },
  actions: {
    send: assign({
      sent: ({ context }) => context.sent + 1,
      mutedUntil: ({ context, event }) => (event.type === 'met' ? event.at : 0) + context.mutedMs,
      repeats: 0,
    }),
    count: assign({ repeats: ({ context }) => context.repeats + 1 }),
  },
  guards: {
    isDue: ({ context, event }) => event.type === 'met' && event.at >= context.mutedUntil,
  },
});

/**
 * An alert: sent when its condition holds, and again only once it is no longer muted.
 *
 * It uses no timer: a mute ends at the first check that is due.
 */
export const alertMachine = /* @__PURE__ */ alert.createMachine({
  id: 'alert',
  description: 'Reports a condition once, and mutes the same for a while.',
  // XState calls this without an input to inspect the machine.
  context: ({ input }: { input: AlertInput | undefined }) => ({
    mutedMs: input?.mutedMs ?? 0,
    sent: 0,
    mutedUntil: 0,
    repeats: 0,
  }),
  options: { maxIterations: 100 },
  initial: 'quiet',
  states: {
    quiet: {
      description: 'The condition has not held yet.',
      on: { met: { target: 'firing', actions: 'send' } },
    },
    firing: {
      description: 'The condition holds; it was sent, and is repeated when the mute is over.',
      on: {
        met: [{ guard: 'isDue', actions: 'send' }, { actions: 'count' }],
        cleared: { target: 'resolved' },
      },
    },
    resolved: {
      description: 'The condition holds no longer; the same is muted for the rest of its time.',
      on: {
        met: [{ guard: 'isDue', target: 'firing', actions: 'send' }, { actions: 'count' }],
      },
    },
  },
});
