import { isJsonObject, type Json, type JsonObject, toJson } from '../../base/json/json.ts';

/** The text of a piece of content. */
export interface ContentPiece {
  readonly text: string;
  readonly thinking: string;
}

/** Content that arrives as a list of parts, as some of Mistral's models stream it. */
export interface ChatContent {
  /** Adds the parts of one piece and returns their text and their thinking. */
  take(parts: readonly unknown[]): ContentPiece;
  /** Returns all parts in the form that the provider accepts back; undefined if everything was plain text. */
  parts(): readonly Json[] | undefined;
}

/**
 * Assembles content in parts. Consecutive texts and thoughts are joined; a part of an unknown type is kept unchanged,
 * without text.
 */
export const chatContent = (): ChatContent => {
  const list: JsonObject[] = [];
  let isRich = false;

  const keep = (part: JsonObject): void => {
    const last = list.at(-1);
    const isMore = last !== undefined && last['type'] === part['type'];
    if (isMore && part['type'] === 'text')
      list[list.length - 1] = { ...last, ...part, text: textIn(last) + textIn(part) };
    else if (isMore && part['type'] === 'thinking')
      list[list.length - 1] = {
        ...last,
        ...part,
        thinking: [{ type: 'text', text: thoughtIn(last) + thoughtIn(part) }],
      };
    else list.push(part);
    isRich ||= part['type'] !== 'text';
  };

  return {
    parts: () => (isRich ? list : undefined),
    take: (parts) => {
      let text = '';
      let thinking = '';
      for (const given of parts) {
        const part: Json = typeof given === 'string' ? { type: 'text', text: given } : toJson(given);
        if (!isJsonObject(part)) continue;
        keep(part);
        if (part['type'] === 'thinking' || part['type'] === 'reasoning') thinking += thoughtIn(part);
        else text += textIn(part);
      }
      return { text, thinking };
    },
  };
};

const textIn = ({ text }: JsonObject): string => (typeof text === 'string' ? text : '');

const thoughtIn = (part: JsonObject): string => {
  const { thinking = part['summary'] } = part;
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return textIn(part);
  return thinking
    .map((each: unknown) => (isJsonObject(each) ? textIn(each) : typeof each === 'string' ? each : ''))
    .join('');
};
