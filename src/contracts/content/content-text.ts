import type { Part } from './part.ts';

/**
 * The text that stands for parts wherever only text fits: in lists, titles and memories, and for models without media.
 *
 * @example
 * contentText([{ type: 'text', text: 'Look:' }, { type: 'image', url: 'https://example.com/cat.png', name: 'cat.png' }])
 * // => 'Look:\n\n[image cat.png]'
 */
export const contentText = (parts: readonly Part[]): string =>
  parts
    .map(partText)
    .filter((text) => text.trim() !== '')
    .join('\n\n');

/** The text that stands for one part. */
export const partText = (part: Part): string => {
  if (part.type === 'text') return part.text;
  const named = part.name === undefined ? '' : `${part.name}: `;
  if (part.type === 'data') return `${named}${JSON.stringify(part.data)}`;
  return `[${part.type} ${part.name ?? ('url' in part ? part.url : part.mediaType)}]`;
};
