import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { messageOf } from '../../src/contracts/errors/error.ts';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import { missingMicrovm } from './fixtures-missing.ts';
import { codeBlocks } from './markdown-blocks.ts';
import { root } from './run-script.ts';

/** The page of the guide that is tried: nothing of it is written here a second time. */
const PAGE = join(root, 'docs/guide/microvm.md');

/** The recipe of the guide, carried out. */
export interface GenuineMicrovm {
  /** The folder of its files, and nothing else. */
  readonly folder: string;
  readonly options: MicrovmOptions;
  /** A machine as the page makes it. */
  machine(options?: Partial<MicrovmOptions>): Environment;
  /** The processes of machines that run of this image. */
  processes(): Promise<readonly number[]>;
  dispose(): Promise<void>;
}

interface MicrovmOptions {
  readonly kernel: string;
  readonly image: string;
  readonly accelerator: 'kvm' | 'tcg';
  readonly memoryMb?: number;
  readonly bootMs?: number;
}

/** The recipe, or the reason why it cannot be carried out here. */
export type FoundMicrovm =
  | { readonly recipe: GenuineMicrovm; readonly reason?: undefined }
  | { readonly recipe?: undefined; readonly reason: string };

/** Stands in for the tests where a machine cannot be made; the reporter counts it. */
export const skipWithoutMicrovm = (reason: string): void => it.skip(`${missingMicrovm}: ${reason}`);

const execute = promisify(execFile);

/**
 * Carries out the recipe of the guide with the package as it is built, in a folder that is removed.
 *
 * The kernel is that of `TROUPE_MICROVM_KERNEL`, a folder that its package was unpacked to, or one that is installed.
 */
export const findGenuineMicrovm = async (builtPackage: string): Promise<FoundMicrovm> => {
  let folder: string | undefined;
  try {
    for (const program of ['qemu-system-x86_64', 'busybox', 'cpio', 'setpriv'])
      await execute('sh', ['-c', `command -v ${program}`]).catch(() => {
        throw new Error(`there is no ${program}`);
      });
    const place = process.env['TROUPE_MICROVM_KERNEL'] ?? '/';
    const kernel = await kernelIn(place);
    await mkdir(join(root, '.tmp'), { recursive: true });
    folder = await mkdtemp(join(root, '.tmp/microvm-'));
    await writeFiles(folder, builtPackage);
    await execute('sh', ['image.sh', place], { cwd: folder });
    return { recipe: await recipeOf(folder, kernel) };
  } catch (thrown) {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    return { reason: messageOf(thrown).replaceAll(/\s+/g, ' ').trim().slice(0, 600) };
  }
};

const kernelIn = async (place: string): Promise<string> => {
  const names = await readdir(join(place, 'boot')).catch(() => []);
  const [name, ...others] = names.filter((each) => each.startsWith('vmlinuz-'));
  // The script takes the modules that it finds.
  if (name === undefined || others.length > 0)
    throw new Error(`not one kernel is in ${place}: set TROUPE_MICROVM_KERNEL to the folder of one`);
  return join(place, 'boot', name);
};

/** Writes the files of the page by the names in their first lines, and what `npm install` would bring. */
const writeFiles = async (folder: string, builtPackage: string): Promise<void> => {
  for (const { code } of codeBlocks(await readFile(PAGE, 'utf8'))) {
    const name = /^(?:#!.*\n)?(?:\/\/|#) ([\w.]+)\n/.exec(code)?.[1];
    if (name !== undefined) await writeFile(join(folder, name), code);
  }
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await mkdir(join(modules, 'troupe'));
  await cp(join(root, 'package.json'), join(modules, 'troupe/package.json'));
  await symlink(builtPackage, join(modules, 'troupe/dist'));
  await symlink(join(root, 'node_modules/.bin/esbuild'), join(modules, '.bin/esbuild'));
};

const recipeOf = async (folder: string, kernel: string): Promise<GenuineMicrovm> => {
  const module: unknown = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'microvm.ts')).href);
  // Its type is that of the page, which `test/readme.test.ts` compiles.
  const { microvm } = module as { readonly microvm: (options: MicrovmOptions) => Environment };
  const flags = await readFile('/proc/cpuinfo', 'utf8');
  const isVirtual =
    /\b(vmx|svm)\b/.test(flags) && (await stat('/dev/kvm').catch(() => undefined)) !== undefined;
  const options: MicrovmOptions = {
    kernel,
    image: join(folder, 'image.cpio'),
    accelerator: isVirtual ? 'kvm' : 'tcg',
  };
  return {
    folder,
    options,
    machine: (other = {}) => microvm({ ...options, ...other }),
    processes: () => processesWith(options.image),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
};

/** The processes that have a word among their arguments; those that have ended are none. */
const processesWith = async (word: string): Promise<readonly number[]> => {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (line.split('\0').includes(word)) found.push(Number(name));
  }
  return found;
};
