import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';
import type { BackOff, MemberPolicy, SupervisionPolicy } from '../../contracts/supervision.ts';
import { DIRECTIVES } from '../../machines/supervision.ts';

const STRATEGIES: readonly string[] = ['one-for-one', 'one-for-all', 'rest-for-one'];
const KINDS: readonly string[] = ['permanent', 'transient', 'temporary'];
const DEEDS: readonly string[] = [
  'restart',
  'backOff',
  'compact',
  'correct',
  'quarantine',
  'escalate',
  'stop',
];

/** A policy as it was given; throws for one that says what cannot be meant, and names all of it. */
export const checkSupervision = (
  policy: SupervisionPolicy | MemberPolicy | undefined,
  code: 'team.invalid' | 'agent.invalid' | 'workflow.invalid',
  owner: string,
): void => {
  if (policy === undefined) return;
  const problems = [
    ...memberProblems(policy),
    ...('strategy' in policy || 'intensity' in policy ? teamProblems(policy) : []),
  ];
  if (problems.length > 0)
    throw new TroupeError(
      code,
      `Cannot define ${owner} as its supervision is not to be followed: ${problems.join('; ')}`,
    );
};

const teamProblems = ({ strategy, intensity }: SupervisionPolicy): readonly string[] => [
  ...oneOf('strategy', strategy, STRATEGIES),
  ...(intensity === undefined
    ? []
    : [
        ...atLeast('intensity.restarts', intensity.restarts, 0, Number.isInteger(intensity.restarts)),
        ...atLeast('intensity.withinMs', intensity.withinMs, 1),
      ]),
];

const memberProblems = ({ restart, backOff, directives, poisonAfter }: MemberPolicy): readonly string[] => [
  ...oneOf('restart', restart, KINDS),
  ...backOffProblems(backOff ?? {}),
  ...Object.entries(directives ?? {}).flatMap(([failure, directive]) => [
    ...oneOf('directives', failure, Object.keys(DIRECTIVES)),
    ...oneOf(`directives.${failure}`, directive, DEEDS),
  ]),
  ...atLeast('poisonAfter', poisonAfter, 1, poisonAfter === undefined || Number.isInteger(poisonAfter)),
];

const backOffProblems = ({ leastMs, mostMs, stableMs }: BackOff): readonly string[] => [
  ...atLeast('backOff.leastMs', leastMs, 0),
  ...atLeast('backOff.mostMs', mostMs, leastMs ?? 0),
  ...atLeast('backOff.stableMs', stableMs, 0),
];

const oneOf = (what: string, found: string | undefined, known: readonly string[]): readonly string[] =>
  found === undefined || known.includes(found) ? [] : [`${what} is none of ${known.join(', ')}: '${found}'`];

const atLeast = (what: string, found: number | undefined, least: number, isFit = true): readonly string[] =>
  found === undefined || (Number.isFinite(found) && found >= least && isFit)
    ? []
    : [`${what} has to be ${isFit ? 'a' : 'a whole'} number from ${least}: ${foundText(found)}`];
