import type { RuntimeEvent } from '../../contracts/event.ts';
import type { Message } from '../../contracts/message.ts';

/** What two said to each other, by their addresses, read off the events of their run. */
export const saidBetween = (
  events: readonly RuntimeEvent[],
  one: string,
  other: string,
): readonly Message[] =>
  events.flatMap((event) => {
    if (event.type !== 'message.sent') return [];
    const { sender = event.from, to } = event;
    const isTheirs = (sender === one && to === other) || (sender === other && to === one);
    if (!isTheirs) return [];
    const { from, text, id, data, kind, correlation, causation } = event;
    const facts = { id, sender: event.sender, data, kind, correlation, causation };
    return [
      { from, text, ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) },
    ];
  });
