import * as z from 'zod/mini';
import { describeSchema } from '../../base/schemas/describe-schema.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import type { MediaPart } from '../../contracts/content/part.ts';
import { isMedia } from '../../contracts/content/part.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { Tool, ToolContext } from '../../contracts/tools/tool.ts';
import { MAX_TEXT_BYTES, READ_RESULT } from '../calls/cut-text.ts';
import { MAX_SOUGHT, rangeProblem, readText } from '../calls/read-text.ts';
import { failed } from '../calls/tool-result.ts';
import { packageTool } from './define-tool.ts';

/** Bytes of a result that are left to what it says of its piece. */
const ABOUT_BYTES = 600;

/** The least that a piece may take, in bytes, however low the agent's limit. */
const LEAST_BYTES = 400;

/** Texts that a failure names. */
const MAX_LISTED = 20;

const made = new Map<number, Tool>();

/**
 * The tool that reads pieces of the texts that were cut in the conversation of the agent that calls it, within its limit.
 *
 * What there is to read follows from that conversation: an agent reads nothing that it was not shown the beginning of.
 */
export const readingTool = (maxTextBytes = MAX_TEXT_BYTES): Tool => {
  const bytes = Math.max(LEAST_BYTES, maxTextBytes - ABOUT_BYTES);
  const reading = made.get(bytes) ?? toolOf(bytes);
  made.set(bytes, reading);
  return reading;
};

const toolOf = (bytes: number): Tool =>
  packageTool({
    name: READ_RESULT,
    description:
      'Reads a result or a text that was cut in this conversation: a range of its lines or characters, or the places where it has a text.',
    category: 'tools',
    input: () =>
      inEnglish(
        z.object({
          id: describeSchema(z.string(), 'The id that the cut text names.'),
          from: describeSchema(
            z.optional(z.int().check(z.minimum(1))),
            'The first line or character, from 1. Default 1.',
          ),
          to: describeSchema(
            z.optional(z.int().check(z.minimum(1))),
            'The last one. Default: as much as fits.',
          ),
          by: describeSchema(
            z.optional(z.enum(['lines', 'characters'])),
            'What from and to count. Default lines.',
          ),
          find: describeSchema(
            z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_SOUGHT))),
            'A text to look for in that range, in any case: each place is shown with what is around.',
          ),
        }),
      ),
    describe: ({ id, find }) =>
      find === undefined ? `Reading on in ${id}` : `Looking for '${find}' in ${id}`,
    retry: false,
    execute: async (wanted, context) => {
      const text = await readWhole(wanted.id, context);
      const problem = rangeProblem(text, wanted);
      if (problem !== undefined) return failed(`Cannot read '${wanted.id}' there: ${problem}.`);
      return `[of '${wanted.id}'] ${readText(text, wanted, bytes)}`;
    },
  });

/** Reads the text of an id from the blob store; the newest of a name. */
const readWhole = async (id: string, { conversation, bytesOf }: ToolContext): Promise<string> => {
  const texts = new Map(conversation.flatMap(wholeIn).map((part) => [part.name ?? part.hash, part]));
  const part = texts.get(id);
  if (part === undefined) return failed(unknownId(id, texts));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await bytesOf(part));
};

/** A caller's history may have anything in its place. */
const wholeIn = (turn: Turn): readonly MediaPart[] =>
  turn.role !== 'user' && turn.whole !== undefined && isMedia(turn.whole) ? [turn.whole] : [];

const unknownId = (id: string, texts: ReadonlyMap<string, MediaPart>): string => {
  const names = [...texts].map(([name, { size }]) => `'${name}' (${size} bytes)`).slice(-MAX_LISTED);
  if (names.length === 0) return `There is no cut text '${id}': none was cut in this conversation.`;
  const nearest = nearestName(id, [...texts.keys()]);
  const hint = nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
  return `There is no cut text '${id}'.${hint} There are: ${names.join(', ')}.`;
};
