import { contentText, isPartList } from '../../contracts/content/part.ts';

/** Returns the text of an input that is parts, and any other input as it is. */
export const inputText = (input: unknown): unknown => (isPartList(input) ? contentText(input) : input);
