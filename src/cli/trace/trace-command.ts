import type { TraceStatus } from '../../inspect/traces/trace-account.ts';
import { traceStatuses } from '../../inspect/traces/trace-account.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import { countOf, statusesAmong } from '../usage/option-values.ts';
import { wrong } from '../usage/wrong-usage.ts';

const verbs = ['list', 'show', 'replay', 'export', 'check'] as const;

/** A parsed command on traces. */
export interface TraceCommand {
  readonly name: 'trace';
  readonly verb: (typeof verbs)[number];
  /** Files, or stored runs, at least one; for `list` a folder. */
  readonly places: readonly [string, ...string[]];
  readonly status: readonly TraceStatus[] | undefined;
  readonly limit: number;
  readonly speed: number;
  /** Files, or `-`. */
  readonly html: string | undefined;
  readonly mermaid: string | undefined;
  readonly ndjson: boolean;
}

interface TraceValues {
  readonly status?: string | undefined;
  readonly limit?: string | undefined;
  readonly speed?: string | undefined;
  readonly html?: string | undefined;
  readonly mermaid?: string | undefined;
  readonly ndjson?: boolean | undefined;
}

/** Options by subcommand. */
const own: Readonly<Record<TraceCommand['verb'], readonly (keyof TraceValues)[]>> = {
  list: ['status', 'limit'],
  show: [],
  replay: ['speed'],
  export: ['html', 'mermaid', 'ndjson'],
  check: [],
};

const ALL = ['status', 'limit', 'speed', 'html', 'mermaid', 'ndjson'] as const;

/** Default number of traces listed. */
const LISTED = 20;

/** Parses the arguments after `trace`. */
export const traceCommandFrom = (
  [word = '', first, ...more]: readonly string[],
  values: TraceValues,
): TraceCommand => {
  const verb = verbs.find((known) => known === word);
  if (verb === undefined) {
    const meant = nearestName(word, verbs);
    const hint = meant === undefined ? `there are ${verbs.join(', ')}` : `did you mean '${meant}'?`;
    throw wrong(`there is no subcommand '${word}' (${hint})`, 'trace');
  }
  if (first === undefined)
    throw wrong(
      verb === 'list'
        ? 'no folder was named: give one that holds traces'
        : 'no trace was named: give its file, or a stored run',
      'trace',
    );
  const stray = ALL.find((option) => values[option] !== undefined && !own[verb].includes(option));
  if (stray !== undefined) throw wrong(`'trace ${verb}' has no such option: --${stray}`, 'trace');
  if (more.length > 0 && verb !== 'check')
    throw wrong(`'${more[0]}' is unexpected: one trace at a time`, 'trace');
  const { html, mermaid, ndjson = false } = values;
  if (verb === 'export') assertOneOutput(html, mermaid, ndjson);
  return {
    name: 'trace',
    verb,
    places: [first, ...more],
    status: statusesAmong(traceStatuses, values.status, 'trace'),
    limit: countOf(values.limit, '--limit', 'trace') ?? LISTED,
    speed: readSpeed(values.speed),
    html,
    mermaid,
    ndjson,
  };
};

const assertOneOutput = (html: string | undefined, mermaid: string | undefined, ndjson: boolean): void => {
  if (html === undefined && mermaid === undefined && !ndjson)
    throw wrong('the format is missing: give --html FILE, --mermaid FILE or --ndjson', 'trace');
  if ([html === '-', mermaid === '-', ndjson].filter(Boolean).length > 1)
    throw wrong('only one format can go to standard output', 'trace');
  for (const [option, file] of Object.entries({ html, mermaid }))
    if (file?.trim() === '')
      throw wrong(`--${option} names no file: '${file}'. Give one, or - for standard output`, 'trace');
};

const readSpeed = (given: string | undefined): number => {
  if (given === undefined) return 1;
  const speed = /^\d{0,9}\.?\d{1,9}$/.test(given) ? Number(given) : 0;
  if (speed === 0)
    throw wrong(`--speed is not a number above 0: '${given}'. Give a factor such as 0.5 or 10`, 'trace');
  return speed;
};
