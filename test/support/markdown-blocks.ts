/** A fenced block of code in a Markdown file. */
export interface CodeBlock {
  readonly language: string;
  /** The words after the language, e.g. `no-run`. */
  readonly marks: readonly string[];
  readonly code: string;
  /** The line of its first line of code, from 1. */
  readonly line: number;
}

/** Every fenced block of a Markdown text. A fence may be indented, in a list, or longer than three. */
export const codeBlocks = (markdown: string): CodeBlock[] =>
  [...markdown.matchAll(/^([ \t]*)(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)^[ \t]*\2[ \t]*$/gm)].map((match) => {
    const [whole, indent = '', , info = '', body = ''] = match;
    const [language = '', ...marks] = info.trim().split(/\s+/);
    const before = markdown.slice(0, match.index + whole.indexOf('\n') + 1);
    return {
      language,
      marks,
      code: body
        .split('\n')
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join('\n'),
      line: before.split('\n').length,
    };
  });
