import type { JsonObject } from '../../base/json/json.ts';
import type { AuditEntry } from './audit-entry.ts';

/** A request to a person, as the log has it. */
export interface OverseenRequest {
  readonly runId: string;
  readonly path: string;
  readonly askedAt: number;
  readonly kind: 'approval' | 'question';
  readonly tool?: string | undefined;
  /** Shown to the person; absent where it was erased. */
  readonly shown?: JsonObject | undefined;
  readonly outcome: 'granted' | 'denied' | 'answered' | 'expired' | 'withdrawn' | 'open';
  readonly person?: string | undefined;
  readonly rule?: string | undefined;
  /** In ms from the request to its end. */
  readonly afterMs?: number | undefined;
  /** True if the person changed the arguments. */
  readonly isChanged?: boolean | undefined;
}

/** A report on human oversight. */
export interface Oversight {
  readonly requests: readonly OverseenRequest[];
  readonly counts: Readonly<Record<OverseenRequest['outcome'], number>>;
  /** Calls that a rule, a safety strategy or the absence of people denied: no person was asked. */
  readonly deniedByRule: number;
  /** Of what people granted, denied and answered; in ms. */
  readonly medianMs?: number | undefined;
  /** Approvals in under two seconds: hardly read. */
  readonly grantedAtOnce: number;
  readonly people: readonly OverseeingPerson[];
}

/** The decisions of one person. */
export interface OverseeingPerson {
  /** Absent where the log does not say who it was. */
  readonly person?: string | undefined;
  readonly decided: number;
  readonly granted: number;
  readonly grantedAtOnce: number;
  readonly medianMs?: number | undefined;
}

/** Approvals that are faster than this, in ms, are counted apart. */
const AT_ONCE_MS = 2_000;

/** Reports what was asked of people, what they saw, what they decided, and how fast. Pure. */
export const oversightOf = (entries: readonly AuditEntry[]): Oversight => {
  const ends = new Map<string, AuditEntry>();
  for (const entry of entries) {
    const { runId, details } = entry;
    const { request } = details;
    if (typeof request === 'number') ends.set(`${runId} ${request}`, entry);
  }
  const requests = entries.flatMap((entry) =>
    entry.action === 'permission.ask' || entry.action === 'question.ask'
      ? [requestOf(entry, ends.get(`${entry.runId} ${entry.seq}`))]
      : [],
  );
  const counts = { granted: 0, denied: 0, answered: 0, expired: 0, withdrawn: 0, open: 0 };
  for (const { outcome } of requests) counts[outcome] += 1;
  const decided = requests.filter(isDecided);
  return {
    requests,
    counts,
    deniedByRule: entries.filter(({ action, details }) => action === 'permission.deny' && isByRule(details))
      .length,
    medianMs: medianOf(decided),
    grantedAtOnce: decided.filter(isAtOnce).length,
    people: peopleIn(decided),
  };
};

const isByRule = ({ decidedBy }: JsonObject): boolean => decidedBy === 'rule' || decidedBy === 'nobody';

const requestOf = (asked: AuditEntry, end: AuditEntry | undefined): OverseenRequest => {
  const { runId, path, at, action, tool, content } = asked;
  const { id: _, ...shown } = content ?? {};
  const afterMs = end?.details['afterMs'];
  return {
    runId,
    path,
    askedAt: at,
    kind: action === 'question.ask' ? 'question' : 'approval',
    tool,
    shown: content === undefined ? undefined : shown,
    outcome: outcomeOf(end),
    person: end?.person,
    rule: asked.rule ?? end?.rule,
    afterMs: typeof afterMs === 'number' ? afterMs : undefined,
    isChanged: end?.details['isChanged'] === true ? true : undefined,
  };
};

const outcomeOf = (end: AuditEntry | undefined): OverseenRequest['outcome'] => {
  switch (end?.action) {
    case 'permission.grant':
      return 'granted';
    case 'permission.deny':
      return end.details['decidedBy'] === 'time' ? 'expired' : 'denied';
    case 'question.answer':
      return 'answered';
    case 'request.withdraw':
      return 'withdrawn';
    default:
      return 'open';
  }
};

const isDecided = ({ outcome }: OverseenRequest): boolean =>
  outcome === 'granted' || outcome === 'denied' || outcome === 'answered';

const isAtOnce = ({ outcome, afterMs = Infinity }: OverseenRequest): boolean =>
  outcome === 'granted' && afterMs < AT_ONCE_MS;

const peopleIn = (decided: readonly OverseenRequest[]): readonly OverseeingPerson[] =>
  [...new Set(decided.map(({ person }) => person))].map((person) => {
    const theirs = decided.filter((request) => request.person === person);
    return {
      person,
      decided: theirs.length,
      granted: theirs.filter(({ outcome }) => outcome === 'granted').length,
      grantedAtOnce: theirs.filter(isAtOnce).length,
      medianMs: medianOf(theirs),
    };
  });

const medianOf = (decided: readonly OverseenRequest[]): number | undefined => {
  const times = decided.flatMap(({ afterMs }) => afterMs ?? []).toSorted((a, b) => a - b);
  return times[Math.floor((times.length - 1) / 2)];
};
