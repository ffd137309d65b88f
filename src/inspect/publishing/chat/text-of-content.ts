import type { Content } from '../../../contracts/content/part.ts';

/** Returns the text of content, without its media and data. */
export const textOfContent = (content: Content): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
