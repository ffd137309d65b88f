import { isJsonObject, type Json } from '../../base/json/json.ts';
import {
  modelAnswer,
  type Model,
  type ModelAnswer,
  type ModelRequest,
} from '../../contracts/models/model.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import {
  compose,
  isAnswered,
  notFound,
  rate,
  saysNothing,
  select,
  withoutObjected,
  type RatedQuote,
} from './offline-answer.ts';
import { citationsIn, jsonIn, quotesIn, statement, type Quote } from './offline-evidence.ts';
import { fill } from './offline-fill.ts';
import { missingEvidence, objection, trialOf, ungroundedClaims, verdictShape } from './offline-judge.ts';
import { partsOf, workIn } from './offline-parts.ts';
import { sectionsLabelled, readRequest, type Reading } from './offline-reading.ts';
import { evidenceOf, planCalls, referenceInput, type PlannedCall } from './offline-tools.ts';
import type { Found, Material } from './offline-values.ts';

/**
 * Creates a model without a network, a key or an LLM: embedded, deterministic, and declared as such (`isLanguageModel`
 * is false). It follows general rules: it searches and calculates with tools that match the request, answers by quoting
 * their results with citations, splits a request into parts, and judges claims by the evidence they cite. Values for
 * other parameters and properties are taken as they are: numbers, quoted texts, and what stands after the property's
 * name; dates, units and the like are not understood. Results of tools are only quoted, never followed as instructions.
 *
 * It answers synchronously. Its usage is an estimate: four characters a token.
 *
 * @example
 * const clerk = agent({ name: 'clerk', model: offlineModel(), tools: [documents('./handbook')] });
 * (await clerk.run('How many days of leave are there?')).output;
 * // => 'Everybody has 30 days of leave a year. [leave.md:3-5]'
 */
export const offlineModel = (): Model => ({
  provider: 'offline',
  id: 'offline',
  isLanguageModel: false,
  answer(request, call) {
    const answer = answerTo(request);
    if (call.isWatched && answer.text !== '') call.delta({ type: 'text', text: answer.text });
    return answer;
  },
});

const answerTo = (request: ModelRequest): ModelAnswer => {
  const reading = readRequest(request);
  const calls = callsFor(request, reading);
  const text = calls.length > 0 ? '' : textFor(request, reading);
  const spent = text === '' ? JSON.stringify(calls) : text;
  return modelAnswer({
    text,
    calls,
    usage: { input: tokensOf(request), output: tokens(spent), isEstimate: true },
  });
};

const callsFor = (request: ModelRequest, reading: Reading): ToolCall[] => {
  const shape = request.output === undefined ? undefined : verdictShape(request.output.schema);
  const planned = shape === undefined ? planCalls(request, reading) : evidenceCalls(request, reading);
  return planned.map(({ name, input }, index) => ({
    id: `offline_${reading.calls.length + index}`,
    name,
    input,
  }));
};

/** A judge reads citations that are not in the prompt, if a tool accepts them. */
const evidenceCalls = (request: ModelRequest, reading: Reading): PlannedCall[] => {
  if (request.toolChoice === 'none') return [];
  const missing = missingEvidence(trialOf(reading)).slice(0, 8);
  return reading.calls.length > 0
    ? []
    : missing.flatMap((citation) => {
        for (const tool of request.tools) {
          const input = referenceInput(tool, citation);
          if (input !== undefined) return [{ name: tool.name, input }];
        }
        return [];
      });
};

const textFor = (request: ModelRequest, reading: Reading): string => {
  if (request.output === undefined) return answerFrom(reading, hasTools(request)).text;
  const { schema } = request.output;
  const shape = verdictShape(schema);
  const found = shape === undefined ? collectFindings(reading, hasTools(request)) : undefined;
  const base: Material = {
    pool: { text: reading.question, used: new Set(), siblings: [] },
    question: reading.question,
    contexts: [reading.request, reading.instructions, ...reading.reports],
    turn: 0,
    purpose: 'answer',
    found,
  };
  if (shape === undefined)
    return JSON.stringify(fill(schema, request.output.name, base, schema).value ?? null);
  const wrong = ungroundedClaims(trialOf(reading));
  const note = wrong.length === 0 ? 'Every sentence is borne out by what it cites.' : objection(wrong);
  const material = { ...base, found: { text: note, quotes: [], coverage: wrong.length === 0 ? 1 : 0 } };
  const filled = fill(schema, request.output.name, material, schema).value;
  const values = isJsonObject(filled) ? filled : {};
  return JSON.stringify({ ...values, [shape.key]: wrong.length === 0 ? shape.good : shape.bad });
};

const hasTools = (request: ModelRequest): boolean =>
  request.tools.length > 0 && request.toolChoice !== 'none';

/** Collects the material for an answer; undefined if neither tools nor agents reported anything. */
const collectFindings = (reading: Reading, hadTools: boolean): Found | undefined => {
  if (reading.calls.length === 0 && !isGiven(reading)) return undefined;
  return answerFrom(reading, hadTools);
};

const FINDINGS =
  /finding|evidence|passage|source|result|material|note|context|research|answer|report|document|quote|fact|said|repl/i;

/** `[researcher] task` above a report. */
const NAMED = /^\[[\w .-]+\] [^\n]*(?=\n)/gm;

/** Returns texts within the prompt to answer from: sections labelled so, or with citations. */
const textsIn = (reading: Reading): string[] => [
  ...sectionsLabelled(reading.sections, FINDINGS).map(({ body }) => body),
  ...reading.sections
    .filter(
      ({ label, body }) => !FINDINGS.test(label) && body !== reading.question && citationsIn(body).length > 0,
    )
    .map(({ body }) => body),
  ...reading.reports,
];

/** Checks whether there was any material to answer from, even an empty one. */
const isGiven = (reading: Reading): boolean =>
  reading.reports.length > 0 ||
  sectionsLabelled(reading.sections, FINDINGS).length > 0 ||
  textsIn(reading).length > 0;

/** All of it that can be quoted; passages are counted from `first`. */
const findingsIn = (reading: Reading, first: number): Quote[] => {
  const quotes: Quote[] = [];
  for (const text of textsIn(reading).map((each) => each.replace(NAMED, '')))
    quotes.push(...quotesIn(text, (quotes.at(-1)?.passage ?? first - 1) + 1));
  // Questions are not answers, and reports of finding nothing are not findings.
  return quotes.filter(({ text }) => !text.endsWith('?') && !saysNothing(text));
};

const answerFrom = (reading: Reading, hadTools: boolean): Found => {
  const plain = plainResults(reading);
  if (plain !== undefined) return { text: plain, quotes: [{ text: plain, citation: '' }], coverage: 1 };
  const returned = evidenceOf(reading.calls);
  const all = [...returned, ...findingsIn(reading, (returned.at(-1)?.passage ?? -1) + 1)];
  const quotes = withoutObjected(all, reading.notes);
  // Each side of a comparison was asked separately, so each has its own findings.
  const parts = reading.calls.length > 0 ? partsOf(reading.question) : workIn(reading.question);
  const chosen: RatedQuote[] = [];
  const open: string[] = [];
  let coverage = 1;
  for (const part of parts) {
    const findings = rate(part, quotes);
    coverage = Math.min(coverage, findings.coverage);
    if (!isAnswered(part, findings, reading.calls.length === 0)) {
      open.push(part);
      continue;
    }
    for (const quote of select(part, findings, parts.length > 1 ? 1 : 2)) {
      if (!chosen.some((other) => other.text === quote.text)) chosen.push(quote);
    }
  }
  const where =
    reading.calls.length > 0
      ? 'what the tools returned'
      : isGiven(reading)
        ? 'what I was given'
        : hadTools
          ? 'anything that the tools offer'
          : 'the conversation, and as an offline model I know nothing else';
  if (chosen.length === 0) return { text: notFound(reading.question, where), quotes: [], coverage: 0 };
  const answer = [compose(chosen), ...open.map((part) => notFound(part, where))].join(' ');
  return { text: answer, quotes: chosen, coverage };
};

/** States results that are values rather than texts verbatim; failures too, if nothing else came back. */
const plainResults = (reading: Reading): string | undefined => {
  const { calls } = reading;
  if (calls.length === 0) return undefined;
  const good = calls.filter(({ failed }) => !failed);
  if (good.length === 0) return calls.map(({ name, text }) => `The tool ${name} failed: ${text}`).join('\n');
  if (!good.every(({ text }) => isPlain(text))) return undefined;
  const stated = good.map(({ text }) => valueText(text));
  return stated.length === 1 ? stated[0] : stated.join('\n');
};

const isPlain = (text: string): boolean => {
  const value = jsonIn(text);
  if (value !== undefined) return text.length < 400 && !/"text":|"citation":/.test(text);
  return (
    text.length < 300 && !text.includes('\n') && !/\[[^[\]]+:\d+(?:-\d+)?\]/.test(text) && !saysNothing(text)
  );
};

const valueText = (text: string): string => {
  const value: Json | undefined = jsonIn(text);
  return value === undefined ? text.trim() : statement(value);
};

const tokens = (text: string): number => Math.ceil(text.length / 4);

const tokensOf = (request: ModelRequest): number => {
  let characters = request.instructions.length + JSON.stringify(request.tools).length;
  for (const turn of request.messages) characters += turn.text.length;
  return Math.ceil(characters / 4);
};
