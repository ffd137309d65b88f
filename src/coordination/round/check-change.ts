import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { oddValueIn } from '../../base/json/odd-value.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import type { Round } from './round.ts';
import type { TeamContext, TeamEnd } from './team-context.ts';

/** The parts of a team's context that an action may change and the chart has rules for. */
export interface ChangeRules {
  /** The pattern's own state at the start: later it may have more fields, never fewer. */
  readonly begun: Json;
  readonly maxRounds: number;
  /** The members that may be asked; undefined: the chart itself checks whom it asks. */
  readonly members: readonly string[] | undefined;
}

/**
 * Checks what an action of a chart changes.
 *
 * @throws {TroupeError} `machine.invalid` for an `own` with less than at the start, an `own` or `end` that is not plain JSON, and for work assigned
 * to a name that is not a member; `limit.reached` for too many rounds.
 */
export const checkChange = (
  action: string,
  context: TeamContext,
  { own, end, round }: Partial<TeamContext>,
  rules: ChangeRules,
): void => {
  const { name } = context.team;
  const subject = `'${name}' as its action '${action}'`;
  if (own !== undefined && own !== context.own) checkOwn(subject, own, context, rules);
  if (end !== undefined && end !== null && end !== context.end) checkEnd(subject, end);
  if (round === undefined || round.tasks === context.round.tasks) return;
  checkRounds(name, round, rules.maxRounds);
  checkMembers(name, round, rules.members);
};

const checkOwn = (subject: string, own: Json, before: TeamContext, { begun }: ChangeRules): void => {
  const odd = oddValueIn(own, 'own', before.own);
  if (odd !== undefined)
    throw new TroupeError(
      'machine.invalid',
      `Cannot go on with ${subject} gives an \`own\` that is not plain JSON: ${odd.found} at ${odd.at}`,
    );
  if (!isJsonObject(begun)) return;
  const lost = Object.keys(begun).filter((key) => begun[key] !== undefined && !isIn(own, key));
  if (lost.length === 0) return;
  throw new TroupeError(
    'machine.invalid',
    `Cannot go on with ${subject} gives an \`own\` without ${lost.join(', ')}: it is replaced, not merged, so write own: { ...context.own, … }`,
  );
};

const checkEnd = (subject: string, { output, candidate }: TeamEnd): void => {
  const odd = oddIn(output, 'output') ?? oddIn(candidate, 'candidate');
  if (odd !== undefined)
    throw new TroupeError(
      'machine.invalid',
      `Cannot go on with ${subject} gives an \`end\` that is not plain JSON: ${odd.found} at end.${odd.at}`,
    );
};

const oddIn = (value: Json | undefined, at: string) =>
  value === undefined ? undefined : oddValueIn(value, at);

const isIn = (own: Json, key: string): boolean => isJsonObject(own) && own[key] !== undefined;

const checkRounds = (team: string, { number }: Round, most: number): void => {
  if (number > most)
    throw new TroupeError(
      'limit.reached',
      `Cannot begin a round of '${team}' as it has had ${most}, which is its maxRounds: give it a rule that ends it, or more of them`,
    );
};

const checkMembers = (team: string, { tasks }: Round, members: readonly string[] = []): void => {
  if (members.length === 0) return;
  const known = new Set(members);
  const stranger = tasks.find(({ member }) => !known.has(member))?.member;
  if (stranger === undefined) return;
  const meant = nearestName(stranger, members);
  const advice = meant === undefined ? `there are ${members.join(', ')}` : `did you mean '${meant}'?`;
  throw new TroupeError(
    'machine.invalid',
    `Cannot begin a round of '${team}' as it gives work to '${stranger}', who is not a member: ${advice}`,
  );
};
