import { openLog } from '../../persistence/run-log.ts';
import type { OpenedLog } from '../../persistence/run-log.ts';
import { eventsIn } from './logged-events.ts';
import { resumptionsIn } from './recorded/logged-resumptions.ts';
import { stepsIn } from './step-view.ts';
import type { Trace } from './trace.ts';
import { accountOf } from './trace-account.ts';
import type { TraceNote } from './trace-record.ts';
import { noteIn } from './trace-record.ts';

/** The circumstances under which a text is read. */
export interface TextReading {
  /** For messages. Default: the text. */
  readonly name?: string | undefined;
  /** Checks whether the process of a holder is known to be gone. */
  readonly isGone: (holder: string) => boolean;
}

/**
 * The trace in a text, a trace or an exported journal, wherever it comes from. Runs in browsers.
 *
 * @throws {TroupeError} `trace.unreadable` for a text that is none, or one of a later version.
 */
export const traceInText = (text: string, { name, isGone }: TextReading): Trace => {
  const log = openLog(text, name);
  const { events, problems } = eventsIn(log);
  const { entry } = log.head;
  const notes = log.records.flatMap(({ record }) => noteIn(record) ?? []);
  return {
    account: {
      ...accountOf(events, statusOf(log, notes, isGone), entry.runId),
      ...(events.length === 0 ? { agent: entry.agent, startedAt: entry.createdAt } : {}),
      ...noteFacts(notes),
      ...(log.head.kind === 'trace' ? factsOf(log.head) : {}),
    },
    events,
    steps: stepsIn(events),
    ...resumptionsIn(log),
    damage: problems,
  };
};

/** The status of a run that has not ended. Of an exported journal it is only known that the run may continue. */
const statusOf = (
  { head }: OpenedLog,
  notes: readonly TraceNote[],
  isGone: TextReading['isGone'],
): 'running' | 'interrupted' => {
  if (head.kind === 'journal') return 'running';
  const last = notes.at(-1);
  return last?.kind === 'opened' && !isGone(last.holder) ? 'running' : 'interrupted';
};

const noteFacts = (notes: readonly TraceNote[]): Pick<Trace['account'], 'left' | 'trouble' | 'writer'> => {
  const opened = notes.findLast((note) => note.kind === 'opened');
  const closed = notes.filter((note) => note.kind === 'closed');
  const sum = (of: 'events' | 'cut'): number => closed.reduce((all, { left }) => all + left[of], 0);
  const trouble = closed.findLast((note) => note.trouble !== undefined)?.trouble;
  return {
    ...(closed.length === 0 ? {} : { left: { events: sum('events'), cut: sum('cut') } }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(opened === undefined ? {} : { writer: writerOf(opened) }),
  };
};

const writerOf = ({ holder, node, platform }: Extract<TraceNote, { kind: 'opened' }>) => ({
  holder,
  node,
  platform,
});

const factsOf = ({ facts, factsHash }: Pick<Trace['account'], 'facts' | 'factsHash'>) => ({
  ...(facts === undefined ? {} : { facts }),
  ...(factsHash === undefined ? {} : { factsHash }),
});
