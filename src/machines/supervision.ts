import type { ErrorData } from '../contracts/errors/error-data.ts';
import type {
  BackOff,
  Directive,
  FailureClass,
  MemberPolicy,
  RestartKind,
  RestartStrategy,
  SupervisionPolicy,
} from '../contracts/agents/supervision.ts';
import { hashOf } from '../base/hash.ts';

/** A complete policy for a member: plain JSON. */
export type MemberRules = {
  readonly restart: RestartKind;
  readonly backOff: { readonly [Key in keyof Required<BackOff>]: number };
  readonly directives: Readonly<Record<FailureClass, Directive>>;
  readonly poisonAfter: number;
};

/** A complete policy for a team: plain JSON, part of its context. */
export type TeamRules = {
  readonly strategy: RestartStrategy;
  readonly intensity: { readonly restarts: number; readonly withinMs: number };
  readonly members: Readonly<Record<string, MemberRules>>;
};

/** History of a task's failures. */
export type Trouble = {
  /** Number of restarts without a stable period in between. */
  readonly streak: number;
  /** Number of consecutive failures of one kind, and the kind. */
  readonly equal: number;
  readonly kind: string;
};

/** The supervisor's decision about an ended member. */
export type Verdict =
  | { readonly directive: 'stop' | 'escalate' | 'quarantine'; readonly failure: FailureClass }
  | {
      readonly directive: 'restart' | 'backOff' | 'compact' | 'correct';
      readonly failure: FailureClass;
      readonly waitMs: number;
    };

/** Default directives. */
const DIRECTIVES: Readonly<Record<FailureClass, Directive>> = {
  rateLimit: 'backOff',
  overflow: 'compact',
  badOutput: 'correct',
  outage: 'restart',
  timeOut: 'restart',
  crash: 'restart',
  escalated: 'restart',
  stopped: 'restart',
  poison: 'quarantine',
  auth: 'escalate',
  bug: 'escalate',
};

/** Three in half a minute: Erlang/OTP's one in five seconds is too strict for providers that ask for patience. */
const INTENSITY = { restarts: 3, withinMs: 30_000 };
const BACK_OFF = { leastMs: 200, mostMs: 30_000, stableMs: 30_000 };
const POISON_AFTER = 3;

const CLASSES: Readonly<Partial<Record<ErrorData['code'], FailureClass>>> = {
  'model.rate-limited': 'rateLimit',
  'model.context-overflow': 'overflow',
  'output.invalid': 'badOutput',
  'output.truncated': 'badOutput',
  'decision.invalid': 'badOutput',
  'model.malformed': 'badOutput',
  'model.empty': 'badOutput',
  'model.refused': 'badOutput',
  'model.content-filter': 'badOutput',
  'model.unavailable': 'outage',
  'model.network': 'outage',
  'model.timeout': 'outage',
  'model.idle': 'outage',
  'model.failed': 'outage',
  'member.timed-out': 'timeOut',
  'agent.timeout': 'timeOut',
  'agent.threw': 'crash',
  'agent.stopped': 'stopped',
  'tool.failed': 'crash',
  'tool.timeout': 'crash',
  'team.escalated': 'escalated',
  'model.auth': 'auth',
  'model.forbidden': 'auth',
  'model.quota': 'auth',
  'model.missing': 'auth',
  'model.unknown': 'auth',
  'model.not-found': 'auth',
};

/** Transient classes: they never make a task poison. */
const PASSING: ReadonlySet<FailureClass> = new Set<FailureClass>(['rateLimit', 'outage', 'stopped']);

/** The class of a failure, from its error alone. */
export const failureClassOf = (error: Pick<ErrorData, 'code' | 'retryable'>): FailureClass =>
  CLASSES[error.code] ?? (error.retryable === 'yes' ? 'outage' : 'bug');

/** The rules of a team, from its policy and its members'; null if there are none. */
export const teamRules = (
  policy: SupervisionPolicy | undefined,
  members: Readonly<Record<string, MemberPolicy | undefined>>,
): TeamRules | null => {
  if (policy === undefined && Object.values(members).every((member) => member === undefined)) return null;
  return {
    strategy: policy?.strategy ?? 'one-for-one',
    intensity: policy?.intensity ?? INTENSITY,
    members: Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, memberRules(policy, member)]),
    ),
  };
};

const memberRules = (policy: SupervisionPolicy | undefined, member: MemberPolicy = {}): MemberRules => ({
  restart: member.restart ?? policy?.restart ?? (policy === undefined ? 'temporary' : 'transient'),
  backOff: withoutGaps(BACK_OFF, policy?.backOff, member.backOff),
  directives: withoutGaps(DIRECTIVES, policy?.directives, member.directives),
  poisonAfter: member.poisonAfter ?? policy?.poisonAfter ?? POISON_AFTER,
});

/** Merges options; later ones win unless undefined. */
const withoutGaps = <Whole extends object>(
  whole: Whole,
  ...parts: readonly ({ readonly [Key in keyof Whole]?: Whole[Key] | undefined } | undefined)[]
): Whole => {
  const said = parts.flatMap((part) =>
    Object.entries(part ?? {}).filter(([, value]: readonly [string, unknown]) => value !== undefined),
  );
  return { ...whole, ...Object.fromEntries(said) };
};

/** The end of a member, as its supervisor sees it. */
export interface MemberEnd {
  readonly error: ErrorData | null;
  readonly isFailure: boolean;
  /** Times of its start and its end, in ms. */
  readonly startedAt: number;
  readonly at: number;
  /** Seed for deterministic jitter: the member's address. */
  readonly seed: string;
}

/** Adds a failure to a task's history. */
export const withFailure = (trouble: Trouble, rules: MemberRules, end: MemberEnd): Trouble => {
  const kind = end.error?.code ?? 'stopped';
  const isStable = end.at - end.startedAt >= rules.backOff.stableMs;
  return {
    streak: isStable ? 1 : trouble.streak + 1,
    equal: trouble.kind === kind ? trouble.equal + 1 : 1,
    kind,
  };
};

/**
 * Decides about a member that ended without an answer. `restarts` are the times of the team's latest restarts: exceeding the intensity
 * escalates. One that is exactly `withinMs` old no longer counts.
 */
export const verdictOn = (
  rules: TeamRules,
  member: string,
  end: MemberEnd,
  trouble: Trouble,
  restarts: readonly number[],
): Verdict => {
  const own = rules.members[member];
  const known = end.error === null ? 'stopped' : failureClassOf(end.error);
  if (own === undefined || own.restart === 'temporary') return { directive: 'stop', failure: known };
  if (!end.isFailure && own.restart !== 'permanent') return { directive: 'stop', failure: known };
  const failure = trouble.equal >= own.poisonAfter && !PASSING.has(known) ? 'poison' : known;
  const directive = own.directives[failure];
  if (directive === 'stop' || directive === 'escalate' || directive === 'quarantine')
    return { directive, failure };
  if (recentRestarts(rules, restarts, end.at).length >= rules.intensity.restarts)
    return { directive: 'escalate', failure };
  const wait = backOffMs(own.backOff, trouble.streak, end.seed);
  const asked = directive === 'backOff' ? (end.error?.retryAfterMs ?? 0) : 0;
  return { directive, failure, waitMs: Math.max(wait, asked) };
};

/** The restarts that still count. */
export const recentRestarts = (
  { intensity }: TeamRules,
  restarts: readonly number[],
  at: number,
): readonly number[] => restarts.filter((restartedAt) => at - restartedAt < intensity.withinMs);

/**
 * The wait before the `streak`-th consecutive restart: random between the minimum and a bound that doubles each time ("full jitter", so
 * that members that failed together do not restart together).
 */
export const backOffMs = (
  { leastMs, mostMs }: MemberRules['backOff'],
  streak: number,
  seed: string,
): number => {
  const bound = Math.min(mostMs, leastMs * 2 ** Math.min(streak, 30));
  return Math.round(leastMs + hashOf(`${seed}#${streak}`) * Math.max(0, bound - leastMs));
};

/** The members to restart with the failed one, in starting order. */
export const restartsWith = (
  strategy: RestartStrategy,
  failed: number,
  started: number,
): readonly number[] => {
  if (strategy === 'one-for-one') return [failed];
  const first = strategy === 'one-for-all' ? 0 : failed;
  return Array.from({ length: started - first }, (_, position) => first + position);
};
