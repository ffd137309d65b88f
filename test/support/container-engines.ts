import { execFile } from 'node:child_process';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { messageOf } from '../../src/contracts/errors/error.ts';
import { missingEngine } from './fixtures-missing.ts';

/** An engine of containers that runs on this machine, with images of its own. */
export interface GenuineEngine {
  /** Variables by which its program finds its settings. */
  readonly variables: Readonly<Record<string, string>>;
  readonly images: readonly GenuineImage[];
  /** Asks its program; returns what that says. */
  ask(...args: readonly string[]): Promise<string>;
  /** Removes the images, and whatever else was made for them. */
  dispose(): Promise<void>;
}

/** An image of programs of this machine. */
export interface GenuineImage {
  /** The makers of its commands. */
  readonly commands: 'GNU' | 'BusyBox';
  readonly name: string;
}

/** An engine, or the reason why it does not run here. */
export type FoundEngine =
  | { readonly engine: GenuineEngine; readonly reason?: undefined }
  | { readonly engine?: undefined; readonly reason: string };

/** Stands in for the tests of an engine that does not run here; the reporter counts it. */
export const skipWithout = (reason: string): void => it.skip(`${missingEngine}: ${reason}`);

/** Commands of an image: those that files are read and written by, and those of tests. */
const COMMANDS =
  'sh cat realpath stat head tee mkdir ls rm test grep echo env id pwd setsid sleep tail touch true'.split(
    ' ',
  );

/** Looks for an engine: it runs here if a container of an image that is made here comes up. Nothing is fetched. */
export const findGenuineEngine = async (program: 'docker' | 'podman'): Promise<FoundEngine> => {
  const top = await realpath(await mkdtemp(join(tmpdir(), `genuine-${program}-`)));
  const dispose: (() => Promise<unknown>)[] = [() => rm(top, { recursive: true, force: true })];
  try {
    const files = join(top, 'files');
    const found = await makeFiles(files);
    const reasons: string[] = [];
    for (const variables of await settingsOf(program, top)) {
      const ask = asking(program, variables);
      const images = found.map((commands) => ({
        commands,
        name: `localhost/troupe-${commands.toLowerCase()}:${process.pid}`,
      }));
      const removeImages = () => ask('rmi', '-f', ...images.map(({ name }) => name));
      dispose.unshift(removeImages);
      try {
        for (const { commands, name } of images) {
          await ask('import', join(files, `${commands}.tar`), name);
          await ask(
            'run',
            '--rm',
            '--network',
            'none',
            '--memory',
            '64m',
            '--pids-limit',
            '16',
            name,
            'true',
          );
        }
      } catch (thrown) {
        reasons.push(messageOf(thrown));
        continue;
      }
      const disposeAll = async (): Promise<void> => {
        for (const one of dispose) await one().catch(() => undefined);
      };
      return { engine: { variables, images, ask, dispose: disposeAll } };
    }
    throw new Error(reasons.join('; '));
  } catch (thrown) {
    for (const one of dispose) await one().catch(() => undefined);
    return { reason: messageOf(thrown).replaceAll(/\s+/g, ' ').trim().slice(0, 300) };
  }
};

const execute = promisify(execFile);

const asking =
  (program: string, variables: Readonly<Record<string, string>>) =>
  async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, ...variables };
    const { stdout } = await execute(program, [...args], { env, timeout: 60_000 });
    return stdout;
  };

/**
 * Settings to be tried, one after the other. Podman's images and containers are kept in a folder of their own; its limits are low enough that
 * a process without the right to raise its own may set them; and of its runtimes not every one runs on every kernel.
 */
const settingsOf = async (
  program: string,
  top: string,
): Promise<readonly Readonly<Record<string, string>>[]> => {
  if (program === 'docker') return [{}];
  const storage = join(top, 'storage.conf');
  const folders = `graphroot = "${join(top, 'graph')}"\nrunroot = "${join(top, 'run')}"\n`;
  await writeFile(storage, `[storage]\ndriver = "vfs"\n${folders}`);
  const limits = '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=8192:8192"]\n';
  return Promise.all(
    ['', '[engine]\nruntime = "runc"\n'].map(async (runtime, index) => {
      const containers = join(top, `containers-${index}.conf`);
      await writeFile(containers, `${limits}${runtime}`);
      return { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage };
    }),
  );
};

/** Makes the files of images, each as one archive: of this machine's own commands with their libraries, and of BusyBox, if that is here. */
const makeFiles = async (top: string): Promise<readonly GenuineImage['commands'][]> => {
  const own = join(top, 'GNU');
  await mkdir(join(own, 'bin'), { recursive: true });
  for (const command of COMMANDS) {
    const file = await programOf(command);
    if (file === undefined) throw new Error(`there is no command '${command}' to make an image of`);
    await addProgram(own, file, command);
  }
  await pack(own, join(top, 'GNU.tar'));
  const busybox = await programOf('busybox');
  if (busybox === undefined) return ['GNU'];
  const small = join(top, 'BusyBox');
  await mkdir(join(small, 'bin'), { recursive: true });
  await addProgram(small, busybox, 'busybox');
  for (const command of COMMANDS) await symlink('busybox', join(small, 'bin', command));
  await pack(small, join(top, 'BusyBox.tar'));
  return ['GNU', 'BusyBox'];
};

const pack = (folder: string, file: string) => execute('tar', ['-C', folder, '-cf', file, '.']);

const programOf = async (name: string): Promise<string | undefined> => {
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/bin']) {
    const file = join(folder, name);
    if (await isThere(file)) return realpath(file);
  }
  return undefined;
};

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Copies a program, with the libraries that its loader finds for it, to where it finds them there. */
const addProgram = async (root: string, file: string, name: string): Promise<void> => {
  const place = join(root, 'bin', name);
  await copyFile(file, place);
  await chmod(place, 0o755);
  // Of a program without libraries it says so, and fails.
  const { stdout } = await execute('ldd', [file]).catch(() => ({ stdout: '' }));
  for (const [library] of stdout.matchAll(/(?<=\s)\/\S+/g)) {
    const copy = join(root, library);
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, await readFile(library), { mode: 0o755 });
  }
};
