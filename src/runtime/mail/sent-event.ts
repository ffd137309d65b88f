import type { EventBody } from '../../contracts/event.ts';
import type { Message } from '../../contracts/message.ts';

/** What is told of a message that is in a mailbox, or was an answer to somebody at work. */
export const sentEvent = (message: Message, to: string): EventBody => {
  const { from, text, id, sender, kind, topic, data, correlation, causation, wantsReply } = message;
  const facts = { id, sender, kind, topic, data, correlation, causation, wantsReply };
  const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  return { type: 'message.sent', to, from, text, ...known };
};
