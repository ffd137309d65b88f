import type { ChatCompletionContentPart } from 'openai/resources/chat/completions';
import { isLink } from '../../contracts/content/part.ts';
import { type MediaBytes, nameFor } from '../wire/media-bytes.ts';
import type { SentPart } from '../wire/conversation.ts';

/** A part of a user's message; what is neither image nor sound is a file. */
export const chatPart = (part: SentPart, media: MediaBytes): ChatCompletionContentPart => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (isLink(part)) return { type: 'image_url', image_url: { url: part.url } };
  if (part.mediaType.startsWith('image/'))
    return { type: 'image_url', image_url: { url: media.urlOf(part) } };
  const format = FORMATS[part.mediaType];
  if (format !== undefined)
    return { type: 'input_audio', input_audio: { data: media.base64Of(part), format } };
  return { type: 'file', file: { filename: part.name ?? nameFor(part), file_data: media.urlOf(part) } };
};

const FORMATS: Readonly<Record<string, 'wav' | 'mp3'>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' };
