import * as z from 'zod';
import { looseJson } from '../../models/parsers/loose-json.ts';

/** A model's parsed reasoning; `parsed: false` if only the raw text is available. */
export type Reasoning =
  | {
      readonly parsed: true;
      readonly situation: string;
      readonly options: readonly string[];
      readonly decision: string;
      /** From 0 to 1. */
      readonly confidence: number;
      readonly raw: string;
    }
  | { readonly parsed: false; readonly raw: string };

/** A router's parsed reasoning. */
export type RoutingReasoning =
  | {
      readonly parsed: true;
      readonly analysis: string;
      readonly agents: readonly string[];
      readonly match: string;
      readonly phase: string;
      readonly decision: string;
      readonly raw: string;
    }
  | { readonly parsed: false; readonly raw: string };

/** Prompts for the format of {@link parseReasoning}. */
export const REASONING_FORMAT = `Situation: what is the case
Options:
- one way
- another way
Decision: which one, and why
Confidence: from 0 to 1`;

/** Prompts for the format of {@link parseRouting}. */
export const ROUTING_FORMAT = `Analysis: what is asked for
Agents:
- those who could do it
Match: who fits best, and why
Phase: which phase comes next
Decision: what you do`;

const text = z.string().trim().min(1);
const list = z.union([z.array(text), text.transform((items) => itemsOf(items))]).pipe(z.array(text).min(1));

const reasoning = z.object({
  situation: text,
  options: list,
  decision: text,
  confidence: z.union([z.number(), text.transform(ratioOf)]).pipe(z.number().min(0).max(1)),
});

const routing = z.object({ analysis: text, agents: list, match: text, phase: text, decision: text });

/** Parses reasoning written as labelled lines or as JSON; any other text is kept raw. */
export const parseReasoning = (raw: string): Reasoning => {
  const found = reasoning.safeParse(fieldsOf(raw, Object.keys(reasoning.shape)));
  return found.success ? { parsed: true, ...found.data, raw } : { parsed: false, raw };
};

/** Parses a router's reasoning, as {@link parseReasoning} does. */
export const parseRouting = (raw: string): RoutingReasoning => {
  const found = routing.safeParse(fieldsOf(raw, Object.keys(routing.shape)));
  return found.success ? { parsed: true, ...found.data, raw } : { parsed: false, raw };
};

const fieldsOf = (raw: string, names: readonly string[]): unknown => {
  const json = looseJson(raw);
  if (json !== undefined && !json.isTruncated && !Array.isArray(json.value)) return json.value;
  const label = new RegExp(`^[ \\t>*#-]{0,6}(${names.join('|')})[*]{0,2}[ \\t]{0,2}:[*]{0,2}`, 'gim');
  const found = [...raw.matchAll(label)];
  return Object.fromEntries(
    found.map((match, index) => [
      (match[1] ?? '').toLowerCase(),
      raw.slice(match.index + match[0].length, found[index + 1]?.index ?? raw.length).trim(),
    ]),
  );
};

/** Splits lines with bullets or numbers, or a comma-separated list. */
const itemsOf = (items: string): string[] =>
  items
    .split(items.includes('\n') || /^[-*\d]/.test(items) ? '\n' : ',')
    .map((item) => item.replace(/^\s*(?:[-*]|\d{1,3}[.)])\s*/, '').trim())
    .filter((item) => item !== '');

function ratioOf(said: string): number {
  const number = Number.parseFloat(said);
  return /^[\d.\s]*%/.test(said) ? number / 100 : number;
}
