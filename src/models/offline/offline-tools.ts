import { canonical } from '../../base/json/canonical.ts';
import { isJsonObject, type Json, type JsonSchema } from '../../base/json/json.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { stem } from '../../base/text/stem.ts';
import { rate, saysNothing, type Findings } from './offline-answer.ts';
import { quotesIn, type Quote } from './offline-evidence.ts';
import { fill, type Filled } from './offline-fill.ts';
import { partsOf } from './offline-parts.ts';
import type { MadeCall, Reading } from './offline-reading.ts';
import { listOf, propertiesOf, typesOf } from './offline-schema.ts';
import { relatedStems, relatedWords } from './offline-synonyms.ts';
import { contentStems, contentWords } from './offline-text.ts';
import { searchWords, type Material } from './offline-values.ts';

/** A call to make. */
export interface PlannedCall {
  readonly name: string;
  readonly input: Json;
}

/** Number of parts of a request considered for calls: a list of a thousand items is not a plan. */
const MOST_PARTS = 24;
/** Calls for one request in all. */
const MOST_CALLS = 8;
/** Searches with one tool for one part of a request. */
const MOST_SEARCHES = 3;
/** Minimum score for using a tool unasked. */
const FITS = 1.5;

/** Plans the next calls; none once enough is found, or nothing better can be tried. */
export const planCalls = (request: ModelRequest, reading: Reading): PlannedCall[] => {
  const choice = request.toolChoice ?? 'auto';
  if (choice === 'none') return [];
  const tools =
    typeof choice === 'object' ? request.tools.filter(({ name }) => name === choice.name) : request.tools;
  if (tools.length === 0 || reading.calls.length >= MOST_CALLS) return [];
  const parts = partsOf(reading.question).slice(0, MOST_PARTS);
  if (reading.calls.length === 0) {
    const calls = parts.flatMap((part) => firstCall(tools, part, reading, choice === 'auto') ?? []);
    return unmade(calls, reading.calls).slice(0, 4);
  }
  const next = parts.flatMap((part) => nextCalls(tools, part, reading));
  return unmade(next, reading.calls).slice(0, MOST_CALLS - reading.calls.length);
};

/** Removes duplicates and calls that were made before. */
const unmade = (calls: readonly PlannedCall[], made: readonly MadeCall[]): PlannedCall[] => {
  const known = new Set(made.map(({ name, input }) => canonical({ name, input }).toLowerCase()));
  return calls.filter(({ name, input }) => {
    const key = canonical({ name, input }).toLowerCase();
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
};

const firstCall = (
  tools: readonly ToolSpec[],
  part: string,
  reading: Reading,
  mayRefrain: boolean,
): PlannedCall | undefined => {
  const rated = tools.map((tool) => rateTool(tool, part, reading)).sort((a, b) => b.score - a.score);
  const [best] = rated;
  if (best === undefined || (mayRefrain && best.score < FITS)) return undefined;
  return { name: best.tool.name, input: best.filled.value ?? {} };
};

interface RatedTool {
  readonly tool: ToolSpec;
  readonly filled: Filled;
  readonly score: number;
}

/** Scores a tool by its name, its description, and whether the request contains its parameters. */
const rateTool = (tool: ToolSpec, part: string, reading: Reading): RatedTool => {
  const filled = fillCall(tool, part, reading);
  const asked = new Set(contentStems(withOperators(part)));
  const hits = (text: string): number =>
    contentStems(text).reduce(
      (sum, word) =>
        sum + (asked.has(word) ? 1 : relatedStems(word).some((other) => asked.has(other)) ? 0.6 : 0),
      0,
    );
  const names = Object.keys(propertiesOf(tool.parameters));
  const isAsking = asksForWords(tool);
  const named = Math.min(2, hits(tool.name.replace(/[_-]/g, ' ')));
  const described = Math.min(3, hits(tool.description)) * 0.6;
  const base = asked.size === 0 ? 0 : isSearch(tool) ? 1.5 : isAsking ? 1 : 0;
  const complete = filled.missing > 0 ? -3 * filled.missing : filled.found > 0 && !isAsking ? 1 : 0;
  // A tool with parameters that the request does not fill was not meant.
  const mute = names.length > 0 && filled.found === 0 ? -3 : 0;
  return {
    tool,
    filled,
    score: named * 1.5 + described + base + complete + mute + 0.2 * hits(names.join(' ')),
  };
};

const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/\d\s*\+\s*[\d(]/, 'add'],
  [/\d\s*[-−]\s*[\d(]/, 'subtract'],
  [/\d\s*[*×x]\s*[\d(]/, 'multiply'],
  [/\d\s*[/÷]\s*[\d(]/, 'divide'],
  [/\d\s*[-−+*×x/÷^]\s*[\d(]/, 'calculate'],
];

/** A text with the names of the operators in it, as tools are called by them. */
const withOperators = (text: string): string =>
  [text, ...OPERATORS.flatMap(([pattern, name]) => (pattern.test(text) ? [name] : []))].join(' ');

const fillCall = (tool: ToolSpec, part: string, reading: Reading): Filled => {
  const siblings = Object.keys(propertiesOf(tool.parameters));
  const material: Material = {
    // Labelled lines below an order are its details: "Subject: …".
    pool: { text: isWhole(part, reading) ? reading.request : part, used: new Set(), siblings },
    question: part,
    contexts: [reading.request, reading.instructions, ...reading.reports],
    turn: 0,
    purpose: 'call',
  };
  const parameters: JsonSchema = { type: 'object', ...tool.parameters };
  return fill(parameters, tool.name, material, parameters);
};

/** Checks whether a part is the whole question, at the start of a prompt and not under a label. */
const isWhole = (part: string, { request }: Reading): boolean => request.trim().startsWith(part);

const WORDS =
  /^(?:search_?)?(?:query|q|keywords?|terms?|search|question|task|request|prompt|input|text|topic|message)$/i;

/** Returns the parameter for search terms: by its name, or the only required one. */
const wordParameter = (tool: ToolSpec): string | undefined => {
  const properties = propertiesOf(tool.parameters);
  const required = listOf(tool.parameters['required']).filter((name) => typeof name === 'string');
  const others = required.filter((name) => !WORDS.test(name));
  return others.length > 0 ? undefined : Object.keys(properties).find((name) => WORDS.test(name));
};

const asksForWords = (tool: ToolSpec): boolean => wordParameter(tool) !== undefined;

/** Checks whether a tool searches by words. */
const isSearch = (tool: ToolSpec): boolean =>
  asksForWords(tool) &&
  /search|find|look ?up|quer(?:y|ies)|retriev|recall/i.test(
    `${tool.name} ${tool.description}`.replaceAll('_', ' '),
  );

/** Returns quotes from all results of tools. Failures are not evidence. */
export const evidenceOf = (calls: readonly MadeCall[]): Quote[] => {
  const quotes: Quote[] = [];
  const seen = new Set<string>();
  for (const call of calls) {
    if (call.failed || (call.text.length < 300 && saysNothing(call.text))) continue;
    const first = (quotes.at(-1)?.passage ?? -1) + 1;
    for (const quote of quotesIn(call.text, first)) {
      // A repeated text keeps its first, narrower citation.
      if (seen.has(quote.text)) continue;
      seen.add(quote.text);
      quotes.push(quote);
    }
  }
  return quotes;
};

const nextCalls = (tools: readonly ToolSpec[], part: string, reading: Reading): PlannedCall[] => {
  const searched = reading.calls.filter(({ name }) =>
    tools.some((tool) => tool.name === name && isSearch(tool)),
  );
  const last = searched.at(-1);
  const search = tools.find(({ name }) => name === last?.name);
  if (search === undefined || last === undefined) return [];
  const findings = rate(part, evidenceOf(reading.calls));
  if (findings.coverage >= 0.8) return deeper(tools, part, reading, findings);
  const parameter = wordParameter(search);
  if (parameter === undefined || searched.length >= MOST_SEARCHES * partsOf(reading.question).length)
    return deeper(tools, part, reading, findings);
  const words = refineSearch(part, findings, searched.length);
  const { value } = fillCall(search, part, reading);
  return [
    {
      name: search.name,
      input: {
        ...(isJsonObject(value) ? value : {}),
        [parameter]: words,
      },
    },
  ];
};

/** Rephrases a search: first without the words that found nothing, then with synonyms. */
const refineSearch = (part: string, findings: Findings, tries: number): string => {
  const words = contentWords(part);
  const missing = new Set(findings.missing);
  const met = words.filter((word) => !missing.has(stem(word)));
  if (tries === 1 && met.length > 0 && met.length < words.length) return met.join(' ');
  const others = words.flatMap((word) => [word, ...relatedWords(word).slice(0, 3)]);
  const widened = [...new Set(others)].join(' ');
  return widened === searchWords(part)
    ? words
        .toSorted((a, b) => b.length - a.length)
        .slice(0, 2)
        .join(' ')
    : widened;
};

/** Reads on around the best passage, once, if a tool takes what a search printed. */
const deeper = (
  tools: readonly ToolSpec[],
  part: string,
  reading: Reading,
  findings: Findings,
): PlannedCall[] => {
  const [best] = findings.quotes;
  if (best === undefined || best.citation === '' || findings.coverage < 0.35 || best.own >= 0.5) return [];
  for (const tool of tools) {
    if (reading.calls.some(({ name }) => name === tool.name)) continue;
    const input = referenceInput(tool, best.citation);
    if (input !== undefined) return [{ name: tool.name, input }];
  }
  return [];
};

const REFERENCES = /^(?:citation|reference|ref|source|id|path|file|file_?path|url|uri|key|document)$/i;

/**
 * Returns the input of a tool that takes a reference, such as the citation of a passage; undefined for any other tool.
 */
export const referenceInput = (tool: ToolSpec, citation: string): Json | undefined => {
  const properties = propertiesOf(tool.parameters);
  const names = Object.keys(properties);
  const reference = names.find((name) => REFERENCES.test(name));
  const required = listOf(tool.parameters['required']);
  if (reference === undefined || required.some((name) => name !== reference)) return undefined;
  const lines = /^(.+):(\d+)(?:-(\d+))?$/.exec(citation);
  const path = names.find((name) => /^(?:path|file|file_?path|document)$/i.test(name));
  const from = names.find(
    (name) => /^(?:from|start|first|start_?line)$/i.test(name) && isInteger(properties[name]),
  );
  const to = names.find((name) => /^(?:to|end|last|end_?line)$/i.test(name) && isInteger(properties[name]));
  if (
    lines?.[1] !== undefined &&
    path !== undefined &&
    from !== undefined &&
    to !== undefined &&
    required.length === 0
  ) {
    return {
      [path]: lines[1],
      [from]: Math.max(1, Number(lines[2]) - 10),
      [to]: Number(lines[3] ?? lines[2]) + 25,
    };
  }
  return { [reference]: reference === path && lines?.[1] !== undefined ? lines[1] : citation };
};

const isInteger = (schema: Json | undefined): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  !Array.isArray(schema) &&
  'type' in schema &&
  typesOf(schema).some((type) => type === 'integer' || type === 'number');
