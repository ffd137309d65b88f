import { isJsonObject, type Json, type JsonObject, toJson } from '../../contracts/json.ts';

/** The words of a piece of content. */
export interface ContentPiece {
  readonly text: string;
  readonly thinking: string;
}

/** Content that arrives as a list of parts, as some of Mistral's models stream it. */
export interface ChatContent {
  /** Takes the parts of one piece and says what of them is text, and what thinking. */
  take(parts: readonly unknown[]): ContentPiece;
  /** All parts as the provider wants them back; undefined while everything was plain text. */
  parts(): readonly Json[] | undefined;
}

/**
 * Puts content in parts together. Texts and thoughts that follow one another are joined; a part of a type that is not
 * known is kept as it is, and says nothing.
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
