import { platformSha256 } from '../../../base/platform-sha256.ts';
import { nearestName } from '../../../base/text/nearest-name.ts';
import { oneLine } from '../../../base/text/printable.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { FrontMatter, Refuse } from './front-matter.ts';
import { readFrontMatter } from './front-matter.ts';

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** Longest fields, in characters, as the format has them. */
const MAX = { name: 64, description: 1_024, compatibility: 500 };

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A skill, as its SKILL.md describes it. */
export interface Skill {
  readonly name: string;
  /** On one line. */
  readonly description: string;
  /** Its demands on the environment, for a model to read. */
  readonly compatibility: string | undefined;
  /** The tools that it names, as they are written: `Bash(git:*)`. */
  readonly allowedTools: readonly string[];
  /** Its instructions. */
  readonly body: string;
  /** The SHA-256 of the file, in hex. */
  readonly hash: string;
}

/** The parts of a skill that a model is shown before it uses it, and the hash of its SKILL.md. */
export type SkillHead = Pick<Skill, 'name' | 'description' | 'hash'>;

/** A file of a skill. */
export interface SkillFile {
  /** Below the skill's folder. */
  readonly path: string;
  readonly bytes: number;
}

/** A skill where it is: in a folder, or on an MCP server. */
export interface StoredSkill {
  readonly name: string;
  /** As errors call it. */
  readonly place: string;
  /** @throws {TroupeError} `skill.invalid` if it breaks a rule of the format. */
  readHead(): Promise<SkillHead>;
  /**
   * Reads its SKILL.md.
   *
   * @throws {TroupeError} `skill.invalid` if there is none, or it breaks a rule of the format.
   */
  readSkill(): Promise<Skill>;
  /**
   * Reads one of its files.
   *
   * @throws {TroupeError} `tool.denied` for a path that leaves the skill; `skill.unreadable` if there is no such file, or it is too large.
   */
  readFile(path: string): Promise<Uint8Array>;
  /** Lists its files but for SKILL.md and hidden ones, sorted by path. */
  list(): Promise<{ readonly files: readonly SkillFile[]; readonly isCut: boolean }>;
}

/** Larger files are refused, in bytes. */
export const MAX_FILE_BYTES = 10_000_000;
export const MAX_SKILL_BYTES = 1_000_000;

/** More files are not listed: they can still be read. */
export const MAX_FILES = 200;

/** The error for a file that a skill does not have, with the one that was probably meant. */
export const missingFile = (skill: string, path: string, files: readonly SkillFile[]): TroupeError => {
  const nearest = nearestName(
    path,
    files.map((file) => file.path),
  );
  const hint = nearest === undefined ? '' : `: did you mean '${nearest}'?`;
  return unreadableFile({ skill, path }, `there is no such file${hint}`);
};

/** The error for a SKILL.md or a file that is too large. */
export const tooLargeSkill = (skill: string, bytes: number): TroupeError =>
  invalidSkill(skill, `its ${SKILL_FILE} is larger than ${MAX_SKILL_BYTES} bytes: ${bytes}`);
export const tooLargeFile = (skill: string, path: string, bytes: number): TroupeError =>
  unreadableFile({ skill, path }, `it is larger than ${MAX_FILE_BYTES} bytes: ${bytes}`);

/**
 * Parses the SKILL.md of a folder.
 *
 * @throws {TroupeError} `skill.invalid` if it breaks a rule of the format.
 */
export const parseSkill = (folder: string, bytes: Uint8Array): Skill => {
  const refuse: Refuse = (reason) => {
    throw invalidSkill(folder, reason);
  };
  const text = textIn(bytes) ?? refuse(`its ${SKILL_FILE} is not text in UTF-8`);
  const { fields, body } = readFrontMatter(text, FIELDS, refuse);
  const name = checkName(readText('name', fields, refuse), refuse);
  if (name !== folder) refuse(`its name differs from that of its folder: '${name}'`);
  const description = readText('description', fields, refuse) ?? refuse(NO_DESCRIPTION);
  return {
    name,
    description: oneLine(description, MAX.description),
    compatibility: readText('compatibility', fields, refuse),
    allowedTools: readToolNames(fields.get('allowed-tools')),
    body,
    hash: platformSha256(bytes),
  };
};

/** The description of a skill, on one line; checks it and the name as those of a SKILL.md are. */
export const checkHead = (name: string, description: string): string => {
  const refuse: Refuse = (reason) => {
    throw invalidSkill(name, reason);
  };
  const fields = new Map([
    ['name', name],
    ['description', description],
  ]);
  checkName(readText('name', fields, refuse), refuse);
  return oneLine(readText('description', fields, refuse) ?? refuse(NO_DESCRIPTION), MAX.description);
};

const NO_DESCRIPTION = "its front matter has no 'description'";

const checkName = (name: string | undefined, refuse: Refuse): string => {
  const given = name ?? refuse("its front matter has no 'name'");
  if (NAME.test(given)) return given;
  return refuse(
    `its name is not made of lower-case letters, digits and single hyphens: ${JSON.stringify(given)}`,
  );
};

const FIELDS = ['name', 'description', 'compatibility', 'allowed-tools'];

/** The error for a skill that breaks a rule of the format. */
export const invalidSkill = (name: string, reason: string): TroupeError =>
  new TroupeError('skill.invalid', `Cannot use the skill '${name.slice(0, MAX.name)}' as ${reason}`);

/** The error for a file of a skill that cannot be read. */
export const unreadableFile = (
  { skill, path }: { readonly skill: string; readonly path: string },
  reason: string,
): TroupeError =>
  new TroupeError(
    'skill.unreadable',
    `Cannot read ${JSON.stringify(path.slice(0, 200))} of the skill '${skill}' as ${reason}`,
  );

/** The text of a file, for a model; undefined if it is not UTF-8, or has a NUL. */
export const textIn = (bytes: Uint8Array): string | undefined =>
  exactText(bytes)
    ?.replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n');

/** The text of a file with the line ends that it has; undefined if it is not UTF-8, or has a NUL. */
export const exactText = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const readText = (
  name: keyof typeof MAX,
  fields: FrontMatter['fields'],
  refuse: Refuse,
): string | undefined => {
  const value = fields.get(name);
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') return refuse(`its ${name} is a list, where a text is needed`);
  if (value.length > MAX[name])
    return refuse(`its ${name} is longer than ${MAX[name]} characters: ${value.length}`);
  return value;
};

/** The names of tools in a list, or in a text that spaces or commas separate; those in parentheses belong to a name. */
const readToolNames = (value: string | readonly string[] | undefined = []): readonly string[] => {
  const names = typeof value === 'string' ? value.match(/[^\s,(]+(?:\([^)]*\))?/g) : value;
  return [...new Set(names)];
};
