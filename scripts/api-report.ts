/**
 * Keeps a report of the public surface in docs/api, so that a change of it shows in a diff.
 *
 *   npm run api:check    fails when the reports are not what the sources say
 *   npm run api:update   writes them anew
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { entryPointsOf, type EntryPoint } from './entry-points.ts';

const root = resolve(import.meta.dirname, '..');
const reports = join(root, 'docs/api');
const types = join(root, '.tmp/types');

/** The package's entry points, each with a report of its own. */
export const entryPoints = entryPointsOf();

export const reportPath = ({ name }: EntryPoint): string => join(reports, reportName(name));

const reportName = (name: string): string => `${name.replace('/', '-')}.api.md`;

/** What became of a report, and what the extractor complains of. */
export interface Report {
  readonly upToDate: boolean;
  readonly problems: readonly string[];
}

/** Writes the declarations that the reports are made from. It throws what the compiler says. */
const emitDeclarations = (): void => {
  rmSync(types, { recursive: true, force: true });
  const options = ['--emitDeclarationOnly', '--declarationMap', 'false', '--outDir', types];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const run = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', ...options], {
    cwd: root,
    encoding: 'utf8',
  });
  if (run.status !== 0)
    throw new Error(`Cannot report the API as the sources do not compile:\n${run.stdout}`);
};

const declarations = ({ built }: EntryPoint): string => join(types, built.replace(/\.js$/, '.d.ts'));

const configOf = (entry: EntryPoint): ExtractorConfig =>
  ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: declarations(entry),
      newlineKind: 'lf',
      compiler: {
        // The extractor brings a compiler of its own: it needs to read declarations, not to judge sources.
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2023',
            lib: ['es2023'],
            module: 'nodenext',
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          include: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: reportName(entry.name),
        reportFolder: reports,
        reportTempFolder: join(root, '.tmp/api'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.None, addToApiReportFile: true },
          'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
          // The report says so itself; for what is exported, a test asks for a docstring.
          'ae-undocumented': { logLevel: ExtractorLogLevel.None },
          'ae-unresolved-link': { logLevel: ExtractorLogLevel.None },
        },
        // Docstrings are prose with examples in them, not TSDoc.
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });

/** One reading of all declarations: it takes longer than any report that is made from it. */
const readDeclarations = (): CompilerState => {
  const [first, ...others] = entryPoints;
  if (first === undefined) throw new Error('Cannot report the API as the manifest exports no entry point');
  return CompilerState.create(configOf(first), { additionalEntryPoints: others.map(declarations) });
};

/** Makes the reports of all entry points from the sources as they are now. */
export const apiReporter = (): ((entry: EntryPoint, update: boolean) => Report) => {
  emitDeclarations();
  mkdirSync(reports, { recursive: true });
  const compilerState = readDeclarations();
  return (entry, update) => reportApi(entry, update, compilerState);
};

/** Compares an entry point's report with the sources, or writes it. */
const reportApi = (entry: EntryPoint, update: boolean, compilerState: CompilerState): Report => {
  const problems: string[] = [];
  const result = Extractor.invoke(configOf(entry), {
    compilerState,
    localBuild: update,
    messageCallback: (message) => {
      message.handled = true;
      if (message.logLevel === ExtractorLogLevel.Error)
        problems.push(message.formatMessageWithLocation(root));
    },
  });
  return { upToDate: !result.apiReportChanged, problems };
};

/** The exports of an entry point that have no docstring. */
export const undocumented = (entry: EntryPoint): string[] =>
  [...readFileSync(reportPath(entry), 'utf8').matchAll(/^\/\/ @public.*\(undocumented\)\n(.*)$/gm)].map(
    ([, declaration]) => declaration ?? '',
  );

const main = (): void => {
  const update = process.argv.includes('--update');
  const report = apiReporter();
  for (const entry of entryPoints) {
    const { upToDate, problems } = report(entry, update);
    console.log(
      `docs/api/${reportName(entry.name)} ${upToDate ? 'is up to date' : update ? 'is written' : 'differs'}`,
    );
    for (const problem of problems) console.error(problem);
    if (problems.length > 0 || !(upToDate || update)) process.exitCode = 1;
  }
  if (process.exitCode === 1) console.error('Look at the change, then run `npm run api:update`.');
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
