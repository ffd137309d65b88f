import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, MessagePriority, Overflow } from '../../src/contracts/messages/message.ts';
import { messagePriorities } from '../../src/contracts/messages/message.ts';
import {
  emptyMailbox,
  mailboxDefaults,
  messagesIn,
  putMessage,
  takeAll,
} from '../../src/machines/messages/mailbox.ts';
import type { Mailbox, MailboxLimits } from '../../src/machines/messages/mailbox.ts';
import { toJson } from '../../src/base/json/json.ts';
import { sized } from '../support/thorough.ts';

const overflows: readonly Overflow[] = ['reject', 'dropOldest', 'dropNewest', 'block'];

/** What happens to a mailbox: somebody puts something in, or the receiver takes all there is. */
type Act =
  | {
      readonly act: 'put';
      readonly from: number;
      readonly priority: MessagePriority | undefined;
      readonly ttl: number | undefined;
    }
  | { readonly act: 'take' }
  | { readonly act: 'pass'; readonly ms: number };

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        act: fc.constant('put' as const),
        from: fc.nat(3),
        priority: fc.constantFrom(undefined, ...messagePriorities),
        ttl: fc.constantFrom(undefined, undefined, 0, 5, 20),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('take' as const) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('pass' as const), ms: fc.nat(10) }) },
  ),
  { maxLength: 200 },
);

const limits: fc.Arbitrary<MailboxLimits> = fc.record({
  capacity: fc.integer({ min: 1, max: 60 }),
  overflow: fc.constantFrom(...overflows),
  ttlMs: fc.constantFrom(undefined, undefined, 15),
});

const rank = ({ priority, sender }: Message): number =>
  messagePriorities.indexOf(priority ?? (sender === undefined ? 'human' : 'peer'));

/** The same, as one would say it: a plain list that is looked through each time. */
class Model {
  list: { readonly message: Message; readonly until: number }[] = [];
  readonly dead: string[] = [];

  put(message: Message, { capacity, overflow, ttlMs = Infinity }: MailboxLimits, at: number): string {
    const until = Math.min(message.expiresAt ?? Infinity, at + ttlMs);
    if (until <= at) {
      this.dead.push(`${message.id} expired`);
      return 'taken';
    }
    if (this.list.length >= capacity) this.sweep(at);
    if (this.list.length >= capacity) {
      if (overflow === 'reject') return 'refused';
      if (overflow === 'block') return 'blocked';
      const worst = Math.max(...this.list.map((each) => rank(each.message)));
      if (overflow === 'dropNewest' || worst < rank(message)) {
        this.dead.push(`${message.id} full`);
        return 'taken';
      }
      const index = this.list.findIndex((each) => rank(each.message) === worst);
      this.dead.push(`${this.list[index]?.message.id} full`);
      this.list.splice(index, 1);
    }
    this.list.push({ message, until });
    return 'taken';
  }

  take(at: number): readonly (string | undefined)[] {
    this.sweep(at);
    return this.list
      .splice(0)
      .toSorted((one, other) => rank(one.message) - rank(other.message))
      .map(({ message }) => message.id);
  }

  sweep(at: number): void {
    for (const each of this.list.toSorted((one, other) => rank(one.message) - rank(other.message)))
      if (each.until <= at) this.dead.push(`${each.message.id} expired`);
    this.list = this.list.filter(({ until }) => until > at);
  }
}

describe('a mailbox', () => {
  test('[KAIZEN-82] [M60] keeps what a plain list would, and loses nothing: sent is handled, dead or refused', () => {
    fc.assert(
      fc.property(limits, acts, (given, all) => {
        let mailbox: Mailbox = emptyMailbox;
        let at = 0;
        const model = new Model();
        const dead: string[] = [];
        const handled: (string | undefined)[] = [];
        let sent = 0;
        let refused = 0;
        let agree = true;
        for (const each of all) {
          if (each.act === 'pass') at += each.ms;
          else if (each.act === 'take') {
            const taken = takeAll(mailbox, at);
            mailbox = taken.mailbox;
            dead.push(...taken.dropped.map(({ message, reason }) => `${message.id} ${reason}`));
            const ids = taken.messages.map(({ id }) => id);
            const meant = model.take(at);
            agree &&= JSON.stringify(ids) === JSON.stringify(meant);
            handled.push(...ids);
          } else {
            sent += 1;
            const { from, priority, ttl } = each;
            const message: Message = {
              from: `agent-${from}`,
              text: '',
              id: String(sent),
              ...(from === 0 ? {} : { sender: `team/agent-${from}` }),
              ...(priority === undefined ? {} : { priority }),
              ...(ttl === undefined ? {} : { expiresAt: at + ttl }),
            };
            const done = putMessage(mailbox, message, given, at);
            mailbox = done.mailbox;
            const meant = model.put(message, given, at);
            agree &&= done.put === meant;
            if (done.put !== 'taken') refused += 1;
            dead.push(...done.dropped.map((each_) => `${each_.message.id} ${each_.reason}`));
          }
          expect(agree).toBe(true);
          expect(mailbox.size).toBeLessThanOrEqual(given.capacity);
          expect(mailbox.size).toBe(messagesIn(mailbox).length);
          expect(dead).toEqual(model.dead);
        }
        expect(handled.length + dead.length + refused + mailbox.size).toBe(sent);
        expect(toJson(mailbox)).toEqual(mailbox);
      }),
      { numRuns: sized(300, 10_000) },
    );
  });

  test('what one says to another in one priority is read in the order in which it was said', () => {
    fc.assert(
      fc.property(acts, (all) => {
        let mailbox: Mailbox = emptyMailbox;
        const said = all.flatMap((each) => (each.act === 'put' ? [each] : []));
        for (const [at, { from, priority = 'peer' }] of said.entries())
          mailbox = putMessage(
            mailbox,
            { from: String(from), text: '', id: String(at), priority },
            mailboxDefaults,
            0,
          ).mailbox;
        const last = new Map<string, number>();
        let urgency = 0;
        for (const message of takeAll(mailbox, 0).messages) {
          const pair = `${message.from} ${message.priority}`;
          expect(Number(message.id)).toBeGreaterThan(last.get(pair) ?? -1);
          last.set(pair, Number(message.id));
          expect(rank(message)).toBeGreaterThanOrEqual(urgency);
          urgency = rank(message);
        }
      }),
    );
  });

  test.each(overflows)('a flood of 1,000,000 keeps exactly 1,000, each at the same cost: %s', (overflow) => {
    const count = sized(100_000, 1_000_000);
    let mailbox: Mailbox = emptyMailbox;
    let taken = 0;
    let dropped = 0;
    let refused = 0;
    const flood = { ...mailboxDefaults, overflow };
    for (let sent = 0; sent < count; sent += 1) {
      const done = putMessage(mailbox, { from: 'ada', text: '', id: String(sent) }, flood, 0);
      mailbox = done.mailbox;
      dropped += done.dropped.length;
      if (done.put === 'taken') taken += 1;
      else refused += 1;
    }
    expect(mailbox.size).toBe(1_000);
    expect(messagesIn(mailbox)[0]?.id).toBe(overflow === 'dropOldest' ? String(count - 1_000) : '0');
    expect(mailbox.size + dropped + refused).toBe(count);
    expect(taken + refused).toBe(count);
  });

  test('an older version of it is never changed', () => {
    const message: Message = { from: 'ada', text: 'first' };
    const one = putMessage(emptyMailbox, message, mailboxDefaults, 0).mailbox;
    const kept = structuredClone(one);
    putMessage(one, { from: 'ada', text: 'second' }, mailboxDefaults, 0);
    takeAll(one, 0);
    expect(one).toEqual(kept);
    expect(takeAll(emptyMailbox, 0).messages).toEqual([]);
  });
});
