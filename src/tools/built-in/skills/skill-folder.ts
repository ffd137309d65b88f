import { sep } from 'node:path';
import { nearestName } from '../../../base/text/nearest-name.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import { isTroupeError, messageOf } from '../../../contracts/errors/error.ts';
import type { FileOps } from '../../../contracts/environments/operations.ts';
import { hostFiles, readStart, withPlainFile } from '../host/host-files.ts';
import type { HardLinks } from '../host/host-root.ts';
import { ConfinedRoot } from '../host/host-root.ts';
import type { Skill } from './skill.ts';
import { invalidSkill, parseSkill, SKILL_FILE, unreadableFile } from './skill.ts';

/** Larger files are refused, in bytes. */
const MAX_FILE_BYTES = 10_000_000;
const MAX_SKILL_BYTES = 1_000_000;

/** More files, and deeper ones, are not listed: they can still be read. */
const MAX_FILES = 200;
const MAX_DEPTH = 8;

/** A file of a skill. */
export interface SkillFile {
  /** Below the skill's folder. */
  readonly path: string;
  readonly bytes: number;
}

/** A folder on this machine with a skill in it, which no path leaves. */
export class SkillFolder {
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

  /**
   * Reads its SKILL.md, as it is now.
   *
   * @throws {TroupeError} `skill.invalid` if there is none, or it breaks a rule of the format.
   */
  async readSkill(): Promise<Skill> {
    const bytes = await this.#read(SKILL_FILE, MAX_SKILL_BYTES, (size) =>
      invalidSkill(this.name, `its ${SKILL_FILE} is larger than ${MAX_SKILL_BYTES} bytes: ${size}`),
    ).catch((thrown: unknown) => {
      throw isTroupeError(thrown, 'skill.invalid') ? thrown : invalidSkill(this.name, messageOf(thrown));
    });
    if (bytes === undefined) throw invalidSkill(this.name, `there is no ${SKILL_FILE} in ${this.place}`);
    return parseSkill(this.name, bytes);
  }

  /**
   * Reads a file of the skill, as it is now.
   *
   * @throws {TroupeError} `tool.denied` for a path that leaves the folder or is not a regular file; `skill.unreadable` if there is no such file, or it is too large.
   */
  async readFile(path: string): Promise<Uint8Array> {
    const bytes = await this.#read(path, MAX_FILE_BYTES, (size) =>
      unreadableFile({ skill: this.name, path }, `it is larger than ${MAX_FILE_BYTES} bytes: ${size}`),
    );
    if (bytes !== undefined) return bytes;
    const { files } = await this.list();
    const nearest = nearestName(
      path,
      files.map((file) => file.path),
    );
    const hint = nearest === undefined ? '' : `: did you mean '${nearest}'?`;
    throw unreadableFile({ skill: this.name, path }, `there is no such file${hint}`);
  }

  /** Lists its files but for SKILL.md and hidden ones, sorted by path. */
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
