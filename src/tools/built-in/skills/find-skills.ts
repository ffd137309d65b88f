import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { nearestName } from '../../../base/text/nearest-name.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import { codeOf } from '../host/host-root.ts';
import { invalidSkill, SKILL_FILE } from './skill.ts';
import { SkillFolder } from './skill-folder.ts';
import type { ServedSkills } from '../../mcp/served-skills.ts';
import type { StoredSkill } from './skill.ts';
import type { SkillServer, SkillSource } from './skills-options.ts';

/** More skills at once than a model can choose from. */
const MAX_SKILLS = 200;

/** Folders below a source that are never skills. */
const isPassedOver = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

/** The skills of a toolset, with what its servers left out, and the end of its connections. */
export interface FoundSkills {
  readonly skills: readonly StoredSkill[];
  readonly refused: Readonly<Record<string, string>>;
}

/**
 * Finds the skills in the sources, in their order, and in each by name. Servers are closed by their owner, also where this throws.
 *
 * @throws {TroupeError} `skill.unreadable` for a source that is not there; `skill.invalid` for one without skills, a link, a name that comes twice, and a name in
 *   `only` that there is not.
 */
export const findSkills = async (
  sources: readonly SkillSource[],
  only: readonly string[] | undefined,
  connect: (server: SkillServer) => Promise<ServedSkills>,
): Promise<FoundSkills> => {
  const found = new Map<string, StoredSkill>();
  const refused: Record<string, string> = {};
  const names: string[] = [];
  const take = (skill: StoredSkill | LinkedFolder): void => {
    const { name, place } = skill;
    names.push(name);
    if (only !== undefined && !only.includes(name)) return;
    const other = found.get(name);
    if (other !== undefined) throw invalidSkill(name, `two have that name: ${other.place} and ${place}`);
    if (!('readSkill' in skill))
      throw invalidSkill(name, `${place} is a link: name the folder itself, or leave it out by \`only\``);
    found.set(name, skill);
  };
  for (const source of sources) {
    if (typeof source === 'object' && 'mcp' in source) {
      const served = await connect(source.mcp);
      Object.assign(refused, served.refused);
      for (const skill of served.skills) take(skill);
      continue;
    }
    const folders =
      typeof source === 'string' ? await findInFolder(source) : await findInPackage(source.package);
    if (folders.length === 0)
      throw new TroupeError(
        'skill.invalid',
        `Cannot use the skills in ${nameOf(source)} as there are none: a skill is a folder with a ${SKILL_FILE}`,
      );
    for (const folder of folders) take(folder);
  }
  const absent = only?.find((name) => !found.has(name));
  if (absent !== undefined) throw invalidSkill(absent, `there is no such skill${hintOn(absent, names)}`);
  if (found.size > MAX_SKILLS)
    throw new TroupeError(
      'skill.invalid',
      `Cannot use the skills as there are more than ${MAX_SKILLS}: ${found.size}, choose some by \`only\``,
    );
  return { skills: [...found.values()], refused };
};

/** A link in the place of a skill's folder. */
interface LinkedFolder {
  readonly name: string;
  readonly place: string;
}

const findInFolder = async (
  source: string,
  name = basename(resolve(source)),
): Promise<readonly (SkillFolder | LinkedFolder)[]> => {
  const place = resolve(source);
  const facts = await stat(place).catch((thrown: unknown) => {
    throw unreadable(
      source,
      codeOf(thrown) === 'ENOENT' ? `there is no such folder: ${place}` : messageOf(thrown),
    );
  });
  if (!facts.isDirectory()) throw unreadable(source, `it is not a folder: ${place}`);
  if ((await factsOf(join(place, SKILL_FILE))) !== undefined) return [new SkillFolder(name, place)];
  const entries = (await readdir(place, { withFileTypes: true })).filter(
    (entry) => !isPassedOver(entry.name),
  );
  const folders = await Promise.all(entries.map((entry) => folderAt(place, entry)));
  return folders.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const folderAt = async (above: string, entry: Dirent): Promise<readonly (SkillFolder | LinkedFolder)[]> => {
  const { name } = entry;
  const place = join(above, name);
  if (entry.isDirectory()) return [new SkillFolder(name, place)];
  const target = entry.isSymbolicLink() ? await stat(place).catch(() => undefined) : undefined;
  return target?.isDirectory() === true ? [{ name, place }] : [];
};

const PACKAGE = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;

/** The skills of an installed package: those in its folder `skills`, or the one that it is. */
const findInPackage = async (name: string): Promise<readonly (SkillFolder | LinkedFolder)[]> => {
  if (!PACKAGE.test(name)) throw unreadable(name, 'that is not the name of a package');
  const places = createRequire(resolve('package.json')).resolve.paths(name) ?? [];
  for (const place of places.map((modules) => join(modules, name))) {
    if ((await factsOf(place)) === undefined) continue;
    const folder = join(place, 'skills');
    if ((await factsOf(folder)) !== undefined) return findInFolder(folder);
    if ((await factsOf(join(place, SKILL_FILE))) !== undefined) return findInFolder(place, basename(name));
    throw unreadable(name, `the package has neither a folder 'skills' nor a ${SKILL_FILE}: ${place}`);
  }
  throw unreadable(name, `the package is not installed: run \`npm install ${name}\``);
};

const factsOf = (place: string): Promise<Stats | undefined> => lstat(place).catch(() => undefined);

const hintOn = (name: string, names: readonly string[]): string => {
  const nearest = nearestName(name, names);
  return nearest === undefined
    ? `: there are ${names.join(', ').slice(0, 500)}`
    : `: did you mean '${nearest}'?`;
};

const nameOf = (source: Exclude<SkillSource, { readonly mcp: unknown }>): string =>
  typeof source === 'string' ? source : `the package ${source.package}`;

const unreadable = (source: string, reason: string): TroupeError =>
  new TroupeError('skill.unreadable', `Cannot use the skills in ${source} as ${reason}`);
