import { printable } from '../../../base/text/printable.ts';

/** Characters without a look of their own, in which a page could hide a text from people: soft hyphens, spaces of no width, tags. */
const UNSEEN = /[\u00AD\u200B\u2060-\u2064\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Returns a text of the web without what nobody sees: control characters, bidirectional overrides, characters without a width. */
export const visibleText = (text: string): string => printable(text).replaceAll(UNSEEN, '');
