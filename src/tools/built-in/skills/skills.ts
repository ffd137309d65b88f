import type { Toolset } from '../../../contracts/tools/tool.ts';
import type { SkillSource, SkillsOptions } from './skills-options.ts';
import { checkSkills } from './skills-options.ts';

/**
 * Agent Skills: folders with a SKILL.md, which a model reads when a task needs them.
 *
 * A model sees the names and descriptions of all skills, in the tool `use_skill`, which returns the instructions of one and lists its files; `read_skill_file` reads
 * these. Skills are read from disk when a run starts and again when they are used, and the hash of what was read is on record.
 *
 * @param from A folder of skills, the folder of one, `{ package }` for an installed package, or a list of these.
 * @throws {TroupeError} `tool.invalid` for unknown options; a run fails before its first step with `tool.setup` for a skill that breaks a rule of the format.
 *
 * @example
 * const clerk = agent({ name: 'clerk', tools: [skills('./skills', { only: ['expense-reports'] })] });
 */
export const skills = (from: SkillSource | readonly SkillSource[], options: SkillsOptions = {}): Toolset => {
  checkSkills(from, options);
  return {
    name: options.name ?? 'skills',
    tools: [],
    mergeHint:
      'write one `skills([ … ])` with the folders of both sets of skills, or give one of them another `name`',
    open: async (opening) => {
      // Loaded on first use: everything else also runs where there is no file system.
      const { openSkills } = await import('./open-skills.ts');
      return openSkills([from].flat(), options, opening);
    },
  };
};
