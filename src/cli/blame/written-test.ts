import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { readBlobs } from '../../persistence/journal-blobs.ts';
import { journalText } from '../../persistence/run-log.ts';
import type { Blame } from '../../testing/blame/blame-report.ts';
import { TEST } from './blame-command.ts';

/** An export of a module, by its path. */
export interface NamedExport {
  readonly file: string;
  readonly exportName: string;
}

/** The files of a test of a blamed run. */
interface TestFiles {
  readonly test: string;
  readonly failed: string;
  readonly turned: string;
}

const filesOf = (test: string): TestFiles => {
  const base = TEST.exec(test)?.[1] ?? test;
  return { test, failed: `${base}.failed.journal`, turned: `${base}.turned.journal` };
};

/** Refuses a test that cannot be written, before anything is searched for. Its folder is made. @throws {TroupeError} `command.usage` */
export const assertWritable = async (test: string): Promise<void> => {
  const folder = dirname(test);
  await mkdir(folder, { recursive: true }).catch((thrown: unknown) => {
    throw refusal(test, `its folder ${folder} cannot be made: ${messageOf(thrown)}`);
  });
  for (const file of Object.values(filesOf(test)))
    if (await stat(file).catch(() => undefined))
      throw refusal(test, `${file} is there already: name another file, or remove it`);
};

/** Writes a test that replays both runs without a key, and returns the names of the files. */
export const writeTest = async (
  test: string,
  { runId, fork, changes: [change] }: Blame,
  agent: NamedExport,
  check: NamedExport,
): Promise<readonly string[]> => {
  if (fork === undefined || change === undefined) return [];
  const files = filesOf(test);
  const { path, step } = change;
  const place = `what ${path} said${step === undefined ? '' : ` in step ${step}`}`;
  const isTyped = await takesTypeScriptPaths(dirname(test));
  const text = testText(files, place, fitPath(agent, isTyped), fitPath(check, isTyped));
  await write(files.failed, await journalIn(fork.store, runId));
  await write(files.turned, await journalIn(fork.store, fork.runId));
  await write(files.test, text);
  return Object.values(files);
};

/**
 * Checks whether a project imports modules as `./team.ts`: one whose compiler does not say so writes `./team.js`, which is read from `team.ts`
 * by vitest, too. A folder without a `tsconfig.json` above it has no compiler to please.
 */
const takesTypeScriptPaths = async (folder: string): Promise<boolean> => {
  const text = await readFile(join(folder, 'tsconfig.json'), 'utf8').catch(() => undefined);
  if (text !== undefined)
    return /"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/.test(text);
  return dirname(folder) === folder || takesTypeScriptPaths(dirname(folder));
};

const fitPath = (named: NamedExport, isTyped: boolean): NamedExport => ({
  ...named,
  file: isTyped ? named.file : named.file.replace(/\.([cm]?)tsx?$/, '.$1js'),
});

const journalIn = async (store: JournalStore, runId: string): Promise<string> => {
  const entry = await store.entry(runId);
  if (entry === undefined) throw new TypeError(`the run '${runId}' is gone`);
  const rows = await store.read(runId);
  return journalText({ entry, rows, blobs: await readBlobs(store, rows) });
};

const write = async (file: string, text: string): Promise<void> => {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    throw refusal(file, messageOf(thrown));
  }
};

const testText = (
  { test, failed, turned }: TestFiles,
  place: string,
  agent: NamedExport,
  check: NamedExport,
): string => {
  const journal = (file: string): string => `new URL(${literal(basename(file))}, import.meta.url)`;
  return `${headOf(place)}
${PACKAGES.map(([names, from]) => `import { ${names} } from '${from}';`).join('\n')}
${importOf('blamed', agent, test)}
${importOf('fails', check, test)}
${REPLAY}
test(${literal(`fails by ${place}`)}, async () => {
  expect(await fails(await resultOf(${journal(failed)}))).toBe(true);
});

test('does not fail with that changed', async () => {
  expect(await fails(await resultOf(${journal(turned)}))).toBe(false);
});
`;
};

const headOf = (place: string): string =>
  `// Written by \`troupe blame\`: a run that failed by ${place}, and a fork of it with that changed. It needs no key: models and
// tools are answered from the journals. An agent that does something else by now fails with a DeterminismError: write it anew.`;

const PACKAGES = [
  ['fileURLToPath', 'node:url'],
  ['replay', 'troupe'],
  ['memoryStore, readJournalFile', 'troupe/stores'],
  ['expect, test', 'vitest'],
] as const;

const REPLAY = `
const resultOf = async (file: URL) => {
  const { entry, rows } = readJournalFile(fileURLToPath(file));
  const store = memoryStore();
  const lease = await store.create(entry, { holder: 'test', ttlMs: 60_000, now: Date.now() });
  await store.commit(lease, { rows, change: { status: entry.status, updatedAt: entry.updatedAt } });
  await store.release(lease);
  const { result } = await replay(blamed, entry.runId, { store });
  if (result === undefined) throw new Error('the run has not ended');
  return result;
};
`;

const importOf = (name: string, { file, exportName }: NamedExport, test: string): string => {
  const from = relative(dirname(test), resolve(file)).replaceAll('\\', '/');
  const path = literal(from.startsWith('.') ? from : `./${from}`);
  return exportName === 'default'
    ? `import ${name} from ${path};`
    : `import { ${exportName} as ${name} } from ${path};`;
};

const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const refusal = (file: string, why: string): TroupeError =>
  new TroupeError('command.usage', `Cannot write the test of --write ${file} as ${why}`);
