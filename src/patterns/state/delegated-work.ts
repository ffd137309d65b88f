import { answeredWith } from '../../coordination/round/ends.ts';
import * as z from 'zod';
import type { EventBody } from '../../contracts/events/event.ts';
import { bestFit } from './best-fit.ts';
import { onDemand } from '../../base/on-demand.ts';
import { troubleOf } from '../../coordination/round/reply-text.ts';
import type { Reply } from '../../coordination/round/round.ts';
import { saidJson, textOf } from '../../coordination/round/said-json.ts';
import { beginRound } from '../../coordination/round/settle-reply.ts';
import type { SupervisorContext, SupervisorOwn, Verdict, Work, WorkerReply } from './supervisor-context.ts';
import { accountOf, loadsOf, REVIEWER } from './supervisor-context.ts';
import { delegationsSpent } from './supervisor-plan.ts';
import { repliesOf, spentEnd } from '../../coordination/round/team-context.ts';

type Context = SupervisorContext;

/** The schema of a review. */
export const reviewSchema = onDemand(() =>
  z.object({
    accepted: z.boolean().describe('Whether the work does what the task asks for.'),
    reason: z.string().describe('Why; of work that is not accepted, what is to be done better.'),
  }),
);

/** Gives out what is to be done of the plan. */
export const assignWork = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const tasks = toDo(own).map(({ member, task, note }) => ({
    member,
    input: note === null ? task : `${task}\n\n${note}`,
  }));
  return {
    own: { ...own, delegations: own.delegations + tasks.length, refused: [] },
    ...beginRound(context, tasks, { cap: options.concurrency }),
  };
};

/** The work that nobody has done yet. */
export const toDo = ({ work }: SupervisorOwn): readonly Work[] => work.filter(({ reply }) => reply === null);

/** Shows the reviewer what was done, each piece by itself. */
export const askReviewer = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const tasks = workUnderReview(own).map(({ member, task, reply }) => ({
    member: REVIEWER,
    input: [
      'Look at this work, and say whether it is accepted.',
      `Request: ${textOf(context.input)}`,
      `Task: ${task}`,
      `Done by ${member}: ${textOf(reply?.output ?? '')}`,
    ].join('\n\n'),
  }));
  return beginRound(context, tasks, { cap: options.concurrency });
};

const workUnderReview = ({ work, reviewing }: SupervisorOwn): readonly Work[] =>
  (reviewing ?? []).flatMap((index) => work[index] ?? []);

/** The round is over, of work or of reviews: what is to be looked at, done again, or kept. */
export const settleWork = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const isReview = own.reviewing !== null;
  const work = isReview ? withVerdicts(context) : withReplies(context);
  const spent = spentEnd(context);
  const kept = { ...own, work: [], reviewing: null, refused: [] };
  if (spent !== undefined) {
    const replies = [...own.replies, ...work.map(accountOf)];
    return { own: { ...kept, replies }, end: { ...spent, candidate: replies } };
  }
  const reviewing = work.flatMap(({ reply, review }, index) =>
    options.isReviewed && reply?.status === 'completed' && review === null ? [index] : [],
  );
  if (reviewing.length > 0 && !isReview) return { own: { ...own, work, reviewing } };
  const { again, refused } = workAgain(context, work);
  if (again.some(({ reply }) => reply === null))
    return { own: { ...own, work: again, reviewing: null, refused } };
  const replies = [...own.replies, ...again.map(accountOf)];
  const done = { ...kept, replies, refused };
  if (options.result === 'replies') return { own: done, end: answeredWith(replies) };
  if (own.rounds < options.maxRounds) return { own: done };
  // One more question, for the answer; work assigned in reply is not done any more.
  return { own: { ...done, notes: [...own.notes, 'There are no more rounds: give the answer now.'] } };
};

/** Each task with its result, in the order of the plan; after a budget is spent some were never begun. */
const withReplies = (context: Context): readonly Work[] => {
  const replies = repliesOf(context);
  const { tasks } = context.round;
  let next = 0;
  return context.own.work.map((work) => {
    if (work.reply !== null) return work;
    const index = next;
    next += 1;
    const reply = replies[index];
    if (reply === undefined) return work;
    // The member that took it over read by whom it came.
    const task = tasks[index]?.before === undefined ? work.task : textOf(tasks[index].input);
    return { ...work, member: reply.member, task, reply: workerReply(reply, task), review: null };
  });
};

const workerReply = (reply: Reply, task: string): WorkerReply => ({
  member: reply.member,
  task,
  status: reply.status,
  output: reply.output,
  ...(reply.autoCompleted === true ? { autoCompleted: true } : {}),
  error: troubleOf(reply),
});

const withVerdicts = (context: Context): readonly Work[] => {
  const { work, reviewing } = context.own;
  const verdicts = new Map(
    repliesOf(context).map((reply, index) => [reviewing?.[index], verdictOf(reply)] as const),
  );
  return work.map((each, index) => ({ ...each, review: verdicts.get(index) ?? each.review }));
};

/** A reviewer that fails, or is not understood, rejects nothing: its work is kept, and marked. */
const verdictOf = ({ status, output, error, stopReason }: Reply): Verdict => {
  if (status !== 'completed') return { accepted: null, reason: error?.message ?? stopReason.kind };
  const parsed = reviewSchema().safeParse(saidJson(output));
  return parsed.success ? parsed.data : { accepted: null, reason: 'the review is not to be understood' };
};

/** The work that is done again: by another, where a worker failed; by the same, where it was sent back. */
const workAgain = (
  { own, options }: Context,
  work: readonly Work[],
): { readonly again: readonly Work[]; readonly refused: readonly WorkerReply[] } => {
  let left = options.maxDelegations - own.delegations;
  const loads = loadsOf({ ...own, work });
  const refused: WorkerReply[] = [];
  const again = work.map((each) => {
    const next = againOf(each, options, loads);
    if (next === undefined) return each;
    left -= 1;
    if (left >= 0) {
      loads[next.member] = (loads[next.member] ?? 0) + 1;
      return next;
    }
    refused.push({
      member: next.member,
      task: each.task,
      status: 'stopped',
      output: null,
      error: delegationsSpent(options),
    });
    return each;
  });
  return { again, refused };
};

const againOf = (
  work: Work,
  options: Context['options'],
  loads: Readonly<Record<string, number>>,
): Work | undefined => {
  const { reply, review, before, redone, member, task } = work;
  if (reply === null) return undefined;
  if (reply.status === 'failed' || reply.status === 'stopped') {
    const tried = [...before, member];
    const others = options.workers.filter(({ name }) => !tried.includes(name));
    const other = tried.length >= options.maxAttempts ? undefined : bestFit(task, others, loads);
    return other === undefined
      ? undefined
      : {
          ...work,
          member: other,
          before: tried,
          why: reply.error ?? reply.status,
          reply: null,
          review: null,
        };
  }
  if (review?.accepted !== false || redone >= options.maxRejections) return undefined;
  const note = `Your work was sent back: ${review.reason}\nIt was: ${textOf(reply.output)}`;
  return { ...work, redone: redone + 1, why: review.reason, note, reply: null, review: null };
};

/** The events of the reviews that came in. */
export const toldOfReviews = (context: Context): readonly EventBody[] =>
  context.own.reviewing === null
    ? []
    : workUnderReview({ ...context.own, work: withVerdicts(context) }).flatMap(
        ({ member, task, review }): EventBody[] =>
          review === null ? [] : [{ type: 'work.reviewed', member, task, ...review }],
      );

/** The events of work that goes into other hands, or back into the same. */
export const toldOfOthers = ({ own }: Context): readonly EventBody[] =>
  toDo(own).map(({ member, task, before, why }) => ({
    type: 'work.reassigned',
    task,
    from: why === null ? member : (before.at(-1) ?? member),
    to: member,
    reason: why ?? '',
  }));

/** The events of tasks that nobody does any more. */
export const toldOfRefusals = ({ own }: Context): readonly EventBody[] =>
  own.refused.map(({ member, task, error }) => ({ type: 'work.refused', member, task, reason: error ?? '' }));
