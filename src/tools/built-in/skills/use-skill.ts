import * as z from 'zod';
import type { EnvironmentOps } from '../../../contracts/environments/operations.ts';
import type { Tool } from '../../../contracts/tools/tool.ts';
import { dual } from '../../calls/tool-result.ts';
import { announceTools } from '../../define/deferred-tools.ts';
import { tool } from '../../define/define-tool.ts';
import type { NamedTools } from './named-tools.ts';
import { sortNamedTools } from './named-tools.ts';
import type { Skill, SkillFile } from './skill.ts';
import { SKILL_FILE } from './skill.ts';
import type { SkillSet } from './skill-set.ts';

/** The tool that shows the names and descriptions of all skills, and gives the instructions of one. */
export const useSkillTool = (set: SkillSet, toolset: string, runsScripts: boolean): Tool => {
  // Not in the description of the tool: several servers limit that to 1,024 characters.
  const list = ['The skills:', ...set.skills.map(({ name, description }) => `- ${name}: ${description}`)];
  const use = tool({
    name: 'use_skill',
    description:
      'Gives the instructions of a skill, and lists its files. Use a skill before you start on a task that its description fits.',
    safety: 'read',
    input: z.object({ skill: z.enum(set.names).describe(list.join('\n')) }),
    category: 'skills',
    tags: ['read'],
    describe: ({ skill }) => `Using the skill ${skill}`,
    execute: async (input, context) => {
      const folder = set.findFolder(input.skill);
      const [skill, { files, isCut }] = await Promise.all([folder.readSkill(), folder.list()]);
      set.record(context, skill.name, SKILL_FILE, skill.hash);
      const tools = sortNamedTools(skill.allowedTools, set.tools);
      return dual({
        text: [
          // First, as nothing in the text of a skill can announce tools there.
          tools.announced.length > 0 && announceTools(tools.announced),
          describeBody(skill),
          files.length > 0 && describeFiles(files, `${toolset}.read_skill_file`),
          isCut && 'It has more files, which are not listed.',
          files.some(isScript) &&
            (runsScripts && canRun(context.ops)
              ? `${toolset}.run_skill_script runs its scripts, in the root of the environment.`
              : 'Its scripts cannot be run here, only read.'),
          skill.compatibility !== undefined && `It is made for: ${skill.compatibility}`,
          tools.missing.length > 0 && describeMissing(tools),
        ]
          .filter((part) => part !== false)
          .join('\n\n'),
        value: {
          skill: skill.name,
          hash: skill.hash,
          files,
          tools: tools.announced.map(({ name }) => name),
          missing: tools.missing.map(({ name }) => name),
        },
      });
    },
  });
  return Object.assign(use, { announces: true });
};

const describeBody = ({ name, body }: Skill): string =>
  `The skill ${name}:\n\n${body === '' ? '(It has no instructions.)' : body}`;

const describeFiles = (files: readonly SkillFile[], reader: string): string =>
  [`Its files, which ${reader} reads:`, ...files.map(describeFile)].join('\n');

const describeFile = (file: SkillFile): string =>
  `- ${file.path} (${file.bytes} bytes${isScript(file) ? ', a script' : ''})`;

/** The format keeps what is to be run in one folder. */
const isScript = ({ path }: SkillFile): boolean => path.startsWith('scripts/');

/** Scripts are copied to where they run. */
const canRun = (ops: EnvironmentOps | undefined): boolean =>
  ops?.processes !== undefined && ops.files !== undefined;

const describeMissing = ({ missing }: NamedTools): string => {
  const names = missing.map(({ name, nearest }) =>
    nearest === undefined ? name : `${name} (perhaps ${nearest})`,
  );
  return `It names tools that you do not have: ${names.join(', ')}`;
};
