import * as z from 'zod';
import { platformSha256 } from '../../../base/platform-sha256.ts';
import { mediaTypeOf } from '../../../contracts/content/media-type.ts';
import type { MediaKind } from '../../../contracts/content/part.ts';
import type { Tool } from '../../../contracts/tools/tool.ts';
import type { Dual } from '../../calls/tool-result.ts';
import { dual } from '../../calls/tool-result.ts';
import { tool } from '../../define/define-tool.ts';
import { textIn, unreadableFile } from './skill.ts';
import type { SkillSet } from './skill-set.ts';

/** The tool that reads a file of a skill: a text, or media as a part. */
export const readSkillFileTool = (set: SkillSet): Tool =>
  tool({
    name: 'read_skill_file',
    description: 'Reads a file of a skill, as use_skill lists them: text, an image, audio or a PDF.',
    safety: 'read',
    input: z.object({
      skill: z.enum(set.names),
      path: z.string().min(1).describe('Path of the file below the folder of the skill'),
    }),
    category: 'skills',
    tags: ['read'],
    describe: ({ skill, path }) => `Reading ${path} of the skill ${skill}`,
    execute: async ({ skill, path }, context) => {
      const bytes = await set.findFolder(skill).readFile(path);
      const facts = { skill, path, hash: platformSha256(bytes), bytes: bytes.byteLength };
      const shown = showMedia(bytes, facts) ?? showText(bytes, facts);
      set.record(context, skill, path, facts.hash);
      return shown;
    },
  });

/** A file that was read, for the program. */
interface FileFacts {
  readonly skill: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

const showMedia = (data: Uint8Array, facts: FileFacts): Dual | undefined => {
  const mediaType = mediaTypeOf(data);
  const type = kindOf(mediaType);
  if (type === undefined) return undefined;
  return dual({
    parts: [{ type, data, name: facts.path.split('/').at(-1) }],
    value: { ...facts, mediaType },
  });
};

/** The kind of media that a model may be shown; undefined for any other. */
const kindOf = (mediaType: string | undefined): MediaKind | undefined => {
  if (mediaType === 'application/pdf') return 'file';
  return (['image', 'audio'] as const).find((kind) => mediaType?.startsWith(`${kind}/`));
};

const showText = (bytes: Uint8Array, facts: FileFacts): Dual => {
  const text = textIn(bytes);
  if (text !== undefined) return dual({ text: text === '' ? '(The file is empty.)' : text, value: facts });
  throw unreadableFile(facts, `it is neither text nor an image, audio or a PDF: ${facts.bytes} bytes`);
};
