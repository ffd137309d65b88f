import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import { toJson } from '../../contracts/json.ts';
import type { Board, BoardReads } from '../../coordination/blackboard.ts';
import { blackboardMachine, boardDecisionSchema, CONTROLLER } from '../../coordination/blackboard.ts';
import type { Insight } from '../../memory/insights.ts';
import { insightBounds } from '../../memory/insights.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { memberOf, setupOf, team } from '../team.ts';
import type { RoleOptions } from './role-of.ts';
import { roleOf } from './role-of.ts';

export type { Board, BoardReads };

/** Somebody who knows something; `reads` is what it reads of the board: default what the controller reads. */
export type Specialist =
  Agent<string, unknown> | { readonly agent: Agent<string, unknown>; readonly reads: BoardReads };

/** Who may be consulted, who says so, and how much there may be. */
export interface BlackboardSetup extends TeamSetup {
  /**
   * By capability, which is the name on the board. They take a text; what they answer is one insight, or several as JSON:
   * `{ insights: [{ content, importance, tags, segment, metadata }] }`.
   */
  readonly specialists: Readonly<Record<string, Specialist>>;
  /** An agent or a team as it is, or options for one: it says who is next, or that the board is complete. */
  readonly controller: RoleOptions | Member;
  /** What the controller reads of the board. Default: the 50 insights that matter most. */
  readonly reads?: BoardReads | undefined;
  /** Specialists consulted, however often; the controller is asked once more after the last. Default 5. */
  readonly maxIterations?: number | undefined;
  /** Insights on the board; one more, and the least important goes, of equals the oldest. Default 300. */
  readonly size?: number | undefined;
  /** How long an insight is on the board, in ms. Default 3,600,000: an hour. */
  readonly maxAgeMs?: number | undefined;
}

/** What is known of a run beside the board. */
export interface BlackboardState {
  /** In the order in which they came. */
  readonly insights: readonly Insight[];
  /** Insights that there was no room for, or whose time was over. */
  readonly gone: number;
  readonly iterations: number;
  readonly converged: boolean;
  /** Who was consulted for nothing, and why. */
  readonly missing: readonly { readonly specialist: string; readonly why: string }[];
}

/**
 * Specialists write what they find on a board that all of them read; a controller says who is next, until the board has all that is needed.
 *
 * The output is the board, with the controller's answer if it gave one. Past `maxIterations` the run ends `stopped { kind: 'maxRounds' }`,
 * and where the controller fails, or decides nothing twice in a row, `stopped { rule: 'controller' }`: the board is the candidate then, and
 * says `converged: false`. A specialist that fails adds nothing, and the controller is told. Each run has a board of its own.
 *
 * Not where it is known who has to do what: a pipeline needs nobody who decides. Nor for work that can be done at the same time: here one
 * reads what the other wrote, so they take turns.
 *
 * @example
 * const desk = blackboard({ name: 'desk', specialists: { history, numbers }, controller: { model } });
 * const { output } = await desk.run('When will the bridge have to be closed?');
 * output?.insights[0]; // { agent: 'numbers', content: …, importance: 0.9, … }
 *
 * @throws {TroupeError} `team.invalid` without specialists, for one called `controller` or that is no agent, for what cannot be read of a
 * board, or a number that bounds nothing.
 */
export const blackboard = (setup: BlackboardSetup): EmbeddableAgent<string, Board, BlackboardState> => {
  const { name, specialists, reads = { limit: 50 } } = setup;
  const names = Object.keys(specialists);
  const count = { code: 'team.invalid', owner: `the team '${name}'` } as const;
  if (names.length === 0 || names.includes(CONTROLLER))
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as it needs specialists, none of them called '${CONTROLLER}': found ${names.join(', ') || 'none'}`,
    );
  const known = Object.entries(specialists).map(([role, given]) => {
    const own = isReader(given) ? given : { agent: given, reads };
    return { ...own, role, description: memberOf(name, role, own.agent).description };
  });
  for (const each of [reads, ...known.map((specialist) => specialist.reads)]) checkReads(each, name, names);
  const role = { team: name, role: CONTROLLER, output: boardDecisionSchema() };
  return team({
    ...setupOf(setup),
    machine: blackboardMachine,
    members: {
      ...Object.fromEntries(known.map((specialist) => [specialist.role, specialist.agent])),
      [CONTROLLER]: roleOf(setup.controller, role),
    },
    options: toJson({
      specialists: known.map((specialist) => ({
        name: specialist.role,
        description: specialist.description,
        reads: withoutGaps(specialist.reads),
      })),
      reads: withoutGaps(reads),
      maxIterations: checkCount(setup.maxIterations ?? 5, 1, 'maxIterations', count),
      bounds: {
        size: checkCount(setup.size ?? insightBounds.team.size, 1, 'size', count),
        maxAgeMs: checkCount(setup.maxAgeMs ?? insightBounds.team.maxAgeMs, 1, 'maxAgeMs', count),
      },
    }),
  });
};

/** What is neither this nor an agent is refused as an agent would be. */
const isReader = (given: Specialist): given is Exclude<Specialist, Agent<string, unknown>> =>
  Object.hasOwn(Object(given), 'reads');

/** Without what is undefined: as JSON that would be null, and null filters. */
const withoutGaps = (reads: BoardReads): BoardReads =>
  Object.fromEntries(Object.entries(reads).filter(([, value]) => value !== undefined));

const checkReads = (
  { limit, maxAgeMs, minImportance, tagMode, notBy }: BoardReads,
  name: string,
  names: readonly string[],
): void => {
  const count = { code: 'team.invalid', owner: `the team '${name}'` } as const;
  const refuse = (reason: string): TroupeError =>
    new TroupeError('team.invalid', `Cannot define the team '${name}' as ${reason}`);
  if (limit !== undefined) checkCount(limit, 1, 'reads.limit', count);
  if (maxAgeMs !== undefined) checkCount(maxAgeMs, 1, 'reads.maxAgeMs', count);
  if (minImportance !== undefined && !(minImportance >= 0 && minImportance <= 1))
    throw refuse(`'reads.minImportance' is no number from 0 to 1: ${minImportance}`);
  if (tagMode !== undefined && tagMode !== 'any' && tagMode !== 'all')
    throw refuse(`'reads.tagMode' is neither 'any' nor 'all': ${String(tagMode)}`);
  if (notBy !== undefined && !names.includes(notBy))
    throw refuse(`'reads.notBy' is no specialist: ${notBy}; there are ${names.join(', ')}`);
};
