import type { JsonObject } from '../../base/json/json.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { AuditFilter } from './read-audit.ts';
import { isWanted } from './read-audit.ts';

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
  /** Those who approved, denied or answered it, in order, as far as the log names them. */
  readonly people: readonly string[];
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

/** The decisions of one person: of several who approve a call each has one. */
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

/**
 * Reports what was asked of people, what they saw, what they decided, and how fast: of the requests of which a filter lets an entry through,
 * each as a whole. Pure.
 */
export const oversightOf = (entries: readonly AuditEntry[], filter: AuditFilter = {}): Oversight => {
  const wanted = requestsIn(entries).filter(({ asked, answers }) =>
    [asked, ...answers].some((entry) => isWanted(entry, filter)),
  );
  const requests = wanted.map(requestOf);
  const counts = { granted: 0, denied: 0, answered: 0, expired: 0, withdrawn: 0, open: 0 };
  for (const { outcome } of requests) counts[outcome] += 1;
  return {
    requests,
    counts,
    deniedByRule: entries.filter((entry) => isDeniedByRule(entry) && isWanted(entry, filter)).length,
    medianMs: medianOf(requests.filter(isDecided)),
    grantedAtOnce: requests.filter(({ outcome, afterMs }) => outcome === 'granted' && isAtOnce(afterMs))
      .length,
    people: peopleIn(wanted.flatMap(({ answers }) => answers.flatMap(decisionIn))),
  };
};

/** A request with all that was said to it. */
interface AskedRequest {
  readonly asked: AuditEntry;
  readonly answers: readonly AuditEntry[];
}

const requestsIn = (entries: readonly AuditEntry[]): readonly AskedRequest[] => {
  const answers = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    const { request } = entry.details;
    if (typeof request !== 'number') continue;
    const key = `${entry.runId} ${request}`;
    const known = answers.get(key);
    if (known === undefined) answers.set(key, [entry]);
    else known.push(entry);
  }
  return entries
    .filter(({ action }) => action === 'permission.ask' || action === 'question.ask')
    .map((asked) => ({ asked, answers: answers.get(`${asked.runId} ${asked.seq}`) ?? [] }));
};

const isDeniedByRule = ({ action, details: { decidedBy } }: AuditEntry): boolean =>
  action === 'permission.deny' && (decidedBy === 'rule' || decidedBy === 'nobody');

const requestOf = ({ asked, answers }: AskedRequest): OverseenRequest => {
  const { runId, path, at, action, tool, content } = asked;
  const end = answers.findLast((entry) => entry.action !== 'permission.approve');
  const { id: _, ...shown } = content ?? {};
  return {
    runId,
    path,
    askedAt: at,
    kind: action === 'question.ask' ? 'question' : 'approval',
    tool,
    shown: content === undefined ? undefined : shown,
    outcome: outcomeOf(end),
    people: answers.flatMap((entry) => entry.person ?? []),
    rule: asked.rule ?? end?.rule,
    afterMs: timeIn(end),
    isChanged: end?.details['isChanged'] === true ? true : undefined,
  };
};

const timeIn = (entry: AuditEntry | undefined): number | undefined => {
  const afterMs = entry?.details['afterMs'];
  return typeof afterMs === 'number' ? afterMs : undefined;
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

const isAtOnce = (afterMs = Infinity): boolean => afterMs < AT_ONCE_MS;

/** A decision of one person about a request. */
interface Decision extends Pick<AuditEntry, 'person'> {
  readonly isGrant: boolean;
  readonly afterMs: number | undefined;
}

const decisionIn = (entry: AuditEntry): readonly Decision[] => {
  const { action, person, details } = entry;
  const isGrant = action === 'permission.approve' || action === 'permission.grant';
  const isNo = action === 'permission.deny' && details['decidedBy'] !== 'time';
  return isGrant || isNo || action === 'question.answer' ? [{ person, isGrant, afterMs: timeIn(entry) }] : [];
};

const peopleIn = (decisions: readonly Decision[]): readonly OverseeingPerson[] =>
  [...new Set(decisions.map(({ person }) => person))].map((person) => {
    const theirs = decisions.filter((decision) => decision.person === person);
    const granted = theirs.filter(({ isGrant }) => isGrant);
    return {
      person,
      decided: theirs.length,
      granted: granted.length,
      grantedAtOnce: granted.filter(({ afterMs }) => isAtOnce(afterMs)).length,
      medianMs: medianOf(theirs),
    };
  });

const medianOf = (decided: readonly { readonly afterMs?: number | undefined }[]): number | undefined => {
  const times = decided.flatMap(({ afterMs }) => afterMs ?? []).toSorted((a, b) => a - b);
  return times[Math.floor((times.length - 1) / 2)];
};
