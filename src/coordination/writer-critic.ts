import { assign } from 'xstate';
import * as z from 'zod';
import type { Json } from '../contracts/json.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { messageLines, troubleOf } from './round/reply-text.ts';
import type { Reply } from './round/round.ts';
import { textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './round/setup-team.ts';
import type { TeamContext, TeamInput } from './round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';
import { verdictOf } from './round/verdict.ts';

/** The critic's role. */
export const CRITIC = 'critic';

/** What a critic is asked for. */
export const verdictSchema = onDemand(() =>
  z.object({
    verdict: z.enum(['accept', 'revise']).describe('Accept the draft as it is, or have it revised.'),
    note: z.string().catch('').describe('What is wrong with it, and what would make it right.'),
  }),
);

/** Who writes, who judges, and how often. */
export type WriterCriticOptions = {
  readonly writer: string;
  readonly critic: string;
  readonly maxRejections: number;
};

/** The progress of a draft. */
export type WriterCriticState = {
  /** Drafts written. */
  readonly drafts: number;
  /** The last; null before the first. */
  readonly draft: Json;
  /** Drafts sent back. */
  readonly rejections: number;
  /** What the critic said last; empty before. */
  readonly note: string;
};

type Own = WriterCriticState & {
  /** Reviews of this draft that were no verdict. */
  readonly unread: number;
};
type Context = TeamContext<Own, WriterCriticOptions>;

/** A critic that gives no verdict is asked for it again this often. */
const MAX_UNREAD = 1;

const askWriter = (context: Context): Partial<Context> => {
  const { input, inbox, options } = context;
  const task = [textOf(input), ...messageLines(inbox)].join('\n\n');
  return { inbox: [], ...beginRound(context, [{ member: options.writer, input: task }]) };
};

const askRevision = (context: Context): Partial<Context> => {
  const { input, inbox, options, own } = context;
  const task = [
    `Request: ${textOf(input)}`,
    `Your draft:\n${textOf(own.draft)}`,
    `It was not accepted: ${own.note}`,
    ...messageLines(inbox),
    'Revise it. Answer with the whole of the new draft and nothing else.',
  ].join('\n\n');
  return { inbox: [], ...beginRound(context, [{ member: options.writer, input: task }]) };
};

const askCritic = (context: Context): Partial<Context> => {
  const { input, inbox, options, own } = context;
  const task = [
    `Request: ${textOf(input)}`,
    `Draft ${own.drafts}:\n${textOf(own.draft)}`,
    ...(own.note === '' ? [] : [`What was said of the draft before: ${own.note}`]),
    ...messageLines(inbox),
    ...(own.unread === 0 ? [] : ['What you said of it before was no verdict.']),
    'Say whether it does what was asked for, by JSON: {"verdict": "accept" | "revise", "note": "what is wrong with it"}.',
  ].join('\n\n');
  return { inbox: [], ...beginRound(context, [{ member: options.critic, input: task }]) };
};

/** The draft is there, or there will be none: the one before is what is left then. */
const takeDraft = (context: Context): Partial<Context> => {
  const { own } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const spent = spentEnd(context);
  if (reply.status !== 'completed')
    return { end: { ...(spent ?? failureOf(reply)), ...candidateOf(own, reply.output) } };
  const drafted = { ...own, drafts: own.drafts + 1, draft: reply.output, unread: 0 };
  return { own: drafted };
};

/** What a writer that could not go on had is only worth more than nothing. */
const candidateOf = ({ drafts, draft }: Own, left: Json): { readonly candidate?: Json } => {
  if (drafts > 0) return { candidate: draft };
  return left === null ? {} : { candidate: left };
};

const failureOf = ({ status, stopReason, error }: Reply) => ({
  status,
  stopReason,
  ...(error === null ? {} : { error }),
});

/** Only a plain yes is one: anything else is a rejection, a question asked again, or the end. */
const takeVerdict = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const { draft } = own;
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: { ...spent, candidate: draft } };
  const trouble = troubleOf(reply);
  if (trouble !== null) return { end: unjudged(draft, `the ${CRITIC} failed: ${trouble}`) };
  const found = verdictOf(reply.output);
  if (found === undefined)
    return own.unread < MAX_UNREAD
      ? { own: { ...own, unread: own.unread + 1 } }
      : { end: unjudged(draft, `the ${CRITIC} gave no verdict: ${textOf(reply.output).slice(0, 100)}`) };
  if (found.verdict === 'accept')
    return { end: { status: 'completed', stopReason: { kind: 'answered' }, output: draft } };
  const { note } = found;
  const rejections = own.rejections + 1;
  const rejected = { ...own, rejections, note, unread: 0 };
  if (rejections <= options.maxRejections) return { own: rejected };
  return {
    own: rejected,
    end: { status: 'stopped', stopReason: { kind: 'rejected', note, rejections }, candidate: draft },
  };
};

const unjudged = (candidate: Json, detail: string) =>
  ({
    status: 'stopped',
    stopReason: { kind: 'rule', rule: CRITIC, detail },
    candidate,
  }) as const;

const DEFAULTS: WriterCriticOptions = { writer: '', critic: '', maxRejections: 0 };

/**
 * One writes, another judges, the first revises what was not accepted: until it is, or was rejected too often.
 *
 * Only the critic's plain yes makes a draft the result; a critic that fails or says something else has not said yes.
 */
export const writerCriticMachine = onDemand(() =>
  setupTeam<Own, WriterCriticOptions>()
    .extend({
      actions: {
        askWriter: assign(({ context }) => askWriter(context)),
        takeDraft: assign(({ context }) => takeDraft(context)),
        askCritic: assign(({ context }) => askCritic(context)),
        takeVerdict: assign(({ context }) => takeVerdict(context)),
        askRevision: assign(({ context }) => askRevision(context)),
        tellRejection: ({ self, context }) => {
          const { drafts, note } = context.own;
          tell(
            self,
            { type: 'team.noted', text: `Draft ${drafts} is revised: ${note}` },
            context,
            'revising',
          );
        },
      },
      guards: { isUnread: ({ context }) => context.own.unread > 0 },
    })
    .createMachine({
      id: 'writerCritic',
      description:
        'One writes, another judges, the first revises, until it is accepted or rejected for good.',
      context: ({ input }: { input: TeamInput<WriterCriticOptions> | undefined }) =>
        teamContext(
          // Neither does the other's work: whoever wrote a draft does not judge it.
          input && { ...input, members: [] },
          { drafts: 0, draft: null, rejections: 0, note: '', unread: 0 },
          DEFAULTS,
        ),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'drafting',
      on: teamArrows,
      states: {
        drafting: {
          description: 'The writer writes the first draft.',
          entry: [{ type: 'entered', params: { phase: 'drafting' } }, 'askWriter', 'engageMembers'],
          ...awaiting('drafted'),
        },
        drafted: {
          description: 'Is there a draft to judge?',
          entry: ['takeDraft', { type: 'entered', params: { phase: 'drafted' } }],
          always: [
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'criticising' },
          ],
        },
        criticising: {
          description: 'The critic reads the draft.',
          entry: [{ type: 'entered', params: { phase: 'criticising' } }, 'askCritic', 'engageMembers'],
          ...awaiting('criticised'),
        },
        criticised: {
          description: 'Accepted, sent back, or no verdict at all?',
          entry: ['takeVerdict', { type: 'entered', params: { phase: 'criticised' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isUnread', target: 'criticising' },
            { target: 'revising' },
          ],
        },
        revising: {
          description: 'The writer makes a new draft of what was said about the one before.',
          entry: [
            { type: 'entered', params: { phase: 'revising' } },
            'tellRejection',
            'askRevision',
            'engageMembers',
          ],
          ...awaiting('drafted'),
        },
        ...teamEnds,
      },
    }),
);
