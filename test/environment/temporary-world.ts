import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder on disk with a root and something outside of it. */
export interface TemporaryWorld {
  readonly top: string;
  readonly root: string;
  /** A file that nobody must get at. */
  readonly canary: string;
  dispose(): Promise<void>;
}

export const CANARY = 'the canary sings';

/** `root` with the files of the contract, and a canary beside it. */
export const temporaryWorld = async (): Promise<TemporaryWorld> => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'environment-')));
  const root = join(top, 'root');
  await mkdir(join(root, 'src'), { recursive: true });
  await mkdir(join(top, 'root-twin'));
  await writeFile(join(root, 'notes.md'), '# Notes');
  await writeFile(join(root, 'src', 'main.ts'), 'one\ntwo');
  const canary = join(top, 'canary.txt');
  await writeFile(canary, CANARY);
  await writeFile(join(top, 'root-twin', 'canary.txt'), CANARY);
  return { top, root, canary, dispose: () => rm(top, { recursive: true, force: true }) };
};
