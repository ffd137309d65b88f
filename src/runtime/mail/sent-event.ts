import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Message } from '../../contracts/messages/message.ts';

/** The event of a delivered message or answer. */
export const sentEvent = (message: Message, to: string): EventBody => {
  const { from, text, id, sender, kind, topic, data, correlation, causation, wantsReply } = message;
  const facts = { id, sender, kind, topic, data, correlation, causation, wantsReply };
  return { type: 'message.sent', to, from, text, ...withoutUndefined(facts) };
};
