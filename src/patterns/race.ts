import type { Agent } from '../contracts/agents/agent.ts';
import type { Json } from '../base/json/json.ts';
import { aFunction, anything, wholeNumber } from '../base/schemas/option-schemas.ts';
import { answeredWith, failedWith, stoppedBy } from '../coordination/round/ends.ts';
import { troubleOf } from '../coordination/round/reply-text.ts';
import type { Reply } from '../coordination/round/round.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext, TeamEnd } from '../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import { setupShape } from './setup/setup-schema.ts';

/** The runners, and when an answer wins. */
export interface RaceSetup<Input, Output> extends TeamSetup {
  /** By name, in the order in which they start: the cheapest first. At least two. */
  readonly members: Readonly<Record<string, Agent<Input, Output>>>;
  /** The next one starts when there is no winner after so long, in ms, or when one has failed. 0: all start together. Default 5,000. */
  readonly hedgeAfterMs?: number | undefined;
  /** Checks whether an answer is good enough to win. Pure. Default: every answer is. */
  readonly accept?: ((output: Output) => boolean) | undefined;
}

/** The name of the function that says whether an answer wins. */
const ACCEPTS = 'accepts';

/** The runners, in the order in which they may start. */
export type RaceOptions = {
  readonly members: readonly string[];
  /** After how long without a winner the next one starts, in ms. */
  readonly hedgeAfterMs: number;
  readonly judges: boolean;
};

/** One that did not win, and why. */
export type RaceLoser = { readonly member: string; readonly output: Json; readonly reason: string };

/** The winner, and the others. */
export type RaceState = {
  /** Null: nobody was good enough. */
  readonly winner: string | null;
  readonly losers: readonly RaceLoser[];
};
type Context = TeamContext<RaceState, RaceOptions>;

/** Starts the first alone; one that fails makes room for the next, and so does time. */
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

/** Finishes: the winner, and what became of the others. */
const finish = (context: Context): Partial<Context> => {
  const replies = repliesOf(context);
  const winner = replies.find(({ status }) => status === 'completed');
  const losers = replies.flatMap((reply) => (reply === winner ? [] : [loserOf(reply)]));
  const own = { winner: winner?.member ?? null, losers };
  if (winner !== undefined) return { own, end: answeredWith(winner.output) };
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
  if (said.length === 0 && failed !== undefined && failed.error !== null) return failedWith(failed.error);
  const detail = losers.map(({ member, reason }) => `${member}: ${reason}`).join('; ');
  return stoppedBy('race', detail, [...losers]);
};

/**
 * A hedged race: the first answer that is good enough wins, and those still at work are stopped.
 *
 * The second starts only when the first takes longer than `hedgeAfterMs` or fails, so most runs cost no more than one. Who won and why
 * the others did not is in `result.state`. Nobody good enough: `stopped { rule: 'race' }`, with what was said as the candidate; nobody
 * at all: failed, with the last error.
 *
 * Not for members that change the world: a loser is stopped in the middle of its work. Not to get a better answer, but the same one sooner; for
 * a better one, let several be written and read (`ensemble`).
 *
 * @example
 * const quick = race({ name: 'quick', members: { small, large }, hedgeAfterMs: 2_000, accept: (answer) => answer !== '' });
 * const { output, state } = await quick.run('What is the capital of Peru?');
 *
 * @throws {TroupeError} `team.invalid` for less than two members, one that is no agent, or a wait that is no whole number from 0.
 */
export const race = pattern({
  name: 'race',
  description: 'The first answer that is good enough wins; the others are stopped.',
  setup: () =>
    setupShape<RaceSetup<unknown, unknown>>({
      members: anything(),
      hedgeAfterMs: wholeNumber(0),
      accept: aFunction(),
    }),
  defaults: { members: [], hedgeAfterMs: 0, judges: false },
  own: { winner: null, losers: [] },
  actions: { line, finish },
  initial: 'racing',
  states: {
    racing: {
      description: 'Who has started is at work; the next one starts when these take long, or fail.',
      entry: 'line',
      awaits: 'finishing',
    },
    finishing: {
      description: 'Has anybody won?',
      entry: 'finish',
      always: ['completed', 'stopped', 'failed'],
    },
  },
  team:
    (open) =>
    <Input, Output>(setup: RaceSetup<Input, Output>): EmbeddableAgent<Input, Output, RaceState> => {
      const { check, make } = open(setup);
      const { members, accept, hedgeAfterMs = 5_000 } = setup;
      const names = check.asked('members', members, { least: 2 });
      return make({
        flow: [
          ...names.map((each, index) => {
            const wait = index * hedgeAfterMs;
            return [OUTSIDE, each, wait === 0 ? '' : `after ${wait} ms, or a failure`] as const;
          }),
          [names, OUTSIDE, 'the first'],
        ],
        members,
        // What a member gives was checked by its own schema.
        ...(accept === undefined
          ? {}
          : { functions: { [ACCEPTS]: (output: Json = null) => accept(output as Output) } }),
        options: {
          members: names,
          hedgeAfterMs,
          judges: accept !== undefined,
        },
      });
    },
});
