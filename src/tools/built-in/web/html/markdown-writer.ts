import { BREAK, longestTicks, writeRuns, type InlineRun } from './inline-runs.ts';

/** Deeper lists and quotations are written as those of this depth, so that a text grows by what is in it alone. */
const MOST_INDENTS = 8;

/** A list item or a quotation that blocks stand in. */
interface Container {
  /** The beginning of its first line, until that is written. */
  first: string | undefined;
  /** The beginning of each further line. */
  readonly rest: string;
  readonly isItem: boolean;
}

/** A table that is open. */
interface OpenTable {
  /** The cells of the row that is open. */
  cells: string[] | undefined;
  rows: number;
  /** A table with another one in it arranges a page: its cells are blocks. */
  isLayout: boolean;
}

/** Writes blocks of Markdown, as a page is read from its beginning to its end. */
export class MarkdownWriter {
  readonly #parts: string[] = [];
  #runs: InlineRun[] = [];
  readonly #containers: Container[] = [];
  readonly #tables: OpenTable[] = [];
  #heading = 0;
  #isTight = false;

  /** All blocks so far. */
  get markdown(): string {
    this.endBlock();
    return this.#parts.join('').trim();
  }

  /** Number of parts written, as a place between two blocks. */
  get place(): number {
    this.endBlock();
    return this.#parts.length;
  }

  /** The blocks between two places. */
  between(from: number, to: number): string {
    return this.#parts.slice(from, to).join('').trim();
  }

  add(run: InlineRun): void {
    this.#runs.push(run);
  }

  breakLine(): void {
    const last = this.#runs.at(-1);
    if (last !== undefined) this.#runs.push({ ...last, text: BREAK });
  }

  /** Begins a block; with a level from 1 to 6 a heading. */
  beginBlock(heading = 0): void {
    this.endBlock();
    this.#heading = heading;
  }

  endBlock(): void {
    const text = writeRuns(this.#runs);
    this.#runs = [];
    const mark = '#'.repeat(this.#heading);
    this.#heading = 0;
    if (text === '') return;
    const cells = this.#table?.cells;
    if (cells !== undefined) cells.push(`${cells.pop() ?? ''} ${text.replaceAll(BREAK, ' ')}`.trim());
    else if (mark !== '') this.#write([`${mark} ${text.replaceAll(BREAK, ' ')}`]);
    else this.#write(text.split(BREAK));
  }

  /** A line across. */
  rule(): void {
    this.endBlock();
    if (this.#table?.cells === undefined) this.#write(['---']);
  }

  /** Text whose spaces and lines count. */
  preformatted(text: string, language: string): void {
    this.endBlock();
    const trimmed = text.replace(/^\r?\n/, '').trimEnd();
    if (trimmed === '') return;
    const fence = '`'.repeat(Math.max(3, longestTicks(trimmed) + 1));
    this.#write([`${fence}${language}`, ...trimmed.split(/\r?\n/), fence]);
  }

  beginQuotation(): void {
    this.endBlock();
    this.#containers.push({ first: '> ', rest: '> ', isItem: false });
  }

  /** Begins an item of a list, whose first line begins with `mark`. */
  beginItem(mark: string): void {
    this.endBlock();
    this.#containers.push({ first: mark, rest: ' '.repeat(mark.length), isItem: true });
  }

  endContainer(): void {
    this.endBlock();
    this.#containers.pop();
  }

  /** Another list after this one is apart from it. */
  endList(): void {
    this.endBlock();
    this.#isTight &&= this.#containers.length > 0;
  }

  beginTable(): void {
    this.endBlock();
    const outer = this.#table;
    if (outer !== undefined) {
      const cells = outer.cells ?? [];
      outer.isLayout = true;
      outer.cells = undefined;
      for (const cell of cells) if (cell !== '') this.#write([cell]);
    }
    this.#tables.push({ cells: undefined, rows: 0, isLayout: false });
  }

  endTable(): void {
    this.endRow();
    this.#tables.pop();
    this.#isTight = false;
  }

  beginRow(): void {
    this.endRow();
    const table = this.#table;
    if (table !== undefined && !table.isLayout) table.cells = [];
  }

  beginCell(): void {
    this.endBlock();
    this.#table?.cells?.push('');
  }

  endRow(): void {
    this.endBlock();
    const table = this.#table;
    const cells = table?.cells;
    if (table === undefined || cells === undefined) return;
    table.cells = undefined;
    if (cells.every((cell) => cell === '')) return;
    table.rows += 1;
    const row = [`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`];
    if (table.rows === 1) row.push(`|${' --- |'.repeat(cells.length)}`);
    this.#write(row, table.rows > 1);
  }

  get #table(): OpenTable | undefined {
    return this.#tables.at(-1);
  }

  /** Items of a list and rows of a table follow each other without an empty line. */
  #write(lines: readonly string[], follows = false): void {
    const shown = this.#containers.slice(-MOST_INDENTS);
    const begun = shown.findIndex(({ first }) => first !== undefined);
    const isItem = shown[begun]?.isItem === true;
    const rest = shown.map((each) => each.rest).join('');
    const around = shown
      .slice(0, begun < 0 ? undefined : begun)
      .map((each) => each.rest)
      .join('');
    const start = shown.map((each) => each.first ?? each.rest).join('');
    for (const each of shown) each.first = undefined;
    const gap = follows || (isItem && this.#isTight) ? '\n' : `\n${around.trimEnd()}\n`;
    this.#isTight = isItem;
    const text = lines.map((line, index) => `${index === 0 ? start : rest}${line}`.trimEnd()).join('\n');
    this.#parts.push(`${this.#parts.length === 0 ? '' : gap}${text}`);
  }
}
