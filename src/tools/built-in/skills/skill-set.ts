import { TroupeError } from '../../../contracts/errors/error.ts';
import type { OfferedTool, ToolContext, ToolsetOpening } from '../../../contracts/tools/tool.ts';
import type { SkillHead, StoredSkill } from './skill.ts';
import { SKILL_FILE } from './skill.ts';

/** The skills of a toolset, open for one agent. */
export class SkillSet {
  /** As they were when the set was opened. */
  readonly skills: readonly SkillHead[];
  readonly #folders: ReadonlyMap<string, StoredSkill>;
  readonly #opening: ToolsetOpening;

  constructor(folders: readonly StoredSkill[], skills: readonly SkillHead[], opening: ToolsetOpening) {
    this.skills = skills;
    this.#folders = new Map(folders.map((folder) => [folder.name, folder]));
    this.#opening = opening;
  }

  get names(): readonly string[] {
    return this.skills.map(({ name }) => name);
  }

  /** The tools of the agent. */
  get tools(): readonly OfferedTool[] {
    return this.#opening.tools();
  }

  findFolder(name: string): StoredSkill {
    const folder = this.#folders.get(name);
    if (folder !== undefined) return folder;
    throw new TroupeError('skill.unreadable', `Cannot use the skill '${name}' as there is none of that name`);
  }

  /** Puts on record what was read of a skill; `was` is the hash of a SKILL.md when the run first listed it, if that is another. */
  record({ emit }: ToolContext, skill: string, path: string, hash: string): void {
    const was = path === SKILL_FILE ? this.#firstHash(skill) : hash;
    emit('skill.read', { skill, path, hash, ...(was === hash ? {} : { was }) });
  }

  #firstHash(skill: string): string | undefined {
    return this.#opening.listed?.[skill] ?? this.skills.find(({ name }) => name === skill)?.hash;
  }
}
