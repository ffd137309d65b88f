import type {
  BlobResourceContents,
  CallToolResult,
  ContentBlock,
  SamplingMessageContentBlock,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { fromBase64 } from '../../base/bytes.ts';
import { mediaTypeOf, UNKNOWN } from '../../contracts/content/media-type.ts';
import type { MediaSource, TextPart } from '../../contracts/content/part.ts';
import type { Dual } from '../calls/tool-result.ts';
import { dual, failed } from '../calls/tool-result.ts';
import { jsonSchemaIssues } from '../schemas/json-schema-check.ts';

/** The call that has a result, for its errors. */
export interface ResultPlace {
  readonly server: string;
  readonly tool: string;
  readonly outputSchema: JsonObject | undefined;
}

/** A part of a result: a text, or media with their bytes. */
type ResultPart = TextPart | Media;

type Media = MediaSource & { readonly mediaType: string };

/**
 * Converts the result of a server's tool: texts and media for the model, structured content as the value.
 *
 * Media become parts of the result, so that their bytes go to the run's blob store within its limits; those of a failure follow its words.
 *
 * @throws {TroupeError} `tool.failed` with the server's own words for a failure, `mcp.protocol` for content that is not what the server
 * declared.
 */
export const mcpResult = (result: CallToolResult, place: ResultPlace): Dual => {
  const { content, structuredContent, isError } = result;
  const parts = content.flatMap(partsOf).filter((part) => part.type !== 'text' || part.text !== '');
  if (isError === true) return failAsSaid(parts, place);
  const said = parts.map(textOf).join('\n');
  const value = structuredContent === undefined ? undefined : toJson(structuredContent);
  if (place.outputSchema !== undefined) checkStructure(value, place.outputSchema, place);
  // Structured content without a text is read as JSON.
  const isSilent = value !== undefined && !parts.some(({ type }) => type === 'text');
  const text = isSilent ? JSON.stringify(value) : '';
  const shown = parts.every(({ type }) => type === 'text') ? { text: text || said } : { text, parts };
  return dual({ ...shown, value: value ?? said });
};

const failAsSaid = (parts: readonly ResultPart[], { tool }: ResultPlace): never => {
  const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const text = words.length === 0 ? `${tool} failed, and said no more` : words.join('\n');
  return failed(text, { parts: parts.filter(({ type }) => type !== 'text') });
};

const checkStructure = (value: unknown, schema: JsonObject, { server, tool }: ResultPlace): void => {
  const found =
    value === undefined
      ? 'it has no structured content'
      : issuesText(
          jsonSchemaIssues(schema, toJson(value)).map(({ path, message }) => ({
            path: path.join('.'),
            message,
          })),
        );
  const isValid = value !== undefined && jsonSchemaIssues(schema, toJson(value)).length === 0;
  if (!isValid)
    throw new TroupeError(
      'mcp.protocol',
      `Cannot use the result of '${tool}' as it is not what the MCP server '${server}' declared: ${found}`,
      { retryable: 'no' },
    );
};

/** Content of a server as parts. */
export const partsOf = (block: ContentBlock | SamplingMessageContentBlock): readonly ResultPart[] => {
  switch (block.type) {
    case 'text':
      return [textPart(printable(block.text))];
    case 'image':
    case 'audio':
      return [{ type: block.type, data: block.data, mediaType: mediaTypeIn(block.mimeType) ?? UNKNOWN }];
    case 'resource_link':
      return [textPart(`Resource ${oneLine(block.name)}: ${oneLine(block.uri, 500)}`)];
    case 'resource': {
      const { resource } = block;
      const about = `Resource ${oneLine(resource.uri, 500)}:`;
      if ('text' in resource) return [textPart(`${about}\n${printable(resource.text)}`)];
      return [textPart(about), fileOf(resource)];
    }
    default:
      return [textPart('(content of an unknown kind)')];
  }
};

const textPart = (text: string): TextPart => ({ type: 'text', text });

/** The text that stands for a part where only text fits. */
export const textOf = (part: ResultPart): string =>
  part.type === 'text' ? part.text : `[${part.type} ${part.name ?? part.mediaType}]`;

/** The bytes of a resource, as the kind that its media type says, or else its first bytes do. */
const fileOf = ({ uri, mimeType = '', blob }: BlobResourceContents): Media => {
  const mediaType = mediaTypeIn(mimeType) ?? mediaTypeOf(fromBase64(blob.slice(0, HEAD)) ?? new Uint8Array());
  const [kind] = mediaType?.split('/') ?? [];
  const name = nameIn(uri);
  return {
    type: kind === 'image' || kind === 'audio' ? kind : 'file',
    data: blob,
    mediaType: mediaType ?? UNKNOWN,
    ...(name === '' ? {} : { name }),
  };
};

/** The file name in an address; empty if it has none. */
const nameIn = (uri: string): string => {
  const [path = ''] = uri.split(/[?#]/);
  const last =
    path
      .replace(/^[\w+.-]+:/, '')
      .split('/')
      .findLast((segment) => segment !== '') ?? '';
  try {
    return oneLine(decodeURIComponent(last), 100);
  } catch {
    return oneLine(last, 100);
  }
};

/** Characters of base64 that are enough to tell a format. */
const HEAD = 64;

/** A media type without its parameters; undefined if there is none. */
const mediaTypeIn = (stated: string): string | undefined => {
  const [type = ''] = stated.split(';');
  return type.trim() === '' ? undefined : type.trim().toLowerCase();
};

/** The schema of structured content, if it is one. */
export const outputSchemaOf = (schema: unknown): JsonObject | undefined => {
  const plain = schema === undefined ? undefined : toJson(schema);
  return isJsonObject(plain) ? plain : undefined;
};
