import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of skills on disk, and something beside it that nobody must get at. */
export interface SkillWorld {
  readonly root: string;
  readonly skills: string;
  write(path: string, content: string | Uint8Array): Promise<string>;
  dispose(): Promise<void>;
}

export const CANARY = 'the canary sings';

/** The text of a SKILL.md. */
export const skillText = (name: string, body: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Everything about ${name}.\n${more}---\n${body}\n`;

export const skillWorld = async (): Promise<SkillWorld> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'skills-')));
  const write = async (path: string, content: string | Uint8Array): Promise<string> => {
    const place = join(root, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content);
    return place;
  };
  await write('canary.txt', CANARY);
  return {
    root,
    skills: join(root, 'skills'),
    write,
    dispose: () => rm(root, { recursive: true, force: true }),
  };
};
