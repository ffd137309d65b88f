/** Text of one look. */
export interface InlineRun {
  readonly text: string;
  /** The target, where it is a link. */
  readonly href: string | undefined;
  readonly isStrong: boolean;
  readonly isEmphasis: boolean;
  readonly isCode: boolean;
}

/** Marks a line break within a block: no text of a page holds one, as its spaces are collapsed. */
export const BREAK = '\n';

/** Writes the runs of one block as Markdown, with single spaces; empty without text. */
export const writeRuns = (runs: readonly InlineRun[]): string => {
  const parts: string[] = [];
  for (const group of groupsOf(runs, ({ href }) => href)) {
    const href = group[0]?.href;
    const text = collapse(writeStyles(group));
    if (href === undefined || text.trim() === '') parts.push(text);
    else parts.push(around(text, `[`, `](${href})`, (label) => label.replaceAll(/[[\]]/g, '\\$&')));
  }
  return collapse(parts.join('')).trim();
};

const writeStyles = (runs: readonly InlineRun[]): string =>
  groupsOf(runs, styleOf)
    .map((group) => {
      const text = group.map((run) => run.text).join('');
      const mark = styleOf(group[0]);
      return mark === '`' ? codeOf(text) : around(text, mark, mark);
    })
    .join('');

const styleOf = (run: InlineRun | undefined): string => {
  if (run?.isCode === true) return '`';
  return `${run?.isStrong === true ? '**' : ''}${run?.isEmphasis === true ? '*' : ''}`;
};

/** Marks stand at words, not at spaces. */
const around = (
  text: string,
  start: string,
  end: string,
  write = (inner: string): string => inner,
): string => {
  const inner = text.trim();
  if (inner === '' || start === '') return text;
  const before = /^\s/.test(text) ? ' ' : '';
  const after = /\s$/.test(text) ? ' ' : '';
  return `${before}${start}${write(inner)}${end}${after}`;
};

/** Code, between more backticks than it has in a row. */
const codeOf = (text: string): string => {
  const fence = '`'.repeat(longestTicks(text) + 1);
  const space = fence.length > 1 ? ' ' : '';
  return around(text, `${fence}${space}`, `${space}${fence}`);
};

/** The length of the longest row of backticks. */
export const longestTicks = (text: string): number =>
  text.match(/`+/g)?.reduce((longest, { length }) => Math.max(longest, length), 0) ?? 0;

const collapse = (text: string): string => text.replaceAll(/[^\S\n]+/g, ' ').replaceAll(/ ?\n ?/g, BREAK);

/** Divides runs where a property of theirs changes. */
const groupsOf = (
  runs: readonly InlineRun[],
  property: (run: InlineRun) => string | undefined,
): readonly (readonly InlineRun[])[] => {
  const groups: InlineRun[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    if (last === undefined || first === undefined || property(first) !== property(run)) groups.push([run]);
    else last.push(run);
  }
  return groups;
};
