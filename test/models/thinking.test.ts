import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thinkingParser, type ThinkingOptions } from '../../src/models/thinking/thinking.ts';

const read = (chunks: readonly string[], options?: ThinkingOptions) => {
  const parser = thinkingParser(options);
  const pieces = [...chunks.map((chunk) => parser.push(chunk)), parser.end()];
  return {
    text: pieces.map((piece) => piece.text).join(''),
    thinking: pieces.map((piece) => piece.thinking).join(''),
    blocks: parser.blocks,
  };
};

describe('[TENEX-25] thinking is told apart from the answer', () => {
  it('a block is cut out, and each block is trimmed', () => {
    expect(read(['<think>\n Hm. \n</think>Yes. <thinking>Well.</thinking>No.'])).toEqual({
      text: 'Yes. No.',
      thinking: '\n Hm. \nWell.',
      blocks: [
        { text: 'Hm.', isTruncated: false },
        { text: 'Well.', isTruncated: false },
      ],
    });
  });

  it('text without tags is all answer, at once', () => {
    const parser = thinkingParser();
    expect(parser.push('2 < 3 and <b>so</b> on')).toEqual({ text: '2 < 3 and <b>so</b> on', thinking: '' });
  });

  it('wherever the chunks are cut, also within a tag, the result is the same', () => {
    const alphabet = [
      '<think>',
      '</think>',
      '<thinking>',
      '</thinking>',
      '<',
      '</',
      'thin',
      'k>',
      ' ',
      'a',
      '<THINK>',
      'ü',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...alphabet), { maxLength: 25 }),
        fc.infiniteStream(fc.nat(4)),
        (words, sizes) => {
          const text = words.join('');
          const chunks: string[] = [];
          for (let at = 0; at < text.length;) {
            const size = 1 + (sizes.next().value ?? 0);
            chunks.push(text.slice(at, at + size));
            at += size;
          }
          for (const options of [{}, { isLeadingOnly: true }]) {
            expect(read(chunks, options)).toEqual(read([text], options));
          }
        },
      ),
    );
  });

  it('[TENEX-Q06] a block within a block belongs to the outer one', () => {
    expect(read(['<think>a<think>b</think>c</think>d'])).toEqual({
      text: 'd',
      thinking: 'abc',
      blocks: [{ text: 'abc', isTruncated: false }],
    });
  });

  it('[TENEX-Q06] a block that is never closed is given out once, as truncated', () => {
    expect(read(['Yes.<think>but', ' then'])).toEqual({
      text: 'Yes.',
      thinking: 'but then',
      blocks: [{ text: 'but then', isTruncated: true }],
    });
  });

  it('[TENEX-Q06] an end without a start is text', () => {
    expect(read(['a</think>b'])).toMatchObject({ text: 'a</think>b', blocks: [] });
  });

  it('what only looks like the start of a tag is text in the end', () => {
    expect(read(['a <thin'])).toMatchObject({ text: 'a <thin', blocks: [] });
  });

  it('[TENEX-Q06] a block past its greatest length is cut, and marked', () => {
    expect(read(['<think>abc', 'def</think>g'], { maxLength: 4 })).toEqual({
      text: 'g',
      thinking: 'abcd',
      blocks: [{ text: 'abcd', isTruncated: true }],
    });
  });

  it('only leading blocks count where that is asked for: an answer about tags keeps its tags', () => {
    expect(
      read([' <think>a</think> <think>b</think>Use <think>…</think>.'], { isLeadingOnly: true }),
    ).toMatchObject({
      text: '  Use <think>…</think>.',
      thinking: 'ab',
    });
  });
});
