import type { Environment } from '../contracts/environments/environment.ts';
import type { FileOps, HttpOps, ProcessOps } from '../contracts/environments/operations.ts';
import { EnvironmentSession } from '../tools/environments/environment-session.ts';
import { lawChecks } from './law-checks.ts';

/** An environment to be tested: it contains the files `notes.md` (`# Notes`) and `src/main.ts` (`one\ntwo`). */
export interface EnvironmentWorld {
  readonly environment: Environment;
  /** A command that prints its arguments, each on a line or all on one; without it no command is run. */
  readonly print?: string | undefined;
  /** A page that is there to be fetched; without it none is. */
  readonly page?: { readonly url: string; readonly text: string } | undefined;
  /** Afterwards, however it went. */
  dispose?(): void | Promise<void>;
}

/** A law that every environment must satisfy. */
export interface EnvironmentLaw {
  readonly name: string;
  /** Rejects with `environment.unfit`, and the violation, if it does not hold. Makes an environment of its own. */
  readonly check: () => Promise<void>;
}

/**
 * The laws that every environment must satisfy, whatever its implementation: for the tests of a custom one.
 *
 * @param make Makes a world for one law.
 *
 * @example
 * for (const law of environmentLaws(() => ({ environment: myEnvironment(), print: 'echo' }))) test(law.name, law.check);
 */
export const environmentLaws = (
  make: () => EnvironmentWorld | Promise<EnvironmentWorld>,
): readonly EnvironmentLaw[] =>
  laws.map(({ name, holds }) => ({
    name,
    check: async () => {
      const world = await make();
      try {
        await inSession(world, holds);
      } catch (thrown) {
        // An unexpected error is a violation, too.
        throw asBroken(name, thrown);
      } finally {
        await world.dispose?.();
      }
    },
  }));

const { asBroken, broken, fails, same } = lawChecks('environment.unfit', 'environment');

interface Scene {
  readonly environment: Environment;
  readonly files: FileOps;
  readonly run: ProcessOps['run'] | undefined;
  readonly print: string;
  readonly http: HttpOps | undefined;
  readonly page: EnvironmentWorld['page'];
}

const inSession = async (
  { environment, print, page }: EnvironmentWorld,
  holds: (scene: Scene) => Promise<void>,
): Promise<void> => {
  const session = new EnvironmentSession(environment, { runId: 'law', path: 'law' });
  const required = new Map([
    ['files' as const, ['the laws']],
    ...(print === undefined ? [] : [['processes' as const, ['the laws']] as const]),
    ...(page === undefined ? [] : [['http' as const, ['the laws']] as const]),
  ]);
  try {
    same('opens with the operations that are required', await session.open(required), []);
    const { files, processes, http } = session.ops;
    if (files === undefined) throw broken('offers files', undefined, 'files');
    const run = processes === undefined ? undefined : processes.run.bind(processes);
    const scene = { environment, files, run: print === undefined ? undefined : run, print: print ?? '' };
    await holds({ ...scene, http, page });
  } finally {
    same('closes without a problem', await session.close(), []);
  }
};

const law = (name: string, holds: (scene: Scene) => Promise<void>) => ({ name, holds });

const laws: readonly ReturnType<typeof law>[] = [
  law('is healthy', async ({ environment }) => {
    const health = await environment.healthCheck?.();
    if (environment.healthCheck !== undefined) same('its health', health, { ok: true });
  }),
  law('reads a file, and says when it read only its start', async ({ files }) => {
    same('the file', await files.read('notes.md'), { text: '# Notes', bytes: 7, isCut: false });
    const start = await files.read('notes.md', { maxBytes: 3 });
    same('its start', start, { text: '# N', bytes: 7, isCut: true });
  }),
  law('writes what is read back, new folders included', async ({ files }) => {
    same('a new file', await files.write('deep/er/new.txt', 'Grüße\n'), { bytes: 8, isNew: true });
    same('an old one', await files.write('deep/er/new.txt', 'short'), { bytes: 5, isNew: false });
    same('what is there', (await files.read('deep/er/new.txt')).text, 'short');
  }),
  law('lists a folder by name', async ({ files }) => {
    same('the folder', await files.list('src'), [{ name: 'main.ts', kind: 'file' }]);
    const names = (await files.list('.')).map(({ name, kind }) => `${kind} ${name}`);
    for (const name of ['file notes.md', 'folder src']) same(`lists ${name}`, names.includes(name), true);
  }),
  law('lists in the order of the names, not of the writing', async ({ files }) => {
    for (const name of ['b', 'c', 'a']) await files.write(`many/${name}`, name);
    const names = (await files.list('many')).map(({ name }) => name);
    same('the order', names, ['a', 'b', 'c']);
  }),
  law('says what is at a path, and that there is nothing', async ({ files }) => {
    same('a file', await files.stat('src/main.ts'), { kind: 'file', bytes: 7, isWritable: true });
    for (const folder of ['src', '.']) same('a folder', (await files.stat(folder))?.kind, 'folder');
    same('nothing', await files.stat('nowhere/at/all'), undefined);
  }),
  law('removes a file once', async ({ files }) => {
    await files.write('gone.txt', 'x');
    same('the first time', await files.remove('gone.txt'), true);
    same('the second time', await files.remove('gone.txt'), false);
  }),
  law('fails for what is not there, and refuses what is no file', async ({ files }) => {
    await fails('tool.failed', 'read nowhere.txt', () => files.read('nowhere.txt'));
    await fails('tool.failed', 'list nowhere', () => files.list('nowhere'));
    await fails('tool.denied', 'read a folder', () => files.read('src'));
    await fails('tool.denied', 'read the root', () => files.read('.'));
    await fails('tool.denied', 'write over a folder', () => files.write('src', 'x'));
    await fails('tool.denied', 'remove a folder', () => files.remove('src'));
    await fails('tool.denied', 'write below a file', () => files.write('notes.md/below.txt', 'x'));
  }),
  law('lets nobody out of its root, by any operation', async ({ files }) => {
    for (const path of OUTSIDE) {
      await fails('tool.denied', `read ${path}`, () => files.read(path));
      await fails('tool.denied', `write ${path}`, () => files.write(path, 'x'));
      await fails('tool.denied', `list ${path}`, () => files.list(path));
      await fails('tool.denied', `stat ${path}`, () => files.stat(path));
      await fails('tool.denied', `remove ${path}`, () => files.remove(path));
    }
  }),
  law('runs a command with its arguments as they are', async ({ run, print }) => {
    if (run === undefined) return;
    const result = await run(print, ['$(id); `id` | x', '*', '']);
    const { exitCode, isCut, isTimedOut } = result;
    same('how it ended', { exitCode, isCut, isTimedOut }, { exitCode: 0, isCut: false, isTimedOut: false });
    for (const argument of ['$(id); `id` | x', '*'])
      same(`prints ${argument}`, result.stdout.includes(argument), true);
  }),
  law('refuses commands that are none of those allowed', async ({ run }) => {
    if (run === undefined) return;
    for (const command of ['not-a-command-here --x', '-rf', 'A=1', '__proto__'])
      await fails('tool.denied', `run ${command}`, () => run(command, []));
  }),
  law('fetches a page, and says with a status that there is none', async ({ http, page }) => {
    if (http === undefined || page === undefined) return;
    const { url, status, text, isCut } = await http.request({ url: page.url });
    same('the page', { url, status, text, isCut }, { ...page, status: 200, isCut: false });
    const nowhere = await http.request({ url: new URL('no/such/page', page.url).href });
    same('the status of no page', nowhere.status, 404);
  }),
  law('refuses to fetch what is no plain address of the web', async ({ http }) => {
    if (http === undefined) return;
    for (const url of NO_PAGES) await fails('tool.denied', `fetch ${url}`, () => http.request({ url }));
  }),
];

const NO_PAGES: readonly string[] = [
  '',
  'notes.md',
  '//example.com/',
  'file:///etc/passwd',
  'data:text/plain,x',
  'ftp://example.com/',
  'https://user:secret@example.com/',
];

/** Paths that leave a root, and invalid names. */
const OUTSIDE: readonly string[] = [
  '/etc/passwd',
  '../x',
  'a/../../x',
  './src/../notes.md',
  'src/..',
  'a\\..\\b',
  'C:/x',
  'a\0b',
  'x'.repeat(256),
];
