import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** A container engine that is a script, with the folder that it keeps its state in. */
export interface FakeEngine {
  readonly top: string;
  /** The program, as an option `engine`. */
  readonly path: string;
  /** A path for the work folder of a container: it exists only there. */
  readonly root: string;
  /** The arguments of every call so far. */
  calls(): Promise<readonly (readonly string[])[]>;
  /** Names of the containers that exist. */
  containers(): Promise<readonly string[]>;
  /** Makes a container's folder; returns a file in it. */
  place(name: string): Promise<string>;
  /** Has it say of itself from now on that it is this. */
  isCalled(version: string): Promise<void>;
  /** Removes all containers, as a person would. */
  remove(): Promise<void>;
  /** `down`: no daemon answers; `slow`: a container never comes up. */
  set(mode: 'down' | 'slow' | ''): Promise<void>;
  dispose(): Promise<void>;
}

const PROGRAM = resolve(import.meta.dirname, 'programs/docker.sh');

/** Makes an engine of its own, which knows no containers. */
export const fakeEngine = async (): Promise<FakeEngine> => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'engine-')));
  const state = join(top, 'state');
  const path = join(top, 'docker');
  await mkdir(state);
  await writeFile(path, `#!/bin/sh\nexec sh '${PROGRAM}' '${state}' "$@"\n`);
  await chmod(path, 0o755);
  return {
    top,
    path,
    root: join(top, 'work'),
    calls: async () => {
      const files = (await readdir(join(state, 'calls')).catch((): string[] => [])).toSorted();
      const texts = await Promise.all(files.map((file) => readFile(join(state, 'calls', file), 'utf8')));
      return texts.map((text) => text.split('\0').slice(0, -1));
    },
    containers: () => readdir(join(state, 'containers')).catch(() => []),
    place: async (name) => {
      await mkdir(join(state, 'containers', name), { recursive: true });
      return join(state, 'containers', name, 'work');
    },
    isCalled: (version) => writeFile(join(state, 'version'), version),
    remove: async () => {
      const names = await readdir(join(state, 'containers'));
      await promisify(execFile)(path, ['rm', '-f', '--', ...names]);
    },
    set: (mode) => writeFile(join(state, 'mode'), mode),
    dispose: () => rm(top, { recursive: true, force: true }),
  };
};
