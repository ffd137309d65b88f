import { oneLine } from '../../../base/text/printable.ts';
import type { HttpResponse } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { isMediaType, mediaTypeOf } from '../http/media-types.ts';
import { windowsCharacters } from './html/character-references.ts';
import { htmlToMarkdown } from './html/html-to-markdown.ts';
import { visibleText } from './visible-text.ts';

/** A page as a model reads it. */
export interface ReadPage {
  readonly title: string;
  readonly markdown: string;
  /** There is more than its main part. */
  readonly isPart: boolean;
}

/**
 * Reads an answer as a page: HTML as Markdown, other texts as they are.
 *
 * @throws {TroupeError} `tool.failed` for what is no text.
 */
export const readPage = (response: HttpResponse, isWhole: boolean): ReadPage => {
  const type = mediaTypeOf(response.headers);
  if (isMediaType(type))
    throw new TroupeError(
      'tool.failed',
      `Cannot read ${JSON.stringify(response.url.slice(0, 200))} as it is no page and no text: ${type.slice(0, 100)}`,
      { retryable: 'no' },
    );
  const text = decodePage(response);
  if (!isHtml(type, text)) return { title: '', markdown: visibleText(text), isPart: false };
  const { title, markdown, main } = htmlToMarkdown(text, response.url);
  const isPart = !isWhole && main !== '' && main !== markdown;
  return { title: oneLine(visibleText(title)), markdown: visibleText(isPart ? main : markdown), isPart };
};

const isHtml = (type: string, text: string): boolean =>
  type === 'text/html' ||
  type === 'application/xhtml+xml' ||
  (type === '' && /^\s*<(?:!doctype html|html|head|body)\b/i.test(text.slice(0, 1_000)));

/** Pages name their encoding in the header, by their first bytes, or in a `meta` among the first 1,024; else it is UTF-8. */
const decodePage = ({ headers, bytes, text, isCut }: HttpResponse): string => {
  if (bytes === undefined) return text;
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1_024));
  const named =
    byMark(bytes) ??
    /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(headers['content-type'] ?? '')?.[1] ??
    /<meta\b[^>]{0,300}?charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(start)?.[1] ??
    'utf-8';
  return decodeBy(named, bytes, isCut);
};

const byMark = ([first, second]: Uint8Array): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
};

const decodeBy = (label: string, bytes: Uint8Array, isCut: boolean): string => {
  try {
    const decoder = new TextDecoder(label);
    const text = decoder.decode(bytes, { stream: isCut });
    return decoder.encoding === 'windows-1252' ? windowsCharacters(text) : text;
  } catch {
    // An encoding that there is not.
    return new TextDecoder().decode(bytes, { stream: isCut });
  }
};
