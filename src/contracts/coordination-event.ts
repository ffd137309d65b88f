import * as z from 'zod';
import { eventShape } from './event-shape.ts';
import { errorSchema } from './error-schema.ts';
import { dropReasons } from './message.ts';

/** What is told of members, of teams, and of what they say to each other. */
export const coordinationEvents = () => {
  const { count, event, json, status, stopReason, text } = eventShape();
  const error = errorSchema();
  /** What somebody would do a piece of work for. */
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
      data: z.json().optional(),
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
      /** Whose work begins anew. */
      members: z.array(text),
      /** Where they sat. */
      children: z.array(text),
      error: error.optional(),
    }),
    /** A member begins anew; `of` is where it sat before. */
    event('child.restarted', { member: text, child: text, of: text, restarts: count }),
    /** A task is given up that failed in one way again and again. */
    event('child.quarantined', { member: text, child: text, task: json, error: error.optional() }),
    /** One more agent was wanted than there may be; who wanted it is told of a failure. */
    event('member.refused', {
      member: text,
      limit: z.enum(['maxDepth', 'maxChildren', 'maxAgents']),
      reason: text,
    }),
    /** A router gives the task to somebody; the others in the order in which they would be next. */
    event('route.chosen', {
      member: text,
      strategy: text,
      ranking: z.array(z.object({ member: text, score: z.number().nullable() })),
    }),
    /** A router could not choose as it should have: in the order given, then. */
    event('route.degraded', { reason: text }),
    /** The task goes on to the next best, or to a higher tier. */
    event('route.changed', { from: text, to: text, reason: text }),
    /** An agent gave work away, and goes on meanwhile. */
    event('delegation.began', { id: text, to: text, child: text, follows: z.literal(true).optional() }),
    event('delegation.returned', { id: text, to: text, child: text, status }),
    /** A member handed its task over, and its receiver begins. */
    event('task.handed-over', { from: text, to: text, context: text, message: text.optional() }),
    /** A member may not hand over to whom it wanted, and is told why. */
    event('handoff.refused', { from: text, to: text, reason: text }),
    event('team.planned', { assignments: z.array(z.object({ member: text, task: text })) }),
    event('team.noted', { text }),
    /** A stage of a pipeline failed, and the pipeline goes on: without its output, with a value or another agent in its place. */
    event('stage.failed', { stage: count, member: text, message: text, rule: text }),
    event('bid.made', bid),
    /** Who gets the work, by the rule or by what a manager said. */
    event('contract.awarded', { ...bid, byRule: z.boolean() }),
    /** Somebody wrote on a board what it found. */
    event('insight.shared', {
      member: text,
      content: text,
      tags: z.array(text),
      importance: z.number().min(0).max(1),
      segment: text,
    }),
    /** Somebody looked at what a worker did; null: nobody can tell, as the reviewer failed. */
    event('work.reviewed', { member: text, task: text, accepted: z.boolean().nullable(), reason: text }),
    /** A task is done once more: by whoever did it, as it was not good enough, or by another. */
    event('work.reassigned', { task: text, from: text, to: text, reason: text }),
    /** A task is given to nobody any more. */
    event('work.refused', { member: text, task: text, reason: text }),
  ] as const;
};
