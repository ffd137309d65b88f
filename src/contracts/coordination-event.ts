import { z } from 'zod';
import { event, status, stopReason, text } from './event-shape.ts';
import { errorSchema as error } from './error-schema.ts';

/** What is told of members, of teams, and of what they say to each other. */
export const coordinationEvents = [
  event('message.sent', { to: text, from: text, text }),
  event('message.dropped', { to: text, from: text, text, reason: text }),

  event('member.engaged', { member: text }),
  event('member.ended', {
    member: text,
    status,
    stopReason,
    error: error.optional(),
    autoCompleted: z.literal(true).optional(),
  }),
  event('team.planned', { assignments: z.array(z.object({ worker: text, task: text })) }),
  event('team.noted', { text }),
] as const;
