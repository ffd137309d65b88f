import { isJsonObject, type Json, type JsonSchema } from '../../base/json/json.ts';
import { saysNothing } from './offline-answer.ts';
import { citedTexts, plainText } from './offline-evidence.ts';
import type { Reading, Section } from './offline-reading.ts';
import { branchOf, listOf, propertiesOf, resolveSchema, typesOf } from './offline-schema.ts';
import { contentStems, flat, overlap, sentencesOf, shorten, stemSet } from './offline-text.ts';

/** The property that holds the verdict, and its two sides. */
export interface VerdictShape {
  readonly key: string;
  readonly good: Json;
  readonly bad: Json;
}

const GOOD =
  /^(?:accept(?:ed)?|approved?|pass(?:ed)?|ok(?:ay)?|yes|valid|correct|grounded|supported|keep|true)$/i;
const BAD =
  /^(?:revise|reject(?:ed)?|fail(?:ed)?|no|invalid|incorrect|wrong|ungrounded|unsupported|disapproved?|false)$/i;
const JUDGES =
  /^(?:is_?)?(?:approved?|accept(?:ed|able)?|grounded|valid|pass(?:ed|es)?|supported|correct|ok)$/i;

/** Finds the verdict property of a schema: an enum with a good and a bad side, or a boolean such as `approved`. */
export const verdictShape = (schema: JsonSchema): VerdictShape | undefined => {
  for (const [key, property] of Object.entries(propertiesOf(resolveSchema(schema, schema)))) {
    if (!isJsonObject(property)) continue;
    const plain = branchOf(resolveSchema(property, schema), schema);
    const values = listOf(plain['enum']);
    const good = values.find((value) => GOOD.test(plainText(value)));
    const bad =
      values.find((value) => /^revise$/i.test(plainText(value))) ??
      values.find((value) => BAD.test(plainText(value)));
    if (good !== undefined && bad !== undefined) return { key, good, bad };
    if (typesOf(plain).includes('boolean') && JUDGES.test(key)) return { key, good: true, bad: false };
  }
  return undefined;
};

/** A sentence or passage with what it cites, or is cited by. */
export interface Claim {
  readonly citation: string;
  readonly text: string;
}

/** Claims to be judged, and the evidence. */
export interface Trial {
  readonly claims: readonly Claim[];
  readonly evidence: readonly Claim[];
}

const CANDIDATE =
  /\b(?:answer|candidate|draft|claims?|statement|response|report|reply|text|output|proposal)\b/i;
const EVIDENCE =
  /\b(?:evidence|passages?|sources?|findings?|documents?|context|references?|results?|material|quotes?|facts?)\b/i;

/** Extracts the candidate and the evidence from a prompt by their labels, with reports of tools and agents. */
export const trialOf = (reading: Reading): Trial => {
  const { sections } = reading;
  const evidenceAt = sections.findIndex(
    ({ label }) => EVIDENCE.test(label) && !/^(?:the )?(?:candidate|draft|answer)\b/i.test(label),
  );
  const isEvidence = (section: Section, index: number): boolean =>
    section === sections[evidenceAt] ||
    (EVIDENCE.test(section.label) && !CANDIDATE.test(section.label) && index >= 0);
  const candidate = sections.find(
    (section, index) => CANDIDATE.test(section.label) && !isEvidence(section, index),
  )?.body;
  const others = sections.filter((section, index) => isEvidence(section, index)).map(({ body }) => body);
  const more = [...reading.reports, ...reading.calls.filter(({ failed }) => !failed).map(({ text }) => text)];
  return {
    claims: claimsOf(candidate ?? sections.find(({ label }) => label === '')?.body ?? reading.question),
    evidence: [...others, ...more].flatMap((text) => citedTexts(text)),
  };
};

/** Splits a text into sentences with the citation that follows each. Several sentences before one citation share it. */
const claimsOf = (text: string): Claim[] =>
  citedTexts(text)
    .flatMap(({ citation, text: cited }) =>
      sentencesOf(cited.replace(/^[\s.,;]+/, '')).map((sentence) => ({ citation, text: flat(sentence) })),
    )
    .filter(({ text: claim }) => contentStems(claim).length > 0);

/** Returns citations that the claims contain and the evidence does not. */
export const missingEvidence = ({ claims, evidence }: Trial): string[] =>
  [
    ...new Set(claims.flatMap(({ citation }) => citation.split('] [')).filter((citation) => citation !== '')),
  ].filter((citation) => !evidence.some((each) => covers(each.citation, citation)));

/** Minimum part of a claim that must occur in its source. */
const GROUNDED = 0.6;

/** The claims that what they cite does not bear out, in order. */
export const ungroundedClaims = ({ claims, evidence }: Trial): Claim[] => {
  const mustCite = evidence.some(({ citation }) => citation !== '');
  return claims.filter(({ citation, text }) => {
    if (saysNothing(text)) return false;
    const cites = citation.split('] [');
    const held = mustCite
      ? evidence.filter((each) => cites.some((cited) => covers(each.citation, cited)))
      : evidence;
    if (held.length === 0) return true;
    const passage = held.map((each) => each.text).join('\n');
    const words = stemSet(passage);
    const figures = new Set(figuresIn(passage));
    return (
      overlap(contentStems(text), words) < GROUNDED || figuresIn(text).some((figure) => !figures.has(figure))
    );
  });
};

/** Numbers, dates and times in their written form; a claim may leave out none of their digits. */
const figuresIn = (text: string): string[] =>
  (text.match(/\d+(?:[.,:/-]\d+)*/g) ?? []).map((figure) => figure.replaceAll(',', ''));

/** Checks whether a passage is the cited one: the same citation, or lines of the same document that overlap. */
const covers = (passage: string, cited: string): boolean => {
  if (passage === cited) return true;
  const [, path, from, to = from] = LINES.exec(passage) ?? [];
  const [, citedPath, citedFrom, citedTo = citedFrom] = LINES.exec(cited) ?? [];
  return (
    path !== undefined &&
    path === citedPath &&
    Number(from) <= Number(citedTo) &&
    Number(citedFrom) <= Number(to)
  );
};

const LINES = /^(.+):(\d+)(?:-(\d+))?$/;

/** The objection to them, quoting each. */
export const objection = (claims: readonly Claim[]): string =>
  claims
    .slice(0, 3)
    .map(({ citation, text }) =>
      citation === ''
        ? `No passage is cited for “${shorten(text, 300)}”.`
        : `Not borne out by [${citation}]: “${shorten(text, 300)}”.`,
    )
    .join(' ');
