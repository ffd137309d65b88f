import type { ErrorCode } from '../../contracts/error.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { AgentMailbox } from '../../contracts/message.ts';
import { checkCount } from './check-count.ts';

const OVERFLOWS: ReadonlySet<string> = new Set(['reject', 'dropOldest', 'dropNewest', 'block']);
const UNREAD: ReadonlySet<string> = new Set(['leave', 'read']);

/**
 * Checks how a mailbox is to be kept.
 *
 * @throws {TroupeError} of the code given, for numbers that bound nothing and words that mean nothing.
 */
export const checkMailbox = (
  options: AgentMailbox | undefined,
  about: { readonly code: ErrorCode; readonly owner: string },
): void => {
  if (options === undefined) return;
  const { capacity, ttlMs, overflow = 'reject', unread = 'leave', topics = [] } = options;
  if (capacity !== undefined) checkCount(capacity, 1, 'mailbox.capacity', about);
  if (ttlMs !== undefined) checkCount(ttlMs, 1, 'mailbox.ttlMs', about);
  const refuse = (option: string, allowed: string, found: unknown): TroupeError =>
    new TroupeError(
      about.code,
      `Cannot define ${about.owner} as its mailbox.${option} is not ${allowed}: ${String(found)}`,
    );
  if (!OVERFLOWS.has(overflow)) throw refuse('overflow', [...OVERFLOWS].join(', '), overflow);
  if (!UNREAD.has(unread)) throw refuse('unread', [...UNREAD].join(' or '), unread);
  const odd = topics.find((topic: unknown) => typeof topic !== 'string' || topic === '');
  if (odd !== undefined) throw refuse('topics', 'a list of names', odd);
};
