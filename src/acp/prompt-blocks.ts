import type * as sdk from '@agentclientprotocol/sdk';
import { toBase64 } from '../base/bytes.ts';
import type { MediaPart, Part } from '../contracts/content/part.ts';
import { isLink, isMedia } from '../contracts/content/part.ts';
import { TroupeError } from '../contracts/errors/error.ts';

/** The blocks of a prompt, of the parts of its messages. @throws `content.refused` for what the agent says that it does not take */
export const promptBlocks = async (
  parts: readonly Part[],
  capabilities: sdk.PromptCapabilities,
  bytesOf: (part: MediaPart) => Promise<Uint8Array>,
): Promise<sdk.ContentBlock[]> => {
  const blocks: sdk.ContentBlock[] = [];
  for (const part of parts) blocks.push(await blockOf(part, capabilities, bytesOf));
  return blocks;
};

const blockOf = async (
  part: Part,
  capabilities: sdk.PromptCapabilities,
  bytesOf: (part: MediaPart) => Promise<Uint8Array>,
): Promise<sdk.ContentBlock> => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'data') return { type: 'text', text: JSON.stringify(part.data) };
  if (isLink(part)) {
    const { url, name = url, mediaType } = part;
    return {
      type: 'resource_link',
      uri: url,
      name,
      ...(mediaType === undefined ? {} : { mimeType: mediaType }),
    };
  }
  if (!isMedia(part)) throw refusalOf(part);
  const { type, mediaType: mimeType } = part;
  if (type !== 'file') {
    if (capabilities[type] !== true) throw refusalOf(part);
    return { type, mimeType, data: toBase64(await bytesOf(part)) };
  }
  const isText = mimeType.startsWith('text/') || mimeType === 'application/json';
  if (capabilities.embeddedContext !== true) {
    if (!isText) throw refusalOf(part);
    return { type: 'text', text: new TextDecoder().decode(await bytesOf(part)) };
  }
  const uri = `attachment:${encodeURIComponent(part.name ?? part.hash)}`;
  const bytes = await bytesOf(part);
  return {
    type: 'resource',
    resource: isText
      ? { uri, mimeType, text: new TextDecoder().decode(bytes) }
      : { uri, mimeType, blob: toBase64(bytes) },
  };
};

const refusalOf = (part: Part): TroupeError =>
  new TroupeError(
    'content.refused',
    `Cannot send the ${part.type}${'mediaType' in part ? ` of type ${String(part.mediaType)}` : ''} as the coding agent says that it does not take any`,
  );
