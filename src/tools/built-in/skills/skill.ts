import { platformSha256 } from '../../../base/platform-sha256.ts';
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
  const name = readText('name', fields, refuse) ?? refuse("its front matter has no 'name'");
  if (!NAME.test(name))
    refuse(`its name is not made of lower-case letters, digits and single hyphens: ${JSON.stringify(name)}`);
  if (name !== folder) refuse(`its name differs from that of its folder: '${name}'`);
  const description =
    readText('description', fields, refuse) ?? refuse("its front matter has no 'description'");
  return {
    name,
    description: oneLine(description, MAX.description),
    compatibility: readText('compatibility', fields, refuse),
    allowedTools: readToolNames(fields.get('allowed-tools')),
    body,
    hash: platformSha256(bytes),
  };
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
