import { isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import type { OpenToolset, ToolsetOpening } from '../../../contracts/tools/tool.ts';
import { findSkills } from './find-skills.ts';
import type { Skill } from './skill.ts';
import type { SkillFolder } from './skill-folder.ts';
import { readSkillFileTool } from './read-skill-file.ts';
import { runSkillScriptTool } from './run-skill-script.ts';
import { SkillSet } from './skill-set.ts';
import { useSkillTool } from './use-skill.ts';
import type { SkillSource, SkillsOptions } from './skills-options.ts';

/**
 * Opens the skills of a toolset for one agent: reads the head of each, and makes the tools that read the rest.
 *
 * @throws {TroupeError} `skill.invalid` with all skills that break a rule of the format.
 */
export const openSkills = async (
  sources: readonly SkillSource[],
  { name = 'skills', only, scripts }: SkillsOptions,
  opening: ToolsetOpening,
): Promise<OpenToolset> => {
  const folders = await findSkills(sources, only);
  const skills = await readSkills(folders);
  const set = new SkillSet(folders, skills, opening);
  return {
    tools: [
      useSkillTool(set, name, scripts !== undefined),
      readSkillFileTool(set),
      ...(scripts === undefined ? [] : [runSkillScriptTool(set, scripts)]),
    ],
    listed: Object.fromEntries(skills.map((skill) => [skill.name, skill.hash])),
  };
};

const readSkills = async (folders: readonly SkillFolder[]): Promise<readonly Skill[]> => {
  const problems: string[] = [];
  const skills: Skill[] = [];
  for (const folder of folders)
    try {
      skills.push(await folder.readSkill());
    } catch (thrown) {
      if (!isTroupeError(thrown)) throw thrown;
      problems.push(thrown.message);
    }
  if (problems.length > 0) throw new TroupeError('skill.invalid', problems.join('; '), { details: problems });
  return skills;
};
