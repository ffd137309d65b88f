import { sep } from 'node:path';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import { isTroupeError, messageOf } from '../../../contracts/errors/error.ts';
import type { FileOps } from '../../../contracts/environments/operations.ts';
import { hostFiles, readStart, withPlainFile } from '../host/host-files.ts';
import type { HardLinks } from '../host/host-root.ts';
import { ConfinedRoot } from '../host/host-root.ts';
import type { Skill, SkillFile, SkillHead, StoredSkill } from './skill.ts';
import {
  invalidSkill,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_SKILL_BYTES,
  missingFile,
  parseSkill,
  SKILL_FILE,
  tooLargeFile,
  tooLargeSkill,
} from './skill.ts';

/** Deeper files are not listed: they can still be read. */
const MAX_DEPTH = 8;

/** A folder on this machine with a skill in it, which no path leaves. */
export class SkillFolder implements StoredSkill {
  readonly name: string;
  /** As errors call it. */
  readonly place: string;
  readonly #root: ConfinedRoot;
  readonly #files: FileOps;
  readonly #hardLinks: HardLinks;

  constructor(name: string, place: string) {
    this.name = name;
    this.place = place;
    this.#root = new ConfinedRoot(place);
    this.#files = hostFiles(this.#root, { maxReadBytes: 0, maxWriteBytes: 0 });
    // Package managers share files between projects by hard links.
    this.#hardLinks = place.split(sep).includes('node_modules') ? 'take' : 'refuse';
  }

  readHead(): Promise<SkillHead> {
    return this.readSkill();
  }

  async readSkill(): Promise<Skill> {
    const bytes = await this.#read(SKILL_FILE, MAX_SKILL_BYTES, (size) =>
      tooLargeSkill(this.name, size),
    ).catch((thrown: unknown) => {
      throw isTroupeError(thrown, 'skill.invalid') ? thrown : invalidSkill(this.name, messageOf(thrown));
    });
    if (bytes === undefined) throw invalidSkill(this.name, `there is no ${SKILL_FILE} in ${this.place}`);
    return parseSkill(this.name, bytes);
  }

  async readFile(path: string): Promise<Uint8Array> {
    const bytes = await this.#read(path, MAX_FILE_BYTES, (size) => tooLargeFile(this.name, path, size));
    if (bytes !== undefined) return bytes;
    const { files } = await this.list();
    throw missingFile(this.name, path, files);
  }

  async list(): Promise<{ readonly files: readonly SkillFile[]; readonly isCut: boolean }> {
    const files: SkillFile[] = [];
    const isWhole = await this.#listBelow('.', MAX_DEPTH, files);
    return { files, isCut: !isWhole };
  }

  #read(
    path: string,
    most: number,
    tooLarge: (bytes: number) => TroupeError,
  ): Promise<Uint8Array | undefined> {
    return withPlainFile(
      this.#root,
      path,
      (handle, bytes) => {
        if (bytes > most) throw tooLarge(bytes);
        return readStart(handle, bytes);
      },
      this.#hardLinks,
    );
  }

  /** False if something was left out. */
  async #listBelow(folder: string, depth: number, files: SkillFile[]): Promise<boolean> {
    if (depth === 0) return false;
    for (const { name, kind } of await this.#files.list(folder)) {
      if (name.startsWith('.') || (folder === '.' && name === SKILL_FILE)) continue;
      const path = folder === '.' ? name : `${folder}/${name}`;
      if (kind === 'folder' && name !== 'node_modules') {
        if (!(await this.#listBelow(path, depth - 1, files))) return false;
      } else if (kind === 'file') {
        if (files.length === MAX_FILES) return false;
        files.push({ path, bytes: (await this.#files.stat(path))?.bytes ?? 0 });
      }
    }
    return true;
  }
}
