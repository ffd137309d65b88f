import * as z from 'zod';
import { eventShape } from './event-shape.ts';
import { errorSchema } from '../errors/error-schema.ts';
import { dropReasons } from '../messages/message.ts';

/** Schemas of the events of members, of teams, and of their messages. */
export const coordinationEvents = () => {
  const { count, event, json, status, stopReason, text } = eventShape();
  const error = errorSchema();
  /** An offer to do a piece of work. */
  const bid = {
    member: text,
    cost: z.number().nonnegative(),
    confidence: z.number().positive().max(1),
    estimateMs: z.number().nonnegative().nullable(),
  };
  return [
    event('message.sent', {
      to: text,
      from: text,
      text,
      id: text.optional(),
      sender: text.optional(),
      kind: text.optional(),
      topic: text.optional(),
      data: json.optional(),
      correlation: text.optional(),
      causation: text.optional(),
      wantsReply: z.literal(true).optional(),
    }),
    event('message.dropped', {
      to: text,
      from: text,
      text,
      reason: z.enum(dropReasons),
      id: text.optional(),
      count: z.number().int().optional(),
    }),

    event('member.engaged', { member: text }),
    event('member.ended', {
      member: text,
      status,
      stopReason,
      error: error.optional(),
      autoCompleted: z.literal(true).optional(),
    }),
    /** A member failed: what its supervisor does about it, and after how long. */
    event('child.supervised', {
      member: text,
      child: text,
      failure: text,
      directive: text,
      waitMs: z.number().nonnegative().optional(),
      /** The members whose work starts over. */
      members: z.array(text),
      /** Their addresses before. */
      children: z.array(text),
      error: error.optional(),
    }),
    /** A member starts over; `of` is its former address. */
    event('child.restarted', { member: text, child: text, of: text, restarts: count }),
    /** A task that repeatedly failed in the same way is given up. */
    event('child.quarantined', { member: text, child: text, task: json, error: error.optional() }),
    /** An agent beyond the allowed number was requested; the requester sees a failure. */
    event('member.refused', {
      member: text,
      limit: z.enum(['maxDepth', 'maxChildren', 'maxAgents']),
      reason: text,
    }),
    /** A router assigned the task; the ranking lists the fallbacks in order. */
    event('route.chosen', {
      member: text,
      strategy: text,
      ranking: z.array(z.object({ member: text, score: z.number().nullable() })),
    }),
    /** A router could not choose as configured and falls back to the given order. */
    event('route.degraded', { reason: text }),
    /** The task moves on to the next best member, or to a higher tier. */
    event('route.changed', { from: text, to: text, reason: text }),
    /** An agent delegated work and continues meanwhile. */
    event('delegation.began', { id: text, to: text, child: text, follows: z.literal(true).optional() }),
    event('delegation.returned', { id: text, to: text, child: text, status }),
    /** A member handed over its task, and the receiver starts. */
    event('task.handed-over', { from: text, to: text, sees: text, message: text.optional() }),
    /** A handoff was refused, and the member notified of the reason. */
    event('handoff.refused', { from: text, to: text, reason: text }),
    event('team.planned', { assignments: z.array(z.object({ member: text, task: text })) }),
    event('team.noted', { text }),
    /**
     * A stage of a pipeline failed and the pipeline continues: without its output, with a fallback value, or with
     * another agent.
     */
    event('stage.failed', { stage: count, member: text, message: text, rule: text }),
    event('bid.made', bid),
    /** The work was awarded, by the rule or by a manager's decision. */
    event('contract.awarded', { ...bid, byRule: z.boolean() }),
    /** An agent posted a finding on a blackboard. */
    event('insight.shared', {
      member: text,
      content: text,
      tags: z.array(text),
      importance: z.number().min(0).max(1),
      segment: text,
    }),
    /** A worker's result was reviewed; `accepted` is null if the reviewer failed. */
    event('work.reviewed', { member: text, task: text, accepted: z.boolean().nullable(), reason: text }),
    /** A task is repeated: by the same member, as the result was not good enough, or by another one. */
    event('work.reassigned', { task: text, from: text, to: text, reason: text }),
    /** A task is not assigned to anybody any more. */
    event('work.refused', { member: text, task: text, reason: text }),
  ] as const;
};
