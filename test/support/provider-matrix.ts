import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { JsonObject } from '../../src/base/json/json.ts';
import type { Content } from '../../src/contracts/content/part.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { pdf, png, wav } from '../content/pictures.ts';
import { ask, question, streamed } from './ask-model.ts';
import { judgingProvider, type Reply, type SeenRequest } from './mock-provider.ts';
import type { MatrixRow } from './matrix-row.ts';
import { recordedCell } from './recorded-cells.ts';
import type { WireAnswer } from './wire-answers.ts';

export const THOUGHT = 'It may well rain.';

const PROOF = 'sealed+/=';

/** Tokens that were read from the cache, of ten. */
const CACHED = 7;

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});

const callOf = (city: string) => ({ name: 'weather', arguments: JSON.stringify({ city }) });

interface Asked {
  readonly result?: RunResult<unknown>;
  readonly code?: string;
  /** What the provider was sent, a text for each request. */
  readonly sent: readonly string[];
}

interface Clerk {
  readonly tools?: true;
  readonly output?: z.ZodType;
  readonly runs?: JsonObject;
}

/** Runs a clerk whose model gives these answers in order, over HTTP. */
const run = async (
  { make }: MatrixRow,
  replies: readonly (Reply | ((request: string) => Reply))[],
  input: Content,
  { tools, output, runs }: Clerk = {},
): Promise<Asked> => {
  const sent: string[] = [];
  await using provider = await judgingProvider((request: SeenRequest, index) => {
    const body = JSON.stringify(request.body);
    sent.push(body);
    const reply = replies[index];
    if (typeof reply === 'function') return reply(body);
    return reply ?? { status: 418, pieces: ['{"error":{"message":"no reply left"}}'] };
  });
  const model = make(provider.url);
  const clerk = agent({
    name: 'clerk',
    model,
    failures: { retry: { attempts: 1 } },
    ...(tools === undefined ? {} : { tools: [weather] }),
    ...(output === undefined ? {} : { output }),
    ...(runs === undefined ? {} : { settings: { providerTools: { [model.provider]: [runs] } } }),
  });
  try {
    return { result: await clerk.run(input), sent };
  } catch (thrown) {
    if (!isTroupeError(thrown)) throw thrown;
    return { code: thrown.code, sent };
  }
};

const YES = 'yes';
const NO = '–';

const done: WireAnswer = { text: ['Done.'] };

/** Whether bytes reach the provider as they are; if not, it must not be asked at all. */
const taking = async (
  row: MatrixRow,
  type: 'image' | 'file' | 'audio',
  data: Uint8Array,
): Promise<string> => {
  const { result, code, sent } = await run(row, [row.says(done)], [{ type, data }]);
  const bytes = Buffer.from(data).toString('base64');
  if (result?.output === 'Done.' && sent.some((each) => each.includes(bytes))) return YES;
  return code === 'model.content-refused' && sent.length === 0 ? NO : `odd: ${code}, ${sent.length} asked`;
};

const report = z.object({ city: z.string() });

/** The tool that packages of the AI SDK declare for an output where their provider takes no schema. */
const OUTPUT_TOOL = '"name":"json"';

/** The form in which an output is asked for: it is in the request that has the schema. */
const formOf = async (row: MatrixRow, tools?: true): Promise<string> => {
  const written = '{"city":"Bonn"}';
  const reply = (request: string): Reply =>
    row.says(
      request.includes(OUTPUT_TOOL) ? { calls: [{ name: 'json', arguments: written }] } : { text: [written] },
    );
  const { result, sent } = await run(row, [reply], 'Where?', {
    output: report,
    ...(tools === undefined ? {} : { tools }),
  });
  const [request = ''] = sent;
  if (JSON.stringify(result?.output) !== '{"city":"Bonn"}') return 'odd: no output';
  if (/"(json_schema|output_config|output_format|responseSchema|responseJsonSchema)"/.test(request))
    return 'schema';
  if (request.includes('"json_object"')) return 'JSON';
  if (request.includes(OUTPUT_TOOL)) return 'a tool';
  return /JSON Schema/i.test(request) ? 'words' : 'odd: nothing asks for it';
};

/** Usage of which a part was read from the cache, as each API counts it. */
const withCached = (reply: Reply): Reply => ({
  ...reply,
  pieces: (reply.pieces ?? []).map((piece) =>
    String(piece)
      .replaceAll(
        '"prompt_tokens":10',
        `"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":${CACHED}}`,
      )
      .replace(
        /("response":\{"id":"resp_1".*)"input_tokens":10/,
        `$1"input_tokens":10,"input_tokens_details":{"cached_tokens":${CACHED}}`,
      )
      .replace(
        /("type":"message_start".*)"input_tokens":10/,
        `$1"input_tokens":3,"cache_read_input_tokens":${CACHED}`,
      )
      .replace('"promptTokenCount":10', `"promptTokenCount":10,"cachedContentTokenCount":${CACHED}`),
  ),
});

/** The columns of the matrix: what each cell says is what a run over HTTP comes to. */
export const matrixColumns: Readonly<Record<string, (row: MatrixRow) => Promise<string>>> = {
  stream: async ({ make, says }) => {
    await using provider = await judgingProvider(() => says({ text: ['Sun', 'ny.'] }));
    const { answer, deltas } = ask(make(provider.url), question());
    const { text } = await answer;
    const pieces = deltas.filter(({ type }) => type === 'text').length;
    return text === 'Sunny.' && streamed(deltas, 'text') === text && pieces > 1 ? YES : 'odd: in one piece';
  },
  calls: async (row) => {
    const both: WireAnswer = { calls: [callOf('Bonn'), callOf('Celle')] };
    const { result, sent } = await run(row, [row.says(both), row.says(done)], 'Weather?', { tools: true });
    const told = ['Rain in Bonn.', 'Rain in Celle.'].every((each) => sent[1]?.includes(each));
    return result?.output === 'Done.' && told ? YES : 'odd: a result is missing';
  },
  images: (row) => taking(row, 'image', png()),
  PDFs: (row) => taking(row, 'file', pdf()),
  sound: (row) => taking(row, 'audio', wav()),
  'reasoning back': async (row) => {
    const thinks =
      row.thinks ?? row.says({ thinking: { text: THOUGHT, proof: PROOF }, calls: [callOf('Bonn')] });
    const { result, sent } = await run(row, [thinks, row.says(done)], 'Weather?', { tools: true });
    if (result?.output !== 'Done.') return 'odd: no answer';
    return sent[1]?.includes(row.proof ?? THOUGHT) === true ? YES : NO;
  },
  output: async (row) => {
    const [alone, beside] = [await formOf(row), await formOf(row, true)];
    return alone === beside ? alone : `${alone}, beside tools ${beside}`;
  },
  'cache in totals': async (row) => {
    const { result } = await run(row, [withCached(row.says(done))], 'Hello?');
    return result?.totals.cachedTokens === CACHED ? YES : NO;
  },
  'its own tools': async (row) => {
    if (row.runs === undefined) return NO;
    const [runs, declared] = row.runs;
    const { sent } = await run(row, [row.says(done)], 'Look it up.', { runs });
    return sent[0]?.includes(declared) === true ? YES : 'odd: not declared';
  },
};

/** The matrix as `docs/providers.md` has it: the cells of each row, by the name of the provider and that of the column. */
export const matrixOfPage = (): ReadonlyMap<string, Readonly<Record<string, string>>> => {
  const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
  const [, table = ''] = /^## Matrix$[\s\S]*?\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const [head = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(
    rows.map(([name = '', ...cells]) => [
      name.replaceAll('`', ''),
      Object.fromEntries(cells.map((cell, index) => [head[index + 1] ?? '', cell])),
    ]),
  );
};

/** The whole row as a run of each column comes to it, by what was recorded where there is such a thing. */
export const matrixRowOf = async (row: MatrixRow): Promise<Readonly<Record<string, string>>> => {
  const cells: Record<string, string> = {};
  for (const [column, find] of Object.entries(matrixColumns))
    cells[column] = await recordedCell(row, column, await find(row));
  return cells;
};
