import type { History } from '../../base/collections/history.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type {
  Processor,
  Summarised,
  Summariser,
  Summary,
  SummaryRequest,
} from '../../contracts/conversations/processor.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { TurnCounter } from '../tokens/count-tokens.ts';
import { project, type ProjectOptions, type Projection } from './project.ts';
import { truncateText } from './truncate-text.ts';
import { firstUserIndex } from './turn-blocks.ts';

/** A projection, with the summary that it now rests on. */
export interface Compacted {
  readonly projection: Projection;
  /** To be stored for the next time; unchanged if nothing was summarised. */
  readonly summary: Summary | undefined;
  readonly usage?: Usage | undefined;
  /** The summariser's error; the turns were dropped. */
  readonly problem?: unknown;
}

/** Tokens of a summary. */
const LONGEST = 200;

/**
 * Projects a history and summarises turns that the processors omit.
 *
 * Without a summariser, or with nothing new to summarise, it is synchronous. A failed summariser costs the turns to be
 * summarised, not the run.
 */
export const compact = (
  history: History<Turn>,
  processors: readonly Processor[],
  options: ProjectOptions & { readonly summariser?: Summariser | undefined; readonly signal?: AbortSignal },
): Compacted | Promise<Compacted> => {
  const counter = options.counter ?? new TurnCounter();
  const facts = { ...options, counter };
  const projection = project(history, processors, facts);
  const { summary, summariser } = options;
  const wanted = projection.notes.filter((note) => note.kind === 'wants-summary').at(-1);
  if (wanted === undefined || summariser === undefined) return { projection, summary };
  return summariseRange(history, { from: wanted.from, to: wanted.to }, summariser, facts).then(
    ({ summary: made, ...cost }) => ({
      projection: project(history, processors, { ...facts, summary: made }),
      summary: made,
      ...cost,
    }),
  );
};

const summariseRange = async (
  history: History<Turn>,
  { from, to }: { from: number; to: number },
  summariser: Summariser,
  { summary, counter, signal, pins = [] }: ProjectOptions & { counter: TurnCounter; signal?: AbortSignal },
): Promise<{ summary: Summary; usage?: Usage | undefined; problem?: unknown }> => {
  const view = new HistoryView(history);
  // What is shown anyway needs no summary.
  const pinned = new Set([firstUserIndex(view), ...pins]);
  const turns: Turn[] = [];
  for (let index = from; index < to; index += 1) {
    const turn = view.at(index);
    if (turn !== undefined && !pinned.has(index)) turns.push(turn);
  }
  const previous = summary?.text ?? '';
  const request: SummaryRequest = { previous, turns, maxTokens: LONGEST };
  const dropped: Summary = { upTo: to, text: previous };
  let made: Summarised;
  let text: string;
  try {
    made = await summariser.summarise(request, signal ?? new AbortController().signal);
    text = truncateText(made.text.trim(), LONGEST * 4);
  } catch (problem) {
    // The earlier summary is kept.
    return { summary: dropped, problem };
  }
  const before = turns.reduce((all, turn) => all + counter.count(turn), 0);
  // A summary longer than the turns it replaces is useless.
  const asTurn: Turn = { role: 'user', from: 'runtime', text: `${' '.repeat(32)}${text}` };
  const isShorter = counter.count(asTurn) <= before + (previous === '' ? 0 : previous.length / 4);
  return { summary: isShorter ? { upTo: to, text } : dropped, usage: made.usage };
};
