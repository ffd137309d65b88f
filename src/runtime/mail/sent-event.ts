import type { EventBody } from '../../contracts/events/event.ts';
import type { Message } from '../../contracts/messages/message.ts';

/** The event of a delivered message or answer. */
export const sentEvent = (message: Message, to: string): EventBody => {
  const { from, text, id, sender, kind, topic, data, correlation, causation, wantsReply } = message;
  const facts = { id, sender, kind, topic, data, correlation, causation, wantsReply };
  const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  return { type: 'message.sent', to, from, text, ...known };
};
