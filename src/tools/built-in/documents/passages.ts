import { trimEndOf } from '../../../base/text/trim-end.ts';
/** Position of a passage in its file, and its heading. */
export interface Span {
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
  /** Offsets into the text of the file. */
  readonly start: number;
  readonly end: number;
  /** Markdown: the headings above, joined by " > ". Source: the name it declares. Else empty. */
  readonly heading: string;
}

/** From this size on, in characters, the next blank line (or documentation comment) ends a passage. */
const ENOUGH = 600;

/** A passage never grows past this, in characters. */
const LONGEST = 1_600;

/**
 * Splits a file into passages: Markdown at its headings, everything else at blank lines and documentation comments.
 *
 * Every line belongs to exactly one passage, except one longer than a passage (minified code): it becomes several, all
 * with the same line number.
 */
export const splitPassages = (path: string, text: string): Span[] => {
  const lines = linesOf(text);
  return isMarkdown(path) ? splitMarkdown(text, lines) : splitSource(text, lines);
};

const isMarkdown = (path: string): boolean => /\.(md|mdx|markdown)$/i.test(path);

/**
 * Returns the fraction of a Markdown passage that is neither table rows nor fenced code, from 0 to 1; 1 for source
 * code.
 */
export const proseShare = (path: string, passage: string): number => {
  if (!isMarkdown(path)) return 1;
  let isFenced = false;
  let prose = 0;
  let whole = 0;
  for (const line of passage.split('\n').map((each) => each.trim())) {
    const isFence = /^(?:```|~~~)/.test(line);
    if (isFence) isFenced = !isFenced;
    whole += line.length;
    if (!isFence && !isFenced && !/^\|.*\|$/.test(line)) prose += line.length;
  }
  return whole === 0 ? 1 : prose / whole;
};

/** A line without its end. */
interface Line {
  readonly start: number;
  readonly end: number;
}

/** Returns start and end of each line of `text`. */
export const linesOf = (text: string): Line[] => {
  const lines: Line[] = [];
  let start = 0;
  while (start <= text.length) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    // As in editors, the empty end after a last line break is not a line.
    if (start < text.length || lines.length === 0) lines.push({ start, end });
    start = end + 1;
  }
  return lines;
};

/** Collects lines into passages. */
class Cutter {
  readonly spans: Span[] = [];
  readonly #text: string;
  readonly #lines: readonly Line[];
  #first = 0;

  constructor(text: string, lines: readonly Line[]) {
    this.#text = text;
    this.#lines = lines;
  }

  /** Length of the current passage up to line `next` (from 0), exclusive. */
  size(next: number): number {
    const start = this.#lines[this.#first]?.start ?? 0;
    return (this.#lines[next]?.start ?? this.#text.length) - start;
  }

  /** Ends the passage before line `next`. */
  cut(next: number, heading: string): void {
    let first = this.#first;
    let last = next - 1;
    while (first <= last && this.#isBlank(first)) first += 1;
    while (last >= first && this.#isBlank(last)) last -= 1;
    this.#first = next;
    const start = this.#lines[first]?.start;
    const end = this.#lines[last]?.end;
    if (first > last || start === undefined || end === undefined) return;
    for (let at = start; at < end; at += LONGEST * 2) {
      const until: number = first === last ? Math.min(end, at + LONGEST * 2) : end;
      this.spans.push({ from: first + 1, to: last + 1, start: at, end: until, heading });
      if (until === end) break;
    }
  }

  #isBlank(index: number): boolean {
    const line = this.#lines[index];
    return line === undefined || this.#text.slice(line.start, line.end).trim() === '';
  }
}

const splitMarkdown = (text: string, lines: readonly Line[]): Span[] => {
  const cutter = new Cutter(text, lines);
  const trail: string[] = [];
  let fence: string | undefined;
  let before = '';
  lines.forEach((line, index) => {
    const content = text.slice(line.start, line.end).trimEnd();
    const marker = /^\s*(```+|~~~+)/.exec(content)?.[1];
    const heading = fence === undefined ? headingAt(text, lines, index, content, before) : undefined;
    const heavy = cutter.size(index);
    const isFull =
      heavy + content.length > LONGEST || (heavy >= ENOUGH && before === '' && fence === undefined);
    if (heading !== undefined || isFull) cutter.cut(index, trail.filter((part) => part !== '').join(' > '));
    if (heading !== undefined) {
      trail.length = heading.level - 1;
      for (let level = 0; level < heading.level - 1; level += 1) trail[level] ??= '';
      trail.push(heading.title);
    }
    if (marker !== undefined) {
      if (fence === undefined) fence = marker;
      else if (marker.startsWith(fence)) fence = undefined;
    }
    before = content.trim();
  });
  cutter.cut(lines.length, trail.filter((part) => part !== '').join(' > '));
  return cutter.spans;
};

const headingAt = (
  text: string,
  lines: readonly Line[],
  index: number,
  content: string,
  before: string,
): { level: number; title: string } | undefined => {
  const marks = /^#{1,6}(?=\s)/.exec(content)?.[0];
  if (marks !== undefined) {
    const title = trimEndOf(content.slice(marks.length).trim(), '#').trimEnd();
    return { level: marks.length, title };
  }
  const next = lines[index + 1];
  if (next === undefined || before !== '' || !/^\w/.test(content)) return undefined;
  const under = text.slice(next.start, next.end).trimEnd();
  if (/^={3,}$/.test(under)) return { level: 1, title: content };
  return /^-{3,}$/.test(under) ? { level: 2, title: content } : undefined;
};

const splitSource = (text: string, lines: readonly Line[]): Span[] => {
  const cutter = new Cutter(text, lines);
  let before = '';
  let declared = '';
  lines.forEach((line, index) => {
    const content = text.slice(line.start, line.end);
    const size = cutter.size(index);
    const isBoundary = before === '' || /^\s*(\/\*\*|#region)/.test(content);
    if (size + content.length > LONGEST || (size >= ENOUGH && isBoundary)) {
      cutter.cut(index, declared);
      declared = '';
    }
    if (declared === '') declared = DECLARATION.exec(content)?.[1] ?? '';
    before = content.trim();
  });
  cutter.cut(lines.length, declared);
  return cutter.spans;
};

const DECLARATION =
  /^\s*(?:export\s+|default\s+|declare\s+|abstract\s+|async\s+|pub\s+)*((?:function|class|interface|type|enum|namespace|module|const|def|fn|func|struct)\s+[\w$]+)/;
