import * as z from 'zod';
import type { Agent } from '../contracts/agents/agent.ts';
import type { Json } from '../base/json/json.ts';
import { onDemand } from '../base/on-demand.ts';
import { anything, wholeNumber } from '../base/schemas/option-schemas.ts';
import { answeredWith, endedAs, stoppedBy } from '../coordination/round/ends.ts';
import { messageLines, troubleOf } from '../coordination/round/reply-text.ts';
import { textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext, TeamEnd } from '../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { verdictOf } from '../coordination/round/verdict.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { memberOf } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';

/** The writer, and the critic that judges its drafts. */
export interface WriterCriticSetup<Output> extends TeamSetup {
  /** Takes a text: the request first, then its draft with what was said of it. What it answers is the draft. */
  readonly writer: Agent<string, Output>;
  /**
   * Somebody else: the options of an agent that is made for it, and answers `{ verdict, note }`; or an agent, a team or a person as they
   * are, who may say `accept` or `revise: why` as well.
   */
  readonly critic: Role;
  /** Drafts that may be sent back; the next one that is not accepted ends the run. Default 2, so three drafts. */
  readonly maxRejections?: number | undefined;
}

/** The critic's role. */
export const CRITIC = 'critic';

/** The schema of a critic's verdict. */
export const verdictSchema = onDemand(() =>
  z.object({
    verdict: z.enum(['accept', 'revise']).describe('Accept the draft as it is, or have it revised.'),
    note: z.string().catch('').describe('What is wrong with it, and what would make it right.'),
  }),
);

/** The writer, the critic, and the bound on rejections. */
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
  /** The critic's last note; empty before. */
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
    return { end: { ...(spent ?? endedAs(reply)), ...candidateOf(own, reply.output) } };
  const drafted = { ...own, drafts: own.drafts + 1, draft: reply.output, unread: 0 };
  return { own: drafted };
};

/** The candidate of a writer that could not go on: its draft, or else what it had. */
const candidateOf = ({ drafts, draft }: Own, left: Json): { readonly candidate?: Json } => {
  if (drafts > 0) return { candidate: draft };
  return left === null ? {} : { candidate: left };
};

/** Only a plain yes is one: anything else is a rejection, a question asked again, or the end. */
const takeVerdict = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const { draft } = own;
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: { ...spent, candidate: draft } };
  const trouble = troubleOf(reply);
  if (trouble !== null) return { end: unjudgedEnd(draft, `the ${CRITIC} failed: ${trouble}`) };
  const found = verdictOf(reply.output);
  if (found === undefined)
    return own.unread < MAX_UNREAD
      ? { own: { ...own, unread: own.unread + 1 } }
      : { end: unjudgedEnd(draft, `the ${CRITIC} gave no verdict: ${textOf(reply.output).slice(0, 100)}`) };
  if (found.verdict === 'accept') return { end: answeredWith(draft) };
  const { note } = found;
  const rejections = own.rejections + 1;
  const rejected = { ...own, rejections, note, unread: 0 };
  if (rejections <= options.maxRejections) return { own: rejected };
  return {
    own: rejected,
    end: { status: 'stopped', stopReason: { kind: 'rejected', note, rejections }, candidate: draft },
  };
};

const unjudgedEnd = (candidate: Json, detail: string): TeamEnd => stoppedBy(CRITIC, detail, candidate);

/**
 * One writes, another judges, and the first revises: a writer and a critic, or a proposer and a verifier.
 *
 * Only what the critic accepted is the output. Past `maxRejections` the run ends `stopped { kind: 'rejected' }`; a critic that
 * fails, or gives no verdict twice in a row, ends it `stopped { rule: 'critic' }`. In either case the last draft is the
 * candidate, as it is where the writer fails at a revision.
 *
 * Not for what a program can check: a critic of the agent itself (`critics`) costs no model call and no second agent. Nor for
 * a critic that is the writer's model with the writer's instructions: it likes what it would have written.
 *
 * @example
 * const essay = writerCritic({ name: 'essay', writer, critic: { instructions: 'Every claim needs a source.' } });
 * const { output, candidate } = await essay.run('Why do tides lag behind the moon?');
 *
 * @throws {TroupeError} `team.invalid` where writer and critic are the same agent or have one name, for one that is no agent, or
 * a number that bounds nothing.
 */
export const writerCritic = pattern({
  name: 'writerCritic',
  description: 'One writes, another judges, the first revises, until it is accepted or rejected for good.',
  setup: () =>
    setupShape<WriterCriticSetup<unknown>>({
      writer: anything(),
      critic: anything(),
      maxRejections: wholeNumber(0),
    }),
  defaults: { writer: '', critic: '', maxRejections: 0 },
  own: { drafts: 0, draft: null, rejections: 0, note: '', unread: 0 },
  // Neither does the other's work: the writer of a draft does not judge it.
  handsOnTo: () => [],
  actions: { askWriter, takeDraft, askCritic, takeVerdict, askRevision },
  tells: {
    tellRejection: ({ own: { drafts, note } }) => [
      { type: 'team.noted', text: `Draft ${drafts} is revised: ${note}` },
    ],
  },
  guards: { isUnread: ({ own }) => own.unread > 0 },
  initial: 'drafting',
  states: {
    drafting: {
      description: 'The writer writes the first draft.',
      entry: 'askWriter',
      awaits: 'drafted',
    },
    drafted: {
      description: 'Is there a draft to judge?',
      entry: 'takeDraft',
      always: ['failed', 'aborted', 'stopped', 'criticising'],
    },
    criticising: {
      description: 'The critic reads the draft.',
      entry: 'askCritic',
      awaits: 'criticised',
    },
    criticised: {
      description: 'Accepted, sent back, or no verdict at all?',
      entry: 'takeVerdict',
      always: ['completed', 'stopped', { guard: 'isUnread', target: 'criticising' }, 'revising'],
    },
    revising: {
      description: 'The writer makes a new draft of what was said about the one before.',
      entry: ['tellRejection', 'askRevision'],
      awaits: 'drafted',
    },
  },
  team:
    (open) =>
    <Output>(setup: WriterCriticSetup<Output>): EmbeddableAgent<string, Output, WriterCriticState> => {
      const { check, make } = open(setup);
      const { name, maxRejections = 2 } = setup;
      const critic = roleOf(setup.critic, {
        team: name,
        role: CRITIC,
        instructions:
          'You judge the drafts of another. Accept what does what was asked for; else say what is wrong, so that it can be mended.',
        output: verdictSchema(),
      });
      const writing = memberOf(name, 'writer', setup.writer).name;
      const judging = memberOf(name, CRITIC, critic).name;
      if (writing === judging)
        check.refuse('nobody judges their own draft: its writer and its critic are the same', writing);
      return make({
        flow: [
          [OUTSIDE, writing],
          [writing, judging, 'a draft'],
          [judging, writing, `sends back, up to ${maxRejections} times`],
          [judging, OUTSIDE, 'accepted'],
        ],
        members: { [writing]: setup.writer, [judging]: critic },
        options: {
          writer: writing,
          critic: judging,
          maxRejections,
        },
      });
    },
});
