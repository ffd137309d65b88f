import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Message } from '../../contracts/messages/message.ts';
import { roleIn } from './address-book.ts';

/** The messages between an address and another agent, given by address or name, from the events of their run. */
export const messagesBetween = (
  events: readonly RuntimeEvent[],
  one: string,
  other: string,
): readonly Message[] =>
  events.flatMap((event) => {
    if (event.type !== 'message.sent') return [];
    const { sender = event.from, to } = event;
    const isTheirs = (sender === one && isMeant(to, other)) || (to === one && isMeant(sender, other));
    if (!isTheirs) return [];
    const { from, text, id, data, kind, correlation, causation } = event;
    const facts = { id, sender: event.sender, data, kind, correlation, causation };
    return [{ from, text, ...withoutUndefined(facts) }];
  });

const isMeant = (path: string, name: string): boolean => path === name || roleIn(path) === name;
