import type { ModelRequest } from '../../contracts/models/model.ts';
import type { Message } from './conversation.ts';

/**
 * Checks whether a conversation is worth a place in the provider's prompt cache: writing it costs more than sending it, which pays when it is sent
 * again with more behind it. A question by itself that can lead to no call is answered, and not sent again.
 */
export const isWorthKeeping = ({ tools }: ModelRequest, messages: readonly Message[]): boolean =>
  tools.length > 0 || messages.length > 1;
