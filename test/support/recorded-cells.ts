import { existsSync } from 'node:fs';
import { ask, streamed } from './ask-model.ts';
import { fixtures } from './fixtures.ts';
import type { MatrixRow } from './matrix-row.ts';
import { mockProvider, type SeenRequest } from './mock-provider.ts';
import {
  allKept,
  type AnyRecording,
  isWhole,
  recordedReply,
  recordedStreams,
  wireEvents,
} from './provider-streams.ts';
import { resultOf, runRecordedBy } from './recorded-runs.ts';

/** A column of the matrix that an answer decides. */
interface RecordedColumn {
  /** Whether a recorded answer has what the column is about. */
  readonly has: (recorded: AnyRecording) => boolean;
  /** What it comes to. */
  readonly find: (row: MatrixRow, recorded: AnyRecording) => Promise<'yes' | '–'>;
}

const sent = (recorded: AnyRecording): string => wireEvents(recorded).join('');

const CACHED = /"(?:cached_tokens|cache_read_input_tokens|cachedContentTokenCount)":\s*([1-9]\d*)/;

const cachedIn = (recorded: AnyRecording): number => Number(CACHED.exec(sent(recorded))?.[1] ?? 0);

const SEAL = /"(?:encrypted_content|signature|thoughtSignature|thought_signature)":\s*"([^"]+)"/g;

/**
 * What seals a thought, or the thought itself beside calls: the next request has one of them. OpenAI seals an item anew when it is done,
 * and again when the answer is.
 */
const proofsIn = (recorded: AnyRecording): readonly string[] => {
  const done = sent(recorded)
    .split('\n\n')
    .filter((each) => !each.includes('output_item.added'));
  const seals = done.flatMap((each) => [...each.matchAll(SEAL)].map(([, seal = '']) => seal));
  const { reasoning, tool_calls: calls = [] } = recorded;
  return seals.length > 0 || reasoning === undefined || calls.length === 0
    ? seals
    : [JSON.stringify(reasoning).slice(1, -1)];
};

const run = ({ make, says }: MatrixRow, recorded: AnyRecording) =>
  runRecordedBy(recorded, { make, done: says({ text: ['Done.'] }) });

const bodyOf = (request?: SeenRequest): string => JSON.stringify(request?.body ?? null);

const yesIf = (is: boolean): 'yes' | '–' => (is ? 'yes' : '–');

export const recordedColumns: Readonly<Record<string, RecordedColumn>> = {
  stream: {
    has: (recorded) => !isWhole(recorded) && recorded.text !== '',
    find: async ({ make }, recorded) => {
      await using provider = await mockProvider(recordedReply(recorded));
      const { answer, deltas } = ask(make(provider.url));
      return yesIf((await answer).text === recorded.text && streamed(deltas, 'text') === recorded.text);
    },
  },
  calls: {
    has: ({ tool_calls: calls = [] }) => calls.length > 0,
    find: async (row, recorded) => {
      const { result, requests } = await run(row, recorded);
      const next = bodyOf(requests[1]);
      const areBack = recorded.tool_calls?.every(({ name }) => next.includes(resultOf(name)));
      return yesIf(result?.output === 'Done.' && areBack === true);
    },
  },
  'reasoning back': {
    has: (recorded) => proofsIn(recorded).length > 0,
    find: async (row, recorded) => {
      const next = bodyOf((await run(row, recorded)).requests[1]);
      return yesIf(proofsIn(recorded).some((proof) => next.includes(proof)));
    },
  },
  'cache in totals': {
    has: (recorded) => cachedIn(recorded) > 0,
    find: async (row, recorded) => {
      const { result } = await run(row, recorded);
      return yesIf(result?.totals.cachedTokens === cachedIn(recorded));
    },
  },
};

/** Whether the recordings are there that are not kept with the tests. */
const isComplete = existsSync(fixtures('provider-streams'));

const all: readonly AnyRecording[] = [...allKept(), ...(isComplete ? recordedStreams() : [])];

/** The row of the adapter or profile whose recordings a row is tried with: packages of the AI SDK have no others. */
const sourceOf = (row: string): string => {
  const [, vendor] = /^aiSdk\((.+)\)$/.exec(row) ?? [];
  if (vendor === undefined) return row;
  return vendor === 'openai' || vendor === 'anthropic' ? `${vendor}()` : vendor;
};

/** Whether it is one answer: some recordings of Responses have those of several steps in one. */
const isOneAnswer = (recorded: AnyRecording): boolean =>
  recorded.kind !== 'openai-responses' || sent(recorded).split('event: response.completed').length === 2;

/** The recordings that a row of the matrix is tried with, short ones first. */
export const recordingsOf = ({ name, reads = () => true }: MatrixRow): readonly AnyRecording[] => {
  const source = sourceOf(name);
  const isOf = ({ file, kind, profile }: AnyRecording): boolean => {
    if (source === 'openai()') return kind === 'openai-responses' && /^(openai|azure|recorded)\//.test(file);
    if (source === 'anthropic()') return kind === 'anthropic';
    if (source === 'google') return kind === 'google';
    if (source === 'openaiChat()')
      return kind === 'openai-chat' && profile === undefined && /^(alibaba|recorded)\//.test(file);
    return kind === 'openai-chat' && (profile ?? file.split('/')[0]) === source;
  };
  return all
    .filter(
      (recorded) => recorded.verdict === 'ok' && isOf(recorded) && reads(recorded) && isOneAnswer(recorded),
    )
    .toSorted((a, b) => a.events - b.events);
};

/** What a cell is marked with that no recording holds, but the documented form alone. */
const DOCUMENTED = ' ᵈ';

/** The cell of a column as documented, with its mark; a recorded answer that comes to something else is `odd`. */
export const recordedCell = async (row: MatrixRow, name: string, documented: string): Promise<string> => {
  const column = Object.hasOwn(recordedColumns, name) ? recordedColumns[name] : undefined;
  if (column === undefined) return documented;
  const recorded = recordingsOf(row).find(column.has);
  if (recorded === undefined) return `${documented}${DOCUMENTED}`;
  const found = await column.find(row, recorded);
  return found === documented ? found : `odd: ${documented}, but ${found} by ${recorded.file}`;
};

type Cells = Readonly<Record<string, string>>;

/** Cells as they can be compared: without marks where recordings are missing. */
export const comparable = (cells: Cells = {}): Cells =>
  isComplete
    ? cells
    : Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cell.replace(DOCUMENTED, '')]));
