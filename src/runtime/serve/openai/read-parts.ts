import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import type { Content, GivenPart, MediaKind } from '../../../contracts/content/part.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import { paramError } from './wire-error.ts';

/** Parts of one message at most. */
const MOST_PARTS = 1_000;

/**
 * Reads the content of a message, of Chat Completions or of Responses: a text, or parts where there are media.
 *
 * @throws {TroupeError} `input.invalid`, for files at OpenAI and addresses other than `data:` and `https:`, too.
 */
export const readContent = (given: Json | undefined, place: string): Content => {
  if (given === undefined || given === null) return '';
  if (typeof given === 'string') return given;
  if (!Array.isArray(given) || given.length > MOST_PARTS)
    throw paramError(
      place,
      `its content is neither a text nor at most ${MOST_PARTS} parts: ${foundText(given)}`,
    );
  const items: readonly Json[] = given;
  const parts = items.map((part, index) => readPart(part, `${place}[${index}]`));
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
};

/** The text of a content; media have none. */
export const textOf = (content: Content): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

const readPart = (given: Json, place: string): GivenPart => {
  const part: JsonObject = isJsonObject(given) ? given : {};
  const { type } = part;
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: textIn(part['text'], place) };
    case 'refusal':
      return { type: 'text', text: textIn(part['refusal'], place) };
    case 'image_url':
      return media('image', objectIn(part['image_url'])['url'], place);
    case 'input_image':
      return media('image', part['image_url'], place);
    case 'input_audio': {
      const { data, format } = objectIn(part['input_audio']);
      const mediaType = format === 'mp3' ? 'audio/mpeg' : `audio/${textIn(format, place)}`;
      return { type: 'audio', data: textIn(data, place), mediaType };
    }
    case 'file':
      return file(objectIn(part['file']), place);
    case 'input_file':
      return file(part, place);
    default:
      throw paramError(place, `a part is of a type that is not taken: ${foundText(type)}`);
  }
};

const file = ({ file_data: data, file_url: url, filename }: JsonObject, place: string): GivenPart => {
  const found = data ?? url;
  const name = typeof filename === 'string' ? { name: filename } : {};
  // Base64 alone, as some clients send it.
  if (typeof found === 'string' && found === data && !/^\w+:/.test(found))
    return { type: 'file', data: found, ...name };
  return { ...media('file', found, place), ...name };
};

const media = (type: MediaKind, data: Json | undefined, place: string): GivenPart => {
  if (typeof data === 'string' && /^(?:data|https):/i.test(data)) return { type, data };
  throw paramError(
    place,
    `its media are not at 'data:' or 'https:', and files at OpenAI are not here: ${foundText(data)}`,
  );
};

const objectIn = (given: Json | undefined): JsonObject => (isJsonObject(given) ? given : {});

const textIn = (given: Json | undefined, place: string): string => {
  if (typeof given === 'string') return given;
  throw paramError(place, `a part of it has no text: ${foundText(given)}`);
};
