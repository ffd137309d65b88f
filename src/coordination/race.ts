import { assign } from 'xstate';
import type { Json } from '../contracts/json.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { troubleOf } from './round/reply-text.ts';
import type { Reply } from './round/round.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** The name of the function that says whether an answer wins. */
export const ACCEPTS = 'accepts';

/** Who runs, in the order in which they may start. */
export type RaceOptions = {
  readonly members: readonly string[];
  /** After how long without a winner the next one starts, in ms. */
  readonly hedgeAfterMs: number;
  readonly judges: boolean;
};

/** One that did not win, and why. */
export type RaceLoser = { readonly member: string; readonly output: Json; readonly reason: string };

/** Who won, and who did not. */
export type RaceState = {
  /** Null: nobody was good enough. */
  readonly winner: string | null;
  readonly losers: readonly RaceLoser[];
};
type Context = TeamContext<RaceState, RaceOptions>;

/** The first alone; whoever fails makes room for the next, and so does time. */
const line = (context: Context): Partial<Context> => {
  const { options, input } = context;
  const tasks = options.members.map((member) => ({ member, input }));
  // Without a wait all start together.
  const cap = options.hedgeAfterMs === 0 ? tasks.length : 1;
  return beginRound(context, tasks, {
    cap,
    enough: 1,
    ...(options.hedgeAfterMs === 0 ? {} : { widensAfterMs: options.hedgeAfterMs }),
    ...(options.judges ? { accepts: ACCEPTS } : {}),
  });
};

/** Who won, and what became of the others. */
const finish = (context: Context): Partial<Context> => {
  const replies = repliesOf(context);
  const winner = replies.find(({ status }) => status === 'completed');
  const losers = replies.flatMap((reply) => (reply === winner ? [] : [loserOf(reply)]));
  const own = { winner: winner?.member ?? null, losers };
  if (winner !== undefined)
    return { own, end: { status: 'completed', stopReason: { kind: 'answered' }, output: winner.output } };
  return { own, end: spentEnd(context) ?? nobody(replies, losers) };
};

const loserOf = (reply: Reply): RaceLoser => ({
  member: reply.member,
  output: reply.output,
  reason:
    reply.stopReason.kind === 'rejected' ? 'its answer was not accepted' : (troubleOf(reply) ?? 'too late'),
});

/** Nobody has won: some answers were not good enough, or all have failed. */
const nobody = (replies: readonly Reply[], losers: readonly RaceLoser[]): TeamEnd => {
  const failed = replies.findLast(({ error }) => error !== null);
  const said = losers.filter(({ output }) => output !== null);
  if (said.length === 0 && failed !== undefined && failed.error !== null)
    return { status: 'failed', stopReason: { kind: 'failed' }, error: failed.error };
  const detail = losers.map(({ member, reason }) => `${member}: ${reason}`).join('; ');
  return { status: 'stopped', stopReason: { kind: 'rule', rule: 'race', detail }, candidate: [...losers] };
};

/**
 * The first answer that is good enough wins, and whoever is still at work is stopped. The next one starts when those before it take long
 * or have failed, so that a second try costs only where it is needed ("The Tail at Scale", Dean and Barroso, 2013).
 */
export const raceMachine = onDemand(() =>
  setupTeam<RaceState, RaceOptions>()
    .extend({
      actions: {
        line: assign(({ context }) => line(context)),
        finish: assign(({ context }) => finish(context)),
      },
    })
    .createMachine({
      id: 'race',
      description: 'The first answer that is good enough wins; the others are stopped.',
      context: ({ input }: { input: TeamInput<RaceOptions> | undefined }) =>
        teamContext(input, { winner: null, losers: [] }, { members: [], hedgeAfterMs: 0, judges: false }),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'racing',
      on: teamArrows,
      states: {
        racing: {
          description: 'Who has started is at work; the next one starts when these take long, or fail.',
          entry: ['line', { type: 'entered', params: { phase: 'racing' } }, 'engageMembers'],
          ...awaiting('finishing'),
        },
        finishing: {
          description: 'Has anybody won?',
          entry: ['finish', { type: 'entered', params: { phase: 'finishing' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'failed' },
          ],
        },
        ...teamEnds,
      },
    }),
);
