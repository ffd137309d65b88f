import { flat, sentencesOf } from './offline-text.ts';

/** A self-contained unit of a text: a sentence, a list item, a line of code, a heading. */
export interface Unit {
  readonly text: string;
  /** Sentences of one paragraph share it. */
  readonly block: number;
  readonly kind: 'prose' | 'code' | 'row' | 'heading';
}

/** Takes a text of any kind (Markdown, source with its comments, plain) apart into what can be quoted. */
export const unitsOf = (text: string): Unit[] => {
  const units: Unit[] = [];
  let block = 0;
  let prose: string[] = [];
  let isFenced = false;
  let isComment = opensInComment(text);
  const flush = (): void => {
    for (const sentence of sentencesOf(prose.join('\n')))
      units.push({ text: flat(sentence), block, kind: 'prose' });
    prose = [];
    block += 1;
  };
  const single = (content: string, kind: Unit['kind']): void => {
    flush();
    units.push({ text: flat(content), block, kind });
  };
  for (const raw of text.split('\n')) {
    if (/^\s*\/\*/.test(raw)) isComment = true;
    const line = isComment
      ? raw.replace(/^\s*(?:\/\*\*?|\*(?!\/))\s?/, '')
      : raw.replace(/^\s*(?:\/\/+|>+)\s?/, '');
    const content = line.replace(/(?<!\s)\s*\*\/\s*$/, '');
    if (/^\s*(```|~~~)/.test(content)) {
      flush();
      isFenced = !isFenced;
    } else if (/^\s*(?:={3,}|-{3,})\s*$/.test(content) && prose.length === 1) {
      // The line above is a title.
      const [title = ''] = prose.splice(0);
      single(title, 'heading');
    } else if (
      content.trim() === '' ||
      isDecoration(content) ||
      /^\s*([=-]{3,}|\|[\s|:-]+\|)\s*$/.test(content)
    )
      flush();
    else if (/^\s*#{1,6}\s/.test(content)) single(content.replace(/^\s*#+\s*/, ''), 'heading');
    else if (isFenced || (!isComment && isCode(raw))) single(content, 'code');
    else if (/^\s*\|.*\|\s*$/.test(content)) single(content, 'row');
    else if (/^\s*(?:[-*+•]\s|\d+[.)]\s|\||@\w|\[[^\]]+\]:)/.test(content)) {
      flush();
      prose.push(content.replace(/^\s*(?:[-*+•]|\d+[.)])\s+/, ''));
    } else prose.push(content);
    if (raw.includes('*/')) isComment = false;
  }
  flush();
  // The target of a link carries no content.
  return units.filter(({ text: unit }) => /[\p{L}\p{N}]/u.test(unit) && !/^\[[^\]]+\]:\s*\S+$/.test(unit));
};

/** Checks whether a passage starts inside a comment: one ends before the first starts. */
const opensInComment = (text: string): boolean => {
  const end = text.indexOf('*/');
  const start = text.indexOf('/*');
  return end >= 0 && (start < 0 || end < start) && /^\s*\*/.test(text);
};

/** Checks whether a line has nothing but images, linked images and HTML elements; any other line is quoted. */
const isDecoration = (line: string): boolean =>
  /[<[]/.test(line) &&
  !/[\p{L}\p{N}]/u.test(
    line.replace(/\[!\[[^[\]]*\]\([^()]*\)\]\([^()]*\)|!\[[^[\]]*\]\([^()]*\)|<[^<>]*>/g, ''),
  );

const isCode = (line: string): boolean =>
  !/^\s*(?:\/\/|>|[-*] )/.test(line) &&
  (/[;{}]\s*(?:\/\/.*)?$|=>|^\s*[\w$.]+\(.*\)\s*,?$|^\s*["'\w$-]+:\s.*,$/.test(line) ||
    /^\s*(?:import|export|const|let|var|function|return|if|for|class|interface|type)\s[^.]*[=({]/.test(line));
