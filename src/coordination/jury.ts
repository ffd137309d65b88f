import { assign } from 'xstate';
import { onDemand } from '../contracts/on-demand.ts';
import { placeAt } from './round/round.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import type { TeamContext, TeamInput } from './round/team-context.ts';
import { teamContext, teamOutcome } from './round/team-context.ts';
import type { Vote, VoteTally } from './state/votes.ts';
import { YES_NO } from './state/votes.ts';
import type { VotingOptions, VotingState } from './state/voting-round.ts';
import { ballotTasks, countRound, NO_TALLY, NO_VOTES } from './state/voting-round.ts';

/** Who sits on the jury. */
export type JuryOptions = VotingOptions & {
  /** Those of the voters who are people. */
  readonly people: readonly string[];
  /** The time that a person may take for a vote, in ms; null: as long as it takes. */
  readonly personTimeMs: number | null;
};

/** What a jury came to. */
export type JuryResult = {
  /** Null where the jury is hung. */
  readonly decision: string | null;
  /** Ballots held. */
  readonly rounds: number;
  /** Of the last ballot, as are the votes. */
  readonly tally: VoteTally;
  readonly votes: readonly Vote[];
};

type Context = TeamContext<VotingState, JuryOptions>;

const callBallot = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const { people, personTimeMs } = options;
  const tasks = ballotTasks(context).map((task) =>
    personTimeMs === null || !people.includes(task.member) ? task : { ...task, timeMs: personTimeMs },
  );
  return { own: { ...own, rounds: own.rounds + 1 }, inbox: [], ...beginRound(context, tasks) };
};

const jurors = awaiting('counting');

/** Checks whether nobody but people is waited for now that an answer is in. */
const isPeoplesTurn = ({ round, options }: Context): boolean => {
  if (round.standing !== 'open') return false;
  const open = round.tasks.filter((_, index) => (placeAt(round, index)?.reply ?? null) === null);
  return open.length > 0 && open.every(({ member }) => options.people.includes(member));
};

const resultOf = ({ rounds, votes, tally }: VotingState): JuryResult => ({
  decision: tally?.winner ?? null,
  rounds,
  tally: tally ?? NO_TALLY,
  votes,
});

const count = (context: Context): Partial<Context> => {
  const counted = countRound(context, resultOf);
  const { own, end } = counted;
  if (end !== undefined || own.tally?.winner == null) return counted;
  return { own, end: { status: 'completed', stopReason: { kind: 'answered' }, output: resultOf(own) } };
};

const DEFAULTS: JuryOptions = {
  voters: [],
  people: [],
  personTimeMs: null,
  counting: { choices: YES_NO, rule: 'majority', threshold: 0.5, weights: {}, countsAbstentions: false },
  maxRounds: 1,
};

/**
 * Agents and people vote on one question, each without knowing the others' votes; people have their time for it.
 *
 * A person's vote comes in from outside like any answer of a person, so the jury waits for it as a run waits: for days, over
 * restarts.
 */
export const juryMachine = onDemand(() =>
  setupTeam<VotingState, JuryOptions>()
    .extend({
      actions: {
        callBallot: assign(({ context }) => callBallot(context)),
        count: assign(({ context }) => count(context)),
      },
      guards: { isPeoplesTurn: ({ context }) => isPeoplesTurn(context) },
    })
    .createMachine({
      id: 'jury',
      description: 'Agents and people vote; who has not voted by the deadline abstains.',
      context: ({ input }: { input: TeamInput<JuryOptions> | undefined }) =>
        // Nobody votes for another.
        teamContext(input && { ...input, members: [] }, NO_VOTES, DEFAULTS),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'deliberating',
      on: teamArrows,
      states: {
        deliberating: {
          description:
            'All jurors are asked for their vote, people and agents, and agents are at work on it.',
          entry: ['callBallot', { type: 'entered', params: { phase: 'deliberating' } }, 'engageMembers'],
          ...jurors,
          always: [...jurors.always, { guard: 'isPeoplesTurn', target: 'awaitingPeople' }],
        },
        awaitingPeople: {
          description: 'Only people have not voted yet: they have until their deadline.',
          entry: { type: 'entered', params: { phase: 'awaitingPeople' } },
          ...awaiting('counting'),
        },
        counting: {
          description: 'Is there a verdict, or is the jury hung?',
          entry: ['count', { type: 'entered', params: { phase: 'counting' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'deliberating' },
          ],
        },
        ...teamEnds,
      },
    }),
);
