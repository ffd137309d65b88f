import * as z from 'zod/mini';
import { describeSchema } from '../../base/schemas/describe-schema.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { dual } from '../calls/tool-result.ts';
import { packageTool } from './define-tool.ts';

/** The name of the tool that finds deferred ones. */
export const FIND_TOOLS = 'find_tools';

/** Default number of tools found at a time, and its limit. */
const FOUND = { usual: 5, most: 20 };

/** Characters of a description that a result shows: the whole of it comes with the tool. */
const MAX_SHOWN = 200;

/** The first line of a result that announces tools. */
const ANNOUNCEMENT = 'You can call these from now on:';

/** The beginning of a result that announces tools: the model is sent them from then on. Read back by {@link readAnnouncement}. */
export const announceTools = (specs: readonly Pick<ToolSpec, 'name' | 'description'>[]): string =>
  [ANNOUNCEMENT, ...specs.map(lineOf)].join('\n');

const lineOf = ({ name, description }: Pick<ToolSpec, 'name' | 'description'>): string =>
  `- ${name}: ${description.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SHOWN)}`;

/** The names that the beginning of a result announces: what follows, such as the text of a file, announces nothing. */
export const readAnnouncement = (text: string): readonly string[] => {
  const [first, ...lines] = text.split('\n');
  if (first !== ANNOUNCEMENT) return [];
  const names = lines.map((line) => /^- (\S+):(?: |$)/.exec(line)?.[1]);
  const end = names.indexOf(undefined);
  return names.slice(0, end === -1 ? names.length : end).flatMap((name) => name ?? []);
};

/** The tool that finds deferred ones. */
export const findTool = (specs: readonly ToolSpec[]): Tool => {
  let search: ReturnType<typeof searchOf> | undefined;
  const find = packageTool({
    name: FIND_TOOLS,
    description: `Finds tools by what they do: ${specs.length} more than you see can be found. Those found can be called from the next step on.`,
    category: 'tools',
    input: () =>
      inEnglish(
        z.object({
          query: describeSchema(
            z.string().check(z.trim(), z.minLength(1)),
            'What the tool should do, in a few words, or its name.',
          ),
          limit: describeSchema(
            z._default(z.int().check(z.minimum(1), z.maximum(FOUND.most)), FOUND.usual),
            'The most to find.',
          ),
        }),
      ),
    describe: ({ query }) => `Looking for tools: ${query.slice(0, 100)}`,
    execute: async ({ query, limit }) => {
      const found = (await (search ??= searchOf(specs)))(query).slice(0, limit);
      const text =
        found.length === 0
          ? 'No tool fits. Try other words: what it does, or what it works on.'
          : announceTools(found);
      return dual({ text, value: found.map(({ name }) => name) });
    },
  });
  return Object.assign(find, { announces: true });
};

/** The ranking, loaded with the first query. */
const searchOf = async (specs: readonly ToolSpec[]): Promise<(query: string) => readonly ToolSpec[]> => {
  const { rankTools } = await import('./rank-tools.ts');
  return rankTools(specs);
};
