import { isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import type { OpenToolset, ToolsetOpening } from '../../../contracts/tools/tool.ts';
import { findSkills } from './find-skills.ts';
import type { ServedSkills } from '../../mcp/served-skills.ts';
import type { SkillHead, StoredSkill } from './skill.ts';
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
  const servers: ServedSkills[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    const { skills: stored, refused } = await findSkills(sources, only, async (server) => {
      // Loaded on first use, as most skills are in folders.
      const { connectToSkills } = await import('../../mcp/served-skills.ts');
      const served = await connectToSkills(server, opening);
      servers.push(served);
      return served;
    });
    const heads = await readHeads(stored);
    const set = new SkillSet(stored, heads, opening);
    return {
      tools: [
        useSkillTool(set, name, scripts !== undefined),
        readSkillFileTool(set),
        ...(scripts === undefined ? [] : [runSkillScriptTool(set, scripts)]),
      ],
      listed: Object.fromEntries(heads.map((head) => [head.name, head.hash])),
      refused,
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
};

const readHeads = async (stored: readonly StoredSkill[]): Promise<readonly SkillHead[]> => {
  const problems: string[] = [];
  const heads: SkillHead[] = [];
  for (const skill of stored)
    try {
      heads.push(await skill.readHead());
    } catch (thrown) {
      if (!isTroupeError(thrown)) throw thrown;
      problems.push(thrown.message);
    }
  if (problems.length > 0) throw new TroupeError('skill.invalid', problems.join('; '), { details: problems });
  return heads;
};
