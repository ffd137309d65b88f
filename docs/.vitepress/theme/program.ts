import { transform } from 'sucrase';

/** The reason why a program does not run, and the line that it is about. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** The exports of a module that programs may import; undefined for one that they may not. */
export type ExportsOf = (from: string) => readonly string[] | undefined;

const IMPORT = /^import\s*(?:\*\s*as\s+(\w+)|\{([^}]*)\})\s*from\s*(['"])([^'"\n]+)\3;?/gm;

/**
 * TypeScript as JavaScript whose imports are looked up in `modules`, line for line: its types are taken off, not checked.
 *
 * @throws {ProgramError} for what cannot be parsed, and for imports that there are not.
 */
export const compiled = (text: string, exportsOf: ExportsOf): string => {
  const stripped = withoutTypes(text);
  const code = stripped.replaceAll(
    IMPORT,
    (_whole: string, all: string | undefined, names = '', _, from: string, at: number) => {
      const line = lineAt(stripped, at);
      const known = exportsOf(from);
      if (known === undefined) throw new ProgramError(`'${from}' is not loaded in this page`, line);
      const module = `modules[${JSON.stringify(from)}]`;
      if (all !== undefined) return `const ${all} = ${module};`;
      const missing = String(names)
        .split(',')
        .map((name) => name.trim().split(/\s+as\s+/)[0] ?? '')
        .find((name) => name !== '' && !known.includes(name));
      if (missing !== undefined) throw new ProgramError(`'${from}' has no '${missing}' in this page`, line);
      return `const {${String(names).replaceAll(/\s+as\s+/g, ': ')}} = ${module};`;
    },
  );
  const left = /^import\s[^\n]*/m.exec(code);
  if (left !== null) throw new ProgramError(`A page cannot carry out: ${left[0]}`, lineAt(code, left.index));
  return code;
};

const withoutTypes = (text: string): string => {
  try {
    return transform(text, { transforms: ['typescript'], disableESTransforms: true }).code;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const [, words = message, line] = /^(.*?)\s*\((\d+):\d+\)$/s.exec(message) ?? [];
    throw new ProgramError(
      words.replace(/^Error transforming.*?: /, ''),
      line === undefined ? undefined : Number(line),
    );
  }
};

/** What is taken off leaves its lines behind, so that a line of the code is that of the text. */
const lineAt = (code: string, at: number): number => code.slice(0, at).split('\n').length;

/** The line of a program at which a browser stops reading it: it says so of scripts only. */
export const unreadableLine = (code: string): number | undefined => {
  let line: number | undefined;
  const hear = (event: ErrorEvent): void => {
    line = event.lineno - 1;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('error', hear, true);
  const script = document.createElement('script');
  // A function that nobody calls.
  script.textContent = `(async function (modules, console) {\n${code}\n});`;
  document.head.append(script);
  script.remove();
  removeEventListener('error', hear, true);
  return line;
};

/** A piece of a program, and its kind for highlighting. */
export interface Piece {
  readonly text: string;
  readonly kind: 'comment' | 'string' | 'word' | 'number' | 'plain';
}

const PIECES =
  /(\/\/.*|\/\*[\s\S]*?\*\/)|(`(?:\\[\s\S]|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|\b(as|async|await|break|case|catch|class|const|continue|default|else|enum|export|extends|false|finally|for|from|function|if|import|in|interface|let|new|null|of|return|satisfies|switch|this|throw|true|try|type|typeof|undefined|while|yield)\b|\b(\d[\d_.]*)\b/g;

/** A program in the pieces that are coloured. */
export const piecesOf = (text: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    const [whole, comment, string, word] = match;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), kind: 'plain' });
    const kind = comment ? 'comment' : string ? 'string' : word ? 'word' : 'number';
    pieces.push({ text: whole, kind });
    end = match.index + whole.length;
  }
  return [...pieces, { text: text.slice(end), kind: 'plain' }];
};
