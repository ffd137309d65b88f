/** A piece of streamed text, split. */
export interface ThinkingPiece {
  /** Text for the reader. */
  readonly text: string;
  /** Text for the model itself. */
  readonly thinking: string;
}

/** One block of thinking. */
export interface ThinkingBlock {
  /** Trimmed, without the tags. */
  readonly text: string;
  /** The stream ended, or the block grew past the limit, before it was closed. */
  readonly isTruncated: boolean;
}

/** Separates thinking from text as it arrives. */
export interface ThinkingParser {
  push(chunk: string): ThinkingPiece;
  /** Returns held-back text, and closes an open block as truncated. */
  end(): ThinkingPiece;
  /** The blocks that are closed so far, in order. */
  readonly blocks: readonly ThinkingBlock[];
}

/** Options of a {@link ThinkingParser}. */
export interface ThinkingOptions {
  /**
   * Recognises only blocks before the first word of the answer. Default false. Models think before they speak; a later
   * tag is more likely part of an answer about tags.
   */
  readonly isLeadingOnly?: boolean | undefined;
  /**
   * Maximum number of characters kept of a block; default 1,000,000. More is dropped, and the block marked as
   * truncated.
   */
  readonly maxLength?: number | undefined;
}

/**
 * Finds `<think>`, `<thinking>` and `<thought>` blocks in text that arrives in pieces of any size: a tag may be split
 * anywhere. A nested block belongs to the outer one; an unmatched end tag is ordinary text.
 *
 * @example
 * const parser = thinkingParser();
 * parser.push('<thi');        // => { text: '', thinking: '' }
 * parser.push('nk>Hm.</think>Yes.'); // => { text: 'Yes.', thinking: 'Hm.' }
 */
export const thinkingParser = (options: ThinkingOptions = {}): ThinkingParser => {
  const { isLeadingOnly = false, maxLength = DEFAULT_MAX_LENGTH } = options;
  const blocks: ThinkingBlock[] = [];
  let held = '';
  let depth = 0;
  let block = '';
  let isTooLong = false;
  let hasSpoken = false;

  const think = (piece: string): string => {
    const kept = piece.slice(0, maxLength - block.length);
    block += kept;
    isTooLong ||= kept.length < piece.length;
    return kept;
  };
  const close = (isTruncated: boolean): void => {
    blocks.push({ text: block.trim(), isTruncated: isTruncated || isTooLong });
    block = '';
    isTooLong = false;
    depth = 0;
  };

  const push = (chunk: string, isLast: boolean): ThinkingPiece => {
    let rest = held + chunk;
    let text = '';
    let thinking = '';
    const take = (piece: string): void => {
      if (depth > 0) thinking += think(piece);
      else {
        text += piece;
        hasSpoken ||= piece.trim() !== '';
      }
    };
    for (;;) {
      const at = depth === 0 && isLeadingOnly && hasSpoken ? -1 : rest.indexOf('<');
      if (at < 0) break;
      take(rest.slice(0, at));
      rest = rest.slice(at);
      const [tag, slash] = TAG.exec(rest) ?? [];
      const isOpening = tag !== undefined && slash === '' && !(depth === 0 && isLeadingOnly && hasSpoken);
      if (isOpening) depth += 1;
      else if (tag !== undefined && slash === '/' && depth > 0) {
        if (depth === 1) close(false);
        else depth -= 1;
      } else if (!isLast && isTagStart(rest)) break;
      else {
        take('<');
        rest = rest.slice(1);
        continue;
      }
      rest = rest.slice(tag.length);
    }
    // The rest has no '<', or starts with a possible tag.
    held = !isLast && rest.startsWith('<') && isTagStart(rest) ? rest : '';
    if (held === '') take(rest);
    return { text, thinking };
  };

  return {
    blocks,
    push: (chunk) => push(chunk, false),
    end: () => {
      const piece = push('', true);
      if (depth > 0) close(true);
      return piece;
    },
  };
};

const DEFAULT_MAX_LENGTH = 1_000_000;

const TAG = /^<(\/?)(?:think(?:ing)?|thought)>/i;

const TAGS = ['<think>', '<thinking>', '<thought>', '</think>', '</thinking>', '</thought>'];

const isTagStart = (text: string): boolean =>
  TAGS.some((tag) => text.length < tag.length && tag.startsWith(text.toLowerCase()));
