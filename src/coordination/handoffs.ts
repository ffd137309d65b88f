import { assign } from 'xstate';
import { errorData } from '../contracts/error.ts';
import type { ErrorData } from '../contracts/error.ts';
import type { EventBody } from '../contracts/event.ts';
import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import type { Turn } from '../contracts/transcript.ts';
import { rulesInForce } from '../machines/rules.ts';
import { fieldsOf, lastRounds } from './round/hand-over.ts';
import { onDemand } from '../contracts/on-demand.ts';
import type { Reply } from './round/round.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import type { TeamContext, TeamInput } from './round/team-context.ts';
import { endOf, repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** The pure function that makes what is handed over of the fields of the giver's state. */
export const ADAPTER = 'adapt';

/** How a task goes from hand to hand. */
export type HandoffsOptions = {
  readonly first: string;
  readonly members: readonly string[];
  readonly context: 'full' | 'summary' | 'isolated';
  readonly summaryRounds: number;
  readonly fields: readonly string[];
  readonly maxHandoffs: number;
  /** The number of times that one may hand to the same other; 0: nobody has it twice. */
  readonly revisits: number;
};

/** Who has had a task. */
export type HandoffsState = {
  /** Who has it, or had it last. */
  readonly holder: string;
  /** In order; those that were refused are none. */
  readonly handoffs: readonly {
    readonly from: string;
    readonly to: string;
    readonly message: string | null;
  }[];
};

type Own = HandoffsState & {
  /** Why the holder may not hand on to whom it wanted; null: it may, or did not want to. */
  readonly refused: { readonly to: string; readonly reason: string } | null;
  /** It has been told so. */
  readonly refusals: number;
};
type Context = TeamContext<Own, HandoffsOptions>;

/** A holder that hands on to somebody who may not have it is told so this often. */
const MAX_REFUSALS = 1;

/** The task in the hands of whoever is next, with what they are to know of the work so far. */
const receive = (context: Context): Partial<Context> => {
  const { own, options, input } = context;
  const { holder, refused } = own;
  const [giver] = repliesOf(context);
  const handoff = own.handoffs.at(-1);
  const keepsConversation = true;
  if (giver === undefined) return beginRound(context, [{ member: holder, input, keepsConversation }]);
  const conversation = giver.left?.conversation ?? [];
  if (refused !== null) {
    const note = `You cannot hand over to '${refused.to}' as ${refused.reason}. Go on yourself, or hand over to somebody else.`;
    const telling: readonly EventBody[] = [{ type: 'handoff.refused', from: holder, ...refused }];
    const task = { member: holder, input: saying(context, conversation, note, {}), keepsConversation };
    return beginRound(context, [{ ...task, beginsWith: conversation }], { telling });
  }
  if (handoff === undefined) return {};
  const { from, to, message } = handoff;
  try {
    const carried = carriedTo(context, giver, from, to);
    const note = `(Handed over by ${from}${message === null ? '' : `: ${message}`})`;
    const beginsWith = beginningFor(options, conversation, from);
    const isWhole = options.context === 'full' ? conversation : [];
    const telling: readonly EventBody[] = [
      {
        type: 'task.handed-over',
        from,
        to,
        context: options.context,
        ...(message === null ? {} : { message }),
      },
    ];
    const task = { member: holder, input: saying(context, isWhole, note, carried), keepsConversation };
    return beginRound(context, [{ ...task, beginsWith }], { telling });
  } catch (thrown) {
    const said = `Cannot hand over from '${from}' to '${to}' as the adapter threw`;
    return { end: failedBy(errorData(thrown, 'agent.threw', { message: said })) };
  }
};

/** The conversation that the receiver goes on from; what it is not given it does not see. */
const beginningFor = (
  { context, summaryRounds }: HandoffsOptions,
  conversation: readonly Turn[],
  giver: string,
): readonly Turn[] => {
  if (context === 'full') return conversation;
  if (context === 'isolated' || conversation.length === 0) return [];
  const text = `What was said so far, the end of it:\n${lastRounds(conversation, giver, summaryRounds)}`;
  return [{ role: 'user', from: 'runtime', text }];
};

/** What the receiver is told: the task, unless it stands in the conversation, who hands it over, and what comes with it. */
const saying = ({ input }: Context, conversation: readonly Turn[], note: string, carried: Json): Json => {
  const isNothing = isJsonObject(carried) && Object.keys(carried).length === 0;
  // Whoever takes no text has to do with the task itself.
  if (typeof input !== 'string')
    return isJsonObject(input) && isJsonObject(carried) ? { ...input, ...carried } : input;
  const task = conversation.length > 0 ? [] : [input];
  return [...task, note, ...(isNothing ? [] : [`It comes with: ${JSON.stringify(carried)}`])].join('\n\n');
};

const carriedTo = ({ options }: Context, giver: Reply, from: string, to: string): Json => {
  const fields = fieldsOf(giver.left?.state ?? null, options.fields);
  const adapt = rulesInForce().functions?.[ADAPTER];
  return adapt === undefined ? fields : adapt(fields, from, to);
};

const failedBy = (error: ErrorData) => ({
  status: 'failed' as const,
  stopReason: { kind: 'failed' as const },
  error,
});

/** An answer is the team's; a handoff goes on, is refused, or is one too many. */
const judge = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const spent = spentEnd(context);
  const end = endOf(reply);
  if (spent !== undefined) return { end: { ...end, ...spent } };
  const { stopReason } = reply;
  if (stopReason.kind !== 'handedOff') return { end };
  const { to, message = null } = stopReason;
  const from = own.holder;
  const reason = refusalOf(own, options, to);
  if (reason !== undefined && (own.refusals >= MAX_REFUSALS || isPingPong(own, options, to))) {
    const said = `Cannot hand over from '${from}' to '${to}' as ${reason}`;
    const error: ErrorData = { code: 'handoff.refused', message: said, retryable: 'no' };
    return { end: { ...end, ...failedBy(error) } };
  }
  if (reason !== undefined) return { own: { ...own, refused: { to, reason }, refusals: own.refusals + 1 } };
  if (own.handoffs.length >= options.maxHandoffs) {
    const detail = `'${from}' would have handed over to '${to}'`;
    const cap = { kind: 'softCap', cap: 'handoffs', limit: options.maxHandoffs, detail } as const;
    return { end: { ...end, status: 'stopped', stopReason: cap } };
  }
  const handoffs = [...own.handoffs, { from, to, message }];
  return { own: { holder: to, handoffs, refused: null, refusals: 0 } };
};

const refusalOf = (own: Own, options: HandoffsOptions, to: string): string | undefined => {
  const { members, first, revisits } = options;
  if (to === own.holder) return 'that is the one who has it';
  if (!members.includes(to)) return `there is nobody of that name: there are ${members.join(', ')}`;
  const hadIt = to === first || own.handoffs.some((handoff) => handoff.to === to);
  if (hadIt && revisits === 0) return 'it has had the task before';
  if (!isPingPong(own, options, to)) return undefined;
  return `'${own.holder}' has handed this task to '${to}' ${revisits} times already`;
};

/** The same two, the same task, the same way, once too often. */
const isPingPong = ({ holder, handoffs }: Own, { revisits }: HandoffsOptions, to: string): boolean =>
  revisits > 0 &&
  handoffs.filter((handoff) => handoff.from === holder && handoff.to === to).length >= revisits;

const DEFAULTS: HandoffsOptions = {
  first: '',
  members: [],
  context: 'isolated',
  summaryRounds: 3,
  fields: [],
  maxHandoffs: 0,
  revisits: 0,
};

/**
 * A task goes from hand to hand: whoever has it answers, or hands it on to somebody who fits better.
 *
 * Who has it decides that, and nobody above does. What the receiver sees is chosen; nobody has it twice, unless that is allowed.
 */
export const handoffsMachine = onDemand(() =>
  setupTeam<Own, HandoffsOptions>()
    .extend({
      actions: {
        receive: assign(({ context }) => receive(context)),
        judge: assign(({ context }) => judge(context)),
      },
    })
    .createMachine({
      id: 'handoffs',
      description: 'A task goes from hand to hand, until somebody answers.',
      context: ({ input }: { input: TeamInput<HandoffsOptions> | undefined }) =>
        teamContext(
          // Who it is handed on to is the business of this chart, not of the round.
          input && { ...input, members: [] },
          { holder: input?.options.first ?? '', handoffs: [], refused: null, refusals: 0 },
          DEFAULTS,
        ),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'receiving',
      on: teamArrows,
      states: {
        receiving: {
          description: 'Whoever is next gets the task, and what they are to know of the work so far.',
          entry: ['receive', { type: 'entered', params: { phase: 'receiving' } }],
          always: [{ guard: 'hasFailed', target: 'failed' }, { target: 'holding' }],
        },
        holding: {
          description: 'One of them has the task.',
          entry: [{ type: 'entered', params: { phase: 'holding' } }, 'engageMembers'],
          ...awaiting('passing'),
        },
        passing: {
          description: 'An answer, or a handoff to somebody who may have it?',
          entry: ['judge', { type: 'entered', params: { phase: 'passing' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'receiving' },
          ],
        },
        ...teamEnds,
      },
    }),
);
