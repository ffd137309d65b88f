import { nearestName } from '../../base/text/nearest-name.ts';
import type { AuditAction, AuditEntry } from '../../inspect/audit/audit-entry.ts';
import { auditActions, auditOutcomes } from '../../inspect/audit/audit-entry.ts';
import type { AuditFilter } from '../../inspect/audit/read-audit.ts';
import { durationOf, textOf, timeOf } from '../usage/option-values.ts';
import { wrong } from '../usage/wrong-usage.ts';

const verbs = ['verify', 'query', 'report', 'erase', 'export'] as const;

/** A parsed command on audit logs. */
export interface AuditCommand {
  readonly name: 'audit';
  readonly verb: (typeof verbs)[number];
  /** A file or a folder; for `export` the run. */
  readonly place: string;
  /** Of `export`: the folder. */
  readonly to: string;
  /** The file of anchored heads: `verify` reads it, `erase` adds to it. */
  readonly anchor: string | undefined;
  readonly filter: AuditFilter;
  /** Of `erase`: the age of entries, in ms. */
  readonly olderThanMs: number | undefined;
  /** Of `export`. */
  readonly onBehalfOf: string | undefined;
}

/** Parsed values of options. */
export interface AuditValues {
  readonly anchor?: string | undefined;
  readonly run?: string | undefined;
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  readonly person?: string | undefined;
  readonly rule?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly 'older-than'?: string | undefined;
  readonly 'on-behalf-of'?: string | undefined;
}

const FILTERS = ['run', 'agent', 'tool', 'person', 'rule', 'action', 'outcome', 'since', 'until'] as const;

/** Options by subcommand. */
const own: Readonly<Record<AuditCommand['verb'], readonly (keyof AuditValues)[]>> = {
  verify: ['anchor'],
  query: FILTERS,
  report: FILTERS,
  erase: ['anchor', 'person', 'run', 'older-than'],
  export: ['on-behalf-of'],
};

const ALL = ['anchor', ...FILTERS, 'older-than', 'on-behalf-of'] as const;

/** The folder of exported logs. */
const EXPORTED = 'audit';

/** Parses the arguments after `audit`. */
export const auditCommandFrom = (
  [word = '', place, to, ...more]: readonly string[],
  values: AuditValues,
  now: number,
): AuditCommand => {
  const verb = verbs.find((known) => known === word);
  if (verb === undefined) {
    const meant = nearestName(word, verbs);
    const hint = meant === undefined ? `there are ${verbs.join(', ')}` : `did you mean '${meant}'?`;
    throw wrong(`there is no subcommand '${word}' (${hint})`, 'audit');
  }
  if (place === undefined || place.trim() === '')
    throw wrong(
      verb === 'export'
        ? 'no run was named: troupe runs lists them'
        : 'no log was named: give its file, or the folder of all',
      'audit',
    );
  const unexpected = verb === 'export' ? more[0] : to;
  if (unexpected !== undefined) throw wrong(`'${unexpected}' is unexpected: one log at a time`, 'audit');
  const stray = ALL.find((option) => values[option] !== undefined && !own[verb].includes(option));
  if (stray !== undefined) throw wrong(`'audit ${verb}' has no such option: --${stray}`, 'audit');
  for (const option of ALL) textOf(values[option], `--${option}`, 'audit');
  const olderThanMs = durationOf(values['older-than'], '--older-than', 'audit');
  if (verb === 'erase') assertWish(values);
  return {
    name: 'audit',
    verb,
    place,
    to: to ?? EXPORTED,
    anchor: values.anchor,
    filter: filterFrom(values, now),
    olderThanMs,
    onBehalfOf: values['on-behalf-of'],
  };
};

/** One at a time: what two of them would mean together is easily mistaken. */
const assertWish = ({ person, run, 'older-than': age }: AuditValues): void => {
  const given = [person, run, age].filter((value) => value !== undefined);
  if (given.length !== 1)
    throw wrong(
      given.length === 0
        ? 'nothing to erase was named: give --person NAME, --run RUN or --older-than 365d'
        : 'one excludes the other: --person, --run and --older-than',
      'audit',
    );
};

const filterFrom = (values: AuditValues, now: number): AuditFilter => {
  const { run, agent, tool, person, rule, since, until } = values;
  return {
    run,
    agent,
    tool,
    person,
    rule,
    action: oneOf<AuditAction>(auditActions, values.action, '--action'),
    outcome: oneOf<AuditEntry['outcome']>(auditOutcomes, values.outcome, '--outcome'),
    since: timeOf(since, '--since', 'audit', now),
    until: timeOf(until, '--until', 'audit', now),
  };
};

const oneOf = <Word extends string>(
  known: readonly Word[],
  given: string | undefined,
  option: string,
): Word | undefined => {
  const word = known.find((each) => each === given);
  if (given === undefined || word !== undefined) return word;
  const meant = nearestName(given, known);
  const hint = meant === undefined ? `give one of ${known.join(', ')}` : `did you mean '${meant}'?`;
  throw wrong(`${option} has no '${given}': ${hint}`, 'audit');
};
