/** What a piece of streamed text turned out to be. */
export interface ThinkingPiece {
  /** Meant for the reader. */
  readonly text: string;
  /** Meant for the model itself. */
  readonly thinking: string;
}

/** One block of thinking. */
export interface ThinkingBlock {
  /** Trimmed, without the tags. */
  readonly text: string;
  /** The stream ended, or the block grew past the limit, before it was closed. */
  readonly isTruncated: boolean;
}

/** Takes text as it arrives and sets the thinking apart. */
export interface ThinkingParser {
  push(chunk: string): ThinkingPiece;
  /** Gives out what was held back, and closes a block that is still open as truncated. */
  end(): ThinkingPiece;
  /** The blocks that are closed so far, in order. */
  readonly blocks: readonly ThinkingBlock[];
}

/** How a {@link ThinkingParser} reads. */
export interface ThinkingOptions {
  /**
   * Only blocks before the first word of the answer count. Default false. Models think before they speak; a later tag
   * is more likely part of an answer about tags.
   */
  readonly isLeadingOnly?: boolean | undefined;
  /** Characters of one block that are kept; default 1,000,000. More is dropped, and the block marked as truncated. */
  readonly maxLength?: number | undefined;
}

/**
 * Finds `<think>`, `<thinking>` and `<thought>` blocks in text that arrives in pieces of any size: a tag may be split anywhere. A block
 * within a block belongs to the outer one; an end without a start is ordinary text.
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
    // All that is left holds no '<', or begins with what may become a tag.
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
