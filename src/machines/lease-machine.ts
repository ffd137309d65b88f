import { assign, setup } from 'xstate';

/** A lease: a number that only grows, by which the resource itself can tell a late holder, and when it ends. */
export interface Lease {
  readonly fence: number;
  /** In ms since 1970. */
  readonly until: number;
}

/** What is known of one lock. */
export interface LeaseContext extends Lease {
  /** The number of those that wait. */
  readonly waiting: number;
}

/** What happens to a lock; `fence` is that of whoever says so, `next` the lease of the first in line. */
export type LeaseEvent =
  | { type: 'taken'; lease: Lease }
  | { type: 'joined' }
  | { type: 'left' }
  | { type: 'renewed'; fence: number; until: number }
  | { type: 'released'; fence: number; next?: Lease | undefined }
  | { type: 'expired'; at: number; fence: number; next?: Lease | undefined };

const isHolder = (context: LeaseContext, event: LeaseEvent): boolean =>
  'fence' in event &&
  event.fence === context.fence &&
  (event.type !== 'expired' || event.at >= context.until);

const lease = setup({
  types: { context: {} as LeaseContext, events: {} as LeaseEvent },
  actions: {
    take: assign(({ event }) => (event.type === 'taken' ? event.lease : {})),
    join: assign({ waiting: ({ context }) => context.waiting + 1 }),
    leave: assign({ waiting: ({ context }) => context.waiting - 1 }),
    renew: assign({
      until: ({ context, event }) => (event.type === 'renewed' ? event.until : context.until),
    }),
    passOn: assign(({ context, event }) => ({
      ...('next' in event ? event.next : {}),
      waiting: context.waiting - 1,
    })),
  },
  guards: {
    isHolder: ({ context, event }) => isHolder(context, event),
    isHolderBeforeLast: ({ context, event }) => isHolder(context, event) && context.waiting === 1,
    isLast: ({ context }) => context.waiting === 1,
  },
});

/** A lock with a lease: held by one at a time, passed on in order, and let go of at the end of its lease. */
export const leaseMachine = lease.createMachine({
  id: 'lease',
  description: 'One at a time holds it, and not for longer than its lease.',
  context: { fence: 0, until: 0, waiting: 0 },
  options: { maxIterations: 100 },
  initial: 'free',
  states: {
    free: {
      description: 'Nobody has it.',
      on: { taken: { target: 'held', actions: 'take' } },
    },
    held: {
      description: 'Somebody has it, and nobody waits.',
      on: {
        joined: { target: 'contested', actions: 'join' },
        renewed: { guard: 'isHolder', actions: 'renew' },
        released: { guard: 'isHolder', target: 'free' },
        expired: { guard: 'isHolder', target: 'free' },
      },
    },
    contested: {
      description: 'Somebody has it, and others wait in line.',
      on: {
        joined: { actions: 'join' },
        left: [{ guard: 'isLast', target: 'held', actions: 'leave' }, { actions: 'leave' }],
        renewed: { guard: 'isHolder', actions: 'renew' },
        released: [
          { guard: 'isHolderBeforeLast', target: 'held', actions: 'passOn' },
          { guard: 'isHolder', actions: 'passOn' },
        ],
        expired: [
          { guard: 'isHolderBeforeLast', target: 'held', actions: 'passOn' },
          { guard: 'isHolder', actions: 'passOn' },
        ],
      },
    },
  },
});
