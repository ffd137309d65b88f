import type { Agent } from '../../contracts/agent.ts';
import { toJson } from '../../contracts/json.ts';
import type { Board, BlackboardState, BoardReads } from '../../coordination/blackboard.ts';
import { blackboardMachine, boardDecisionSchema, CONTROLLER } from '../../coordination/blackboard.ts';
import { insightBounds } from '../../memory/insights.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { TeamSetup } from '../define/team.ts';
import { memberOf, setupOf, team } from '../define/team.ts';
import type { SetupCheck } from './setup/check-setup.ts';
import { isRecord } from '../define/is-record.ts';
import { checkSetup } from './setup/check-setup.ts';
import { memberWith } from './setup/member-with.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';

export type { BlackboardState, Board, BoardReads };

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
  /** Says who is next, or that the board is complete. */
  readonly controller: Role;
  /** What the controller reads of the board. Default: the 50 insights that matter most. */
  readonly reads?: BoardReads | undefined;
  /** Rounds: specialists consulted, however often; the controller is asked once more after the last. Default 5. */
  readonly maxRounds?: number | undefined;
  /** Insights on the board; one more, and the least important goes, of equals the oldest. Default 300. */
  readonly size?: number | undefined;
  /** The time that an insight is on the board, in ms. Default 3,600,000: an hour. */
  readonly maxAgeMs?: number | undefined;
}

/**
 * Specialists write what they find on a board that all of them read; a controller says who is next, until the board has all that is needed.
 *
 * The output is the board, with the controller's answer if it gave one. Past `maxRounds` the run ends `stopped { kind: 'maxRounds' }`,
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
  const check = checkSetup(setup);
  const { name, specialists, reads = { limit: 50 } } = setup;
  const names = check.asked('specialists', specialists, { reserved: [CONTROLLER] });
  const known = Object.entries(specialists).map(([role, given]) => {
    const [agent, { reads: own = reads }] = memberWith<{ readonly reads: BoardReads }>(name, role, given);
    return { agent, reads: own, role, description: memberOf(name, role, agent).description };
  });
  for (const each of [reads, ...known.map((specialist) => specialist.reads)]) checkReads(check, each, names);
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
      maxRounds: check.count('maxRounds', setup.maxRounds, 5),
      bounds: {
        size: check.count('size', setup.size, insightBounds.team.size),
        maxAgeMs: check.count('maxAgeMs', setup.maxAgeMs, insightBounds.team.maxAgeMs),
      },
    }),
  });
};

/** Without what is undefined: as JSON that would be null, and null filters. */
const withoutGaps = (reads: BoardReads): BoardReads =>
  Object.fromEntries(Object.entries(reads).filter(([, value]) => value !== undefined));

const checkReads = (check: SetupCheck, given: BoardReads, names: readonly string[]): void => {
  if (!isRecord(given)) check.refuse('its reads are no object', given);
  const { limit, maxAgeMs, minImportance, tags, tagMode, notBy } = given;
  check.count('reads.limit', limit, 1);
  check.count('reads.maxAgeMs', maxAgeMs, 1);
  check.texts('reads.tags', tags);
  check.word('reads.tagMode', tagMode, 'any', ['any', 'all']);
  if (
    minImportance !== undefined &&
    !(typeof minImportance === 'number' && minImportance >= 0 && minImportance <= 1)
  )
    check.refuse('its reads.minImportance is no number from 0 to 1', minImportance);
  if (notBy !== undefined && !names.includes(notBy))
    check.refuse(`its reads.notBy is no specialist; there are ${names.join(', ')}`, notBy);
};
