import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseReasoning, parseRouting } from '../src/actors/strategies/reasoning.ts';
import { stem } from '../src/base/text/stem.ts';
import { decisionOf } from '../src/patterns/state/board-reading.ts';
import { citedTexts } from '../src/cli/desk/finding.ts';
import { oneLine as printableLine, printable } from '../src/base/text/printable.ts';
import { brief, plain } from '../src/inspect/drawing/plain-text.ts';
import { oneLine, truncateText } from '../src/memory/processors/truncate-text.ts';
import { partsOf, workIn } from '../src/models/offline/offline-parts.ts';
import { sectionsOf } from '../src/models/offline/offline-reading.ts';

import { sentencesOf, shorten } from '../src/models/offline/offline-text.ts';
import { unitsOf } from '../src/models/offline/offline-units.ts';
import { expressionIn } from '../src/models/offline/offline-values.ts';
import { offlineModel } from '../src/models/offline/offline.ts';
import { jsonParser } from '../src/models/parsers/json-parser.ts';
import { looseJson } from '../src/models/parsers/loose-json.ts';
import { reactParser } from '../src/models/parsers/react-parser.ts';
import { xmlParser } from '../src/models/parsers/xml-parser.ts';
import { thinkingParser } from '../src/models/thinking/thinking.ts';
import { redactor } from '../src/policy/redaction.ts';
import { calculate } from '../src/tools/built-in/calculator.ts';
import { documentsFrom } from '../src/tools/built-in/documents/documents-from.ts';
import { splitPassages } from '../src/tools/built-in/documents/passages.ts';
import { htmlToMarkdown } from '../src/tools/built-in/web/html/html-to-markdown.ts';
import { jsonSchemaOf } from '../src/tools/schemas/schemas.ts';
import { parseSignature } from '../src/tools/signatures/signature-parse.ts';
import { ask, question, transcript } from './support/ask-model.ts';
import { sampled, sized } from './support/thorough.ts';
import { perform } from './tools/tool-context.ts';

const model = offlineModel();
const said = (text: string) => transcript({ role: 'user', text });
const event = jsonSchemaOf(
  z.object({
    title: z.string(),
    email: z.email(),
    url: z.url(),
    count: z.number(),
    worker: z.enum(['a', 'b']),
    note: z.string(),
    when: z.iso.date(),
  }),
);
const calls = [{ name: 'add', description: 'Adds an event.', parameters: event }];
const redact = redactor({ API_KEY: 'sk-1234567890abcdef', OTHER_TOKEN: 'aaaaaaaaaaaaaaaaaaaaab' });
const SHOWN = { tools: calls };

/** What takes a text from outside, each as it is called with one. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'the offline model asked': (text) => ask(model, question({ messages: said(text), tools: [] })).answer,
  'the offline model with a tool': (text) =>
    ask(model, question({ messages: said(text), tools: calls })).answer,
  'the offline model with an output': (text) =>
    ask(model, question({ messages: said(text), tools: [], output: { name: 'event', schema: event } }))
      .answer,
  'the offline model instructed': (text) =>
    ask(model, question({ instructions: text, messages: said('Which worker?'), tools: [] })).answer,
  'documents read': (text) => splitPassages('a.md', text),
  'source read': (text) => splitPassages('a.ts', text),
  'documents searched': async (text) => {
    const [search] = documentsFrom({ 'a.md': text }).tools;
    return search === undefined ? undefined : perform(search, { query: text.slice(0, 400), limit: 3 });
  },
  'parts of a request': (text) => [partsOf(text), workIn(text)],
  sections: sectionsOf,
  sentences: sentencesOf,
  units: unitsOf,
  'a short text': (text) => shorten(text, text.length - 1),
  expression: expressionIn,
  formula: calculate,
  stem,
  'a page': (text) => [
    htmlToMarkdown(text, 'https://a.example'),
    htmlToMarkdown(`<ul><li><a ${text}`, 'https://a.example'),
  ],
  'the ReAct parser': (text) => reactParser.read(text, SHOWN),
  'the ReAct parser on input': (text) => reactParser.read(`Action: add\nAction Input: ${text}`, SHOWN),
  'the ReAct parser on a call': (text) => reactParser.read(`Action: add(title=${text})`, SHOWN),
  'the JSON parser': (text) => jsonParser.read(text, SHOWN),
  'the JSON parser on a fence': (text) => jsonParser.read(`\`\`\`json\n${text}\n\`\`\``, SHOWN),
  'the XML parser': (text) => xmlParser.read(text, SHOWN),
  'the XML parser on a call': (text) => xmlParser.read(`<add>${text}</add>`, SHOWN),
  'loose JSON': (text) => looseJson(text),
  'loose JSON in an object': (text) => looseJson(`{"a": ${text}`),
  thinking: (text) => [thinkingParser().push(text), thinkingParser().push(`<think>${text}`)],
  'a signature': (text) => parseSignature(text),
  'a signature with a field': (text) => parseSignature(`question: string ${text} -> answer`),
  redaction: redact,
  reasoning: (text) => [parseReasoning(text), parseRouting(text)],
  'a decision of a board': (text) => decisionOf(text, ['a', 'b']),
  'citations of a finding': citedTexts,
  printable: (text) => [printable(text), printableLine(text)],
  'plain text of the inspector': (text) => [plain(text), brief(text)],
  'a line of memory': (text) => [oneLine(text, 200), truncateText(text, 500)],
};

const CHARACTERS = Array.from(' \t\n.,:;!?#-_=+*/\\|<>()[]{}"\'`~@$%^&“”«»aA0é\uFFFD');
const PIECES = [
  '# a ',
  'a ',
  'a.',
  'A b. ',
  'e.g. A ',
  '](',
  '![',
  '[a:1-',
  '“a ',
  '"a" ',
  '{"a":',
  '[{',
  ' and what ',
  'compare a ',
  'compare a and ',
  'a://',
  'a@',
  'a, or ',
  '<a>',
  '<a ',
  '</a',
  '<think>',
  '</think>',
  '```\n',
  '```json\n',
  '\n\n',
  '- a\n',
  'Action: ',
  'Action: add\nAction Input: {\n',
  'Thought: ',
  'title ',
  'title is ',
  'A B ',
  '1,000 ',
  '(1+',
  'a=1,',
  '/* ',
  '*/ ',
  '\\"',
  'twenty ',
  'Worker: a, ',
];

/** A run of one piece within words, and one as it is: what a pattern that goes back has to look at again and again. */
const shapes = (size: number): readonly (readonly [string, string])[] =>
  [...CHARACTERS, ...PIECES].flatMap((piece): [string, string][] => {
    const run = piece.repeat(Math.ceil(size / piece.length));
    return [
      [`${JSON.stringify(piece)} alone`, run],
      [`${JSON.stringify(piece)} in a heading`, `# a${run}b`],
    ];
  });

/** CPU time of this process for one text, in ms. */
const costOnce = async (read: (text: string) => unknown, text: string): Promise<number> => {
  const before = process.cpuUsage();
  try {
    await read(text);
  } catch {
    // A refusal is an answer too: what matters is what it cost.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** The least of several costs: until it is low enough, or `times` are over. What else a machine does only ever adds to a cost. */
const leastCost = async (
  read: (text: string) => unknown,
  text: string,
  { times, enough = 0 }: { readonly times: number; readonly enough?: number },
): Promise<number> => {
  let least = Infinity;
  for (let time = 0; time < times && least > enough; time += 1)
    least = Math.min(least, await costOnce(read, text));
  return least;
};

const SMALL = sized(2_000, 4_000);
const FACTOR = 4;
/** What a quadratic pattern comes to at least: 16,000 characters squared, or half as many. */
const NOTABLE_MS = sized(25, 50);

const entries = Object.entries(readers).map(([name, read], index) => ({ name, read, index }));

describe.each(entries)('$name', ({ read, index: which }) => {
  test('[FIND-49] costs in proportion to its text, whatever is repeated in it', async () => {
    // Some of the shapes for each reader, others for the next.
    const small = sampled(shapes(SMALL), 4, which);
    const grown: string[] = [];
    for (const [index, [name, text]] of sampled(shapes(SMALL * FACTOR), 4, which).entries()) {
      // Only what is notable at all is measured with care.
      if ((await costOnce(read, text)) < NOTABLE_MS) continue;
      const before = await leastCost(read, small[index]?.[1] ?? '', { times: 4 });
      // In proportion is 4 times; squared is 16 times, however often it is measured.
      const enough = Math.max(NOTABLE_MS, before * FACTOR * 2);
      const cost = await leastCost(read, text, { times: 20, enough });
      if (cost > enough) grown.push(`${name}: ${before} ms to ${cost} ms`);
    }
    expect(grown).toEqual([]);
  });
});

test('[FIND-49] a text that is mostly quotes, or lines without commas, is not mended beyond a bound, an honest one of its length is', () => {
  expect(looseJson(`{"a": ${"'“".repeat(45_000)}`)).toBeUndefined();
  expect(looseJson(`{"a": ${'- a\n'.repeat(20_000)}`)).toBeUndefined();
  expect(looseJson(`{"a": ${'“a '.repeat(25_000)}`)).toBeUndefined();
  expect(looseJson(`[${':‘'.repeat(45_000)}]`)).toBeUndefined();
  expect(looseJson(`[${'1 '.repeat(40_000)}`)).toBeUndefined();
  expect(looseJson(`{${'a:1 '.repeat(20_000)}`)).toBeUndefined();
  const numbers = Array.from({ length: 12_000 }, (_, index) => 100_000 + index);
  expect(looseJson(`{a: [${numbers.join(', ')}],}`)?.value).toEqual({ a: numbers });
  const records = Array.from({ length: 3_000 }, (_, index) => `'key${index}': 'some text'`);
  expect(looseJson(`{${records.join(', ')}}`)?.value).toMatchObject({ key2999: 'some text' });
});
