import type { AuditAction, AuditEntry } from './audit-entry.ts';
import { auditFilesIn, openChain } from './audit-files.ts';

/** A filter of entries; all of its conditions have to hold. */
export interface AuditFilter {
  readonly run?: string | undefined;
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  /** The person who answered, or for whom the run acts. */
  readonly person?: string | undefined;
  /** A rule that decided, or under which what followed was decided and done. */
  readonly rule?: string | undefined;
  readonly action?: AuditAction | undefined;
  readonly outcome?: AuditEntry['outcome'] | undefined;
  /** At that time or later, in ms since 1970. */
  readonly since?: number | undefined;
  /** Before that time, in ms since 1970. */
  readonly until?: number | undefined;
}

/**
 * The entries of an audit log, a file or all of a folder, that a filter lets through, by time. Content that was erased is absent.
 *
 * It reads what can be read: {@link verifyAudit} checks it.
 *
 * @example
 * for (const { at, tool, person } of readAudit('./audit', { action: 'permission.grant', person: 'ada' })) console.log(at, tool, person);
 *
 * @throws {TroupeError} `trace.unreadable` if the log is not there, or a file is none.
 */
export const readAudit = (place: string, filter: AuditFilter = {}): readonly AuditEntry[] =>
  auditFilesIn(place)
    .flatMap((file) => openChain(file).entries)
    .filter((entry) => isWanted(entry, filter))
    .toSorted((a, b) => a.at - b.at);

/** The names of further rules that a call had to satisfy. */
const rulesBeside = ({ details: { alsoRules } }: AuditEntry): readonly string[] =>
  Array.isArray(alsoRules) ? alsoRules.filter((name) => typeof name === 'string') : [];

/** Checks whether a filter lets an entry through. */
export const isWanted = (entry: AuditEntry, filter: AuditFilter): boolean => {
  const { run, agent, tool, person, rule, action, outcome, since = -Infinity, until = Infinity } = filter;
  const equal = (wanted: string | undefined, ...found: readonly (string | undefined)[]): boolean =>
    wanted === undefined || found.includes(wanted);
  return (
    equal(run, entry.runId) &&
    equal(agent, entry.agent) &&
    equal(tool, entry.tool) &&
    equal(person, entry.person, entry.onBehalfOf) &&
    equal(rule, entry.rule, ...rulesBeside(entry)) &&
    equal(action, entry.action) &&
    equal(outcome, entry.outcome) &&
    entry.at >= since &&
    entry.at < until
  );
};
