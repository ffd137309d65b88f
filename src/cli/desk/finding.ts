import * as z from 'zod';

/** A verbatim passage of a document that is relevant to the question, with its citation. */
export const findingSchema = z.object({
  text: z.string().describe('The passage, copied word for word: everything of it that bears on the task.'),
  citation: z
    .string()
    .describe('Where it stands, as the tool printed it, without brackets: path:first-last.'),
});

/** The result of a researcher. */
export const findingsSchema = z.object({
  findings: z
    .array(findingSchema)
    .describe('The passages that answer the task, best first; an empty list if there are none.'),
});

export type Finding = z.infer<typeof findingSchema>;
export type Findings = z.infer<typeof findingsSchema>;

/** `path:3-9` or `path:3`, the path without brackets and line feeds. */
const PLACE = /^([^[\]\n]{1,300}):(\d+)(?:-(\d+))?$/;

/** `[path:3-9]` in a text; several may share one pair of brackets, as models like to write them. */
const CITATIONS = /\[([^[\]\n]{1,300}?:\d+(?:-\d+)?(?:\s*[,;]\s*[^[\]\n]{1,300}?:\d+(?:-\d+)?)*)\]/g;

/** Lines of a document. */
export interface Place {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Parses the lines of a citation, with or without brackets; undefined if it is invalid. */
export const placeOf = (citation: string): Place | undefined => {
  const plain = citation.trim().replace(/^\[(.*)\]$/, '$1');
  const [, path, from, to = from] = PLACE.exec(plain) ?? [];
  if (path === undefined || from === undefined || to === undefined) return undefined;
  return { path: path.trim(), from: Number(from), to: Number(to) };
};

/** Checks whether two citations have a line in common. */
export const overlaps = (one: string, other: string): boolean => {
  const [a, b] = [placeOf(one), placeOf(other)];
  return a !== undefined && b !== undefined && a.path === b.path && a.from <= b.to && b.from <= a.to;
};

/** A part of an answer with its citations: none for the text after the last one. */
export interface CitedText {
  readonly text: string;
  readonly citations: readonly string[];
}

/**
 * An answer taken apart at its citations, each of which closes the text before it.
 *
 * @example
 * citedTexts('It is 3. [a.md:1-2] So be it.')
 * // => [{ text: 'It is 3.', citations: ['a.md:1-2'] }, { text: 'So be it.', citations: [] }]
 */
export const citedTexts = (answer: string): readonly CitedText[] => {
  const parts: CitedText[] = [];
  let start = 0;
  for (const match of answer.matchAll(CITATIONS)) {
    const text = answer.slice(start, match.index).trim();
    const citations = (match[1] ?? '')
      .split(/[,;]/)
      .map((each) => each.trim())
      .filter((each) => placeOf(each) !== undefined);
    const last = parts.at(-1);
    if (says(text) || last === undefined) parts.push({ text, citations });
    else parts[parts.length - 1] = { text: last.text, citations: [...last.citations, ...citations] };
    start = match.index + match[0].length;
  }
  const rest = answer.slice(start).trim();
  return says(rest) ? [...parts, { text: rest, citations: [] }] : parts;
};

/** Checks whether there is anything but punctuation. */
const says = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
