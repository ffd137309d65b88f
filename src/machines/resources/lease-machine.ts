import { assign, setup } from 'xstate';

/** A lease: its fencing token, by which the resource can refuse an expired holder, and its end. */
export interface Lease {
  readonly fence: number;
  /** In ms since 1970. */
  readonly until: number;
}

/** State of one lock. */
export interface LeaseContext extends Lease {
  /** Number of waiting requests. */
  readonly waiting: number;
}

/** Events of a lock; `fence` is the sender's, `next` the lease of the first waiting request. */
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

const lease = /* @__PURE__ */ setup({
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

/** A lock with a lease: exclusive, passed on in order, and released when its lease expires. */
export const leaseMachine = /* @__PURE__ */ lease.createMachine({
  id: 'lease',
  description: 'One holder at a time, for no longer than its lease.',
  context: { fence: 0, until: 0, waiting: 0 },
  options: { maxIterations: 100 },
  initial: 'free',
  states: {
    free: {
      description: 'The lock is free.',
      on: { taken: { target: 'held', actions: 'take' } },
    },
    held: {
      description: 'The lock is held, and nobody waits.',
      on: {
        joined: { target: 'contested', actions: 'join' },
        renewed: { guard: 'isHolder', actions: 'renew' },
        released: { guard: 'isHolder', target: 'free' },
        expired: { guard: 'isHolder', target: 'free' },
      },
    },
    contested: {
      description: 'The lock is held, and others wait in order.',
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
