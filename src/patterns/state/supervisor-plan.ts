import { answeredWith } from '../../coordination/round/ends.ts';
import * as z from 'zod';
import { bestFit } from './best-fit.ts';
import { onDemand } from '../../base/on-demand.ts';
import { saidJson, textOf } from '../../coordination/round/said-json.ts';
import type {
  SupervisorContext,
  SupervisorOwn,
  SupervisorWorkerOptions,
  Work,
  WorkerReply,
} from './supervisor-context.ts';
import { loadsOf, newWork } from './supervisor-context.ts';
import type { TeamEnd } from '../../coordination/round/team-context.ts';
import { endOf, repliesOf } from '../../coordination/round/team-context.ts';

type Context = SupervisorContext;

/** The schema of a supervisor's plan where the workers' replies are the result. */
export const planSchema = onDemand(() =>
  z.object({
    assignments: z
      .array(
        z.object({
          worker: z
            .string()
            .nullable()
            .describe('The name of a worker; null for the one that is best at it.'),
          task: z.string().describe('What to do.'),
        }),
      )
      .describe('Who does what; independent of each other, as they are done at the same time.'),
  }),
);

/** The schema of a supervisor's decision where it gives the answer itself: more work, or the answer. */
export const supervisionSchema = onDemand(() =>
  planSchema().extend({
    answer: z
      .string()
      .nullable()
      .describe('The final answer, once the replies suffice for it; null while there is work to assign.'),
  }),
);

/** The number of times that a supervisor hears that it named workers that there are not. */
const MAX_CORRECTIONS = 1;

/** The question to the supervisor: the request, who is there, and what has come back. */
export const question = ({ input, options, own, inbox }: Context): string =>
  [
    `Request: ${textOf(input)}`,
    `Workers:\n${options.workers
      .map(({ name, description, skills }) => {
        const can = skills.length === 0 ? '' : ` (can: ${skills.join(', ')})`;
        return `- ${name}${description === '' ? '' : `: ${description}`}${can}`;
      })
      .join('\n')}`,
    ...(own.replies.length === 0 ? [] : [`Replies so far:\n${own.replies.map(replyText).join('\n')}`]),
    ...inbox.map(({ from, text }) => `Message from ${from}: ${text}`),
    ...own.notes,
  ].join('\n\n');

const replyText = ({ member, task, status, output, autoCompleted, error, review }: WorkerReply): string => {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  const done = autoCompleted === true ? `(never said to be done) ${text}` : text;
  const said = review?.accepted === false ? `(not accepted: ${review.reason}) ${done}` : done;
  return `[${member}] ${task}\n${error === null ? said : `(${status}: ${error})${output === null ? '' : ` ${said}`}`}`;
};

/** Reads the supervisor's decision: the end, a correction to ask for, or work. */
export const readPlan = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  if (reply.status !== 'completed') return { end: endOf(reply) };
  const parsed = supervisionSchema().partial({ answer: true }).safeParse(saidJson(reply.output));
  const said = parsed.success ? parsed.data : { assignments: [], answer: null };
  if (options.result === 'answer' && typeof said.answer === 'string' && said.assignments.length === 0)
    return { end: answeredWith(said.answer) };
  const assigned = withWorkers(said.assignments.slice(0, options.maxAssignments), context);
  if (assigned.length === 0) return { end: nothingAssigned(context) };
  const isKnown = ({ member }: Work): boolean => options.workers.some(({ name }) => name === member);
  const unknown = assigned.filter((work) => !isKnown(work));
  const notes = notesOn(unknown, said.assignments.length, options);
  if (unknown.length > 0 && own.corrections < MAX_CORRECTIONS)
    return { own: { ...own, notes, corrections: own.corrections + 1 } };
  const lost = unknown.map(({ member, task }): WorkerReply => {
    const error = `there is no worker '${member}'`;
    return { member, task, status: 'failed', output: null, error };
  });
  const known = assigned.filter(isKnown);
  const replies = [...own.replies, ...lost];
  if (known.length === 0)
    return {
      own: { ...own, replies },
      end: nothingAssigned({ ...context, own: { ...own, replies } }, unknown),
    };
  return withinDelegations(context, { ...own, replies, notes }, known);
};

/** A task for which nobody is named goes to the worker that fits it best; of equals to the one with the least to do. */
const withWorkers = (
  assignments: readonly { readonly worker: string | null; readonly task: string }[],
  { own, options }: Context,
): readonly Work[] => {
  const loads = loadsOf(own);
  return assignments.map(({ worker, task }) => {
    const who =
      worker === null || worker.trim() === '' ? (bestFit(task, options.workers, loads) ?? '') : worker;
    loads[who] = (loads[who] ?? 0) + 1;
    return newWork(who, task);
  });
};

/** As many tasks as may still be given out; the others are refused, each in its place. */
const withinDelegations = (
  { options }: Context,
  own: SupervisorOwn,
  known: readonly Work[],
): Partial<Context> => {
  const left = Math.max(0, options.maxDelegations - own.delegations);
  const refused = known.slice(left).map(({ member, task }): WorkerReply => {
    const error = delegationsSpent(options);
    return { member, task, status: 'stopped', output: null, error };
  });
  const next = { ...own, replies: [...own.replies, ...refused], work: known.slice(0, left), refused };
  if (refused.length === 0) return { own: next };
  const note = `Only ${options.maxDelegations} tasks may be given out in all; ${refused.length} more were refused. Answer from the replies.`;
  // Once more the supervisor is asked, for the answer.
  const wasTold = own.replies.some(({ error }) => error === delegationsSpent(options));
  if (next.work.length > 0 || (options.result === 'answer' && !wasTold))
    return { own: { ...next, notes: [...next.notes, note] } };
  const reason = { kind: 'rule', rule: 'delegations', detail: delegationsSpent(options) } as const;
  return { own: next, end: { status: 'stopped', stopReason: reason, candidate: next.replies } };
};

/** The reason for which a task is given to nobody any more. */
export const delegationsSpent = ({ maxDelegations }: SupervisorWorkerOptions): string =>
  `${maxDelegations} tasks were given out already, and more may not be`;

const notesOn = (
  unknown: readonly { readonly member: string }[],
  wanted: number,
  { workers, maxAssignments }: SupervisorWorkerOptions,
): readonly string[] => [
  ...(unknown.length === 0
    ? []
    : [
        `There is no worker called ${unknown.map(({ member }) => `'${member}'`).join(', ')}. The workers are: ${workers.map(({ name }) => name).join(', ')}.`,
      ]),
  ...(wanted <= maxAssignments
    ? []
    : [`Only the first ${maxAssignments} of ${wanted} assignments were carried out.`]),
];

const nothingAssigned = ({ own, options }: Context, unknown: readonly Work[] = []): TeamEnd =>
  own.replies.length > 0 && options.result === 'replies'
    ? answeredWith(own.replies)
    : {
        status: 'stopped',
        stopReason: {
          kind: 'rule',
          rule: 'assignments',
          detail:
            unknown.length === 0
              ? 'the supervisor assigned nothing and gave no answer'
              : `the supervisor assigned only to unknown workers: ${[...new Set(unknown.map(({ member }) => member))].join(', ')}`,
        },
        ...(own.replies.length > 0 ? { candidate: own.replies } : {}),
      };
