import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { readerPages } from '../scripts/pages.ts';
import { charted, teams } from '../scripts/readme.ts';
import { codeBlocks } from './support/markdown-blocks.ts';
import { pageComponents, writePageComponents } from './support/page-components.ts';
import { root, runScript } from './support/run-script.ts';

/**
 * Every ```ts block of the README and of the guide is a program of its own: it compiles, runs without a key, and prints what its `// =>` say.
 * A block marked ```ts no-run only compiles, as do the components in ```tsx blocks: `react/page-components.test.ts` renders them.
 */
const pages = readerPages();
const folder = '.tmp/readme';

interface Program {
  readonly place: string;
  readonly file: string;
  readonly code: string;
  readonly isRun: boolean;
  /** Whether it runs in its page on the site, too. */
  readonly isPlayed: boolean;
  /** What it prints, line by line, as its comments have it. */
  readonly prints: readonly string[];
}

const programs: readonly Program[] = pages.flatMap((page) =>
  codeBlocks(readFileSync(join(root, page), 'utf8'))
    .filter(({ language }) => language === 'ts' || language === 'typescript')
    .map(({ code, line, marks }) => ({
      place: `${page}:${line}`,
      file: `${page.replaceAll(/[^\w-]/g, '-')}-${line}.ts`,
      code,
      isRun: !marks.includes('no-run'),
      isPlayed: marks.includes('playground'),
      prints: Array.from(code.matchAll(/\/\/ => (.*)$/gm), ([, text = '']) => text.trim()),
    })),
);

/** What came of a program. */
interface Ran {
  readonly printed: string;
  readonly error: string | null;
}

/** Runs the programs one after the other in one process, each with what it prints to itself. */
const runner = (run: readonly Program[]): string => `
import { writeFileSync } from 'node:fs';
import { format } from 'node:util';
const programs: Record<string, () => Promise<unknown>> = {
${run.map(({ place, file }) => `  ${JSON.stringify(place)}: () => import(${JSON.stringify(`./${file}`)}),`).join('\n')}
};
const ran: Record<string, { printed: string; error: string | null }> = {};
let printed: string[] = [];
let failure: unknown;
console.log = (...said: unknown[]) => void printed.push(format(...said));
process.on('unhandledRejection', (error) => void (failure ??= error));
process.on('uncaughtException', (error) => void (failure ??= error));
for (const [place, start] of Object.entries(programs)) {
  printed = [];
  failure = undefined;
  await start().catch((error: unknown) => void (failure ??= error));
  // What it left to happen right after it is its own, too.
  await new Promise((resolve) => setTimeout(resolve));
  ran[place] = { printed: printed.join('\\n'), error: failure === undefined ? null : format(failure) };
  writeFileSync(process.argv[2] ?? '', JSON.stringify(ran));
}
process.exit(0);
`;

describe('the code blocks of a Markdown text', () => {
  it('are found with their marks, their place and without the indent of a list', () => {
    const text =
      'a\n```ts\nx;\n```\n- b\n\n  ```ts no-run\n  y;\n    z;\n  ```\n\n````md\n```ts\nno\n```\n````\n';
    expect(codeBlocks(text)).toEqual([
      { language: 'ts', marks: [], code: 'x;\n', line: 3 },
      { language: 'ts', marks: ['no-run'], code: 'y;\n  z;\n', line: 8 },
      { language: 'md', marks: [], code: '```ts\nno\n```\n', line: 13 },
    ]);
  });
});

describe('the README and the guide', () => {
  const results = join(root, folder, 'results.json');
  const runnable = programs.filter(({ isRun }) => isRun);
  let ran: Readonly<Record<string, Ran>> = {};

  beforeAll(async () => {
    rmSync(join(root, folder), { recursive: true, force: true });
    mkdirSync(join(root, folder), { recursive: true });
    // In the README, as at a reader's, the package's name leads to the package: here to its sources.
    writeFileSync(
      join(root, folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { lib: ['es2023', 'dom', 'dom.iterable'], jsx: 'react-jsx' },
        include: ['*.ts', 'components'],
        exclude: ['run-all.ts'],
      }),
    );
    for (const { file, code } of programs) writeFileSync(join(root, folder, file), code);
    writePageComponents(join(root, folder, 'components'));
    writeFileSync(join(root, folder, 'run-all.ts'), runner(runnable));
    const { output } = await runScript(join(folder, 'run-all.ts'), { args: [results], timeoutMs: 250_000 });
    writeFileSync(join(root, folder, 'output.txt'), output);
    ran = JSON.parse(readFileSync(results, 'utf8')) as typeof ran;
  }, 300_000);

  it('have only code that compiles', () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const run = spawnSync(process.execPath, [tsc, '-p', folder, '--checkers', '1'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(run.status, run.stdout).toBe(0);
    expect([programs, pageComponents]).not.toContainEqual([]);
  }, 300_000);

  it('show a tsconfig.json by which the programs of the README compile against the package, as shown and without an option less', () => {
    const place = join(root, folder, 'start');
    const shown = codeBlocks(readFileSync(join(root, 'docs/guide/start.md'), 'utf8')).find(
      ({ language, code }) => language === 'json' && code.includes('compilerOptions'),
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const compile = (...args: readonly string[]) =>
      spawnSync(process.execPath, [tsc, ...args, '--checkers', '1'], { cwd: root, encoding: 'utf8' });
    // The package as it is published: its manifest, and its declarations.
    const troupe = join(place, 'node_modules/troupe');
    mkdirSync(troupe, { recursive: true });
    copyFileSync(join(root, 'package.json'), join(troupe, 'package.json'));
    const declared = join(troupe, 'dist');
    expect(compile('-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', declared).stdout).toBe(
      '',
    );
    writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module' }));
    const own = programs.filter((program) => program.place.startsWith('README.md'));
    expect(own.length).toBeGreaterThan(2);
    for (const { file, code } of own) writeFileSync(join(place, file), code);
    const said = (config: string): string => {
      writeFileSync(join(place, 'tsconfig.json'), config);
      return compile('-p', place).stdout;
    };
    expect(said(shown?.code ?? '')).toBe('');
    expect(said(shown?.code.replace('    "types": ["node"],\n', '') ?? '')).not.toBe('');
  }, 300_000);

  it('have programs for the site that import only what its pages load', () => {
    const loaded = readFileSync(join(root, 'scripts/playground.ts'), 'utf8');
    const table = /const modules.*?^};/ms.exec(loaded)?.[0] ?? '';
    const lost = programs.flatMap(({ place, code, isPlayed }) =>
      Array.from(
        isPlayed ? code.matchAll(/^import \{([^}]*)\} from '([^']+)'/gm) : [],
        ([, names = '', from = '']) => {
          const row = new RegExp(`^ {2}'?${from}'?: (?:\\{ (.*) \\}|\\w+),$`, 'm').exec(table);
          if (row === null) return `${place}: ${from}`;
          // Of some entries a page loads a part.
          const some = row[1]?.split(', ');
          const missing = names
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== '' && !name.startsWith('type ') && some?.includes(name) === false);
          return missing.map((name) => `${place}: ${name} of ${from}`);
        },
      ).flat(),
    );
    expect(lost).toEqual([]);
    expect(programs.filter(({ isPlayed }) => isPlayed)).not.toEqual([]);
  });

  it.each(runnable)(
    'have a program at $place that runs without a key, and prints what it says',
    (program) => {
      const { printed, error } = ran[program.place] ?? { printed: '', error: 'It did not come to its end.' };
      expect(error, printed).toBeNull();
      // In the order of the page.
      let rest = printed;
      for (const text of program.prints) {
        expect(rest, `${program.place} is to print ${text}`).toContain(text);
        rest = rest.slice(rest.indexOf(text) + text.length);
      }
    },
  );

  test.each(Object.keys(teams))(
    'show each pattern as a chart and as the composition of a team: %s',
    (name) => {
      const text = readFileSync(join(root, `docs/guide/teams/${name}.md`), 'utf8');
      expect(text).toContain(`<!-- chart:${name} -->`);
      expect(text).toContain(`<!-- composition:${name} -->`);
    },
  );

  test.each(pages.filter((page) => readFileSync(join(root, page), 'utf8').includes('<!-- chart:')))(
    'show the pictures that there are: %s (else: npx tsx scripts/readme.ts --update)',
    (page) => {
      const text = readFileSync(join(root, page), 'utf8');
      expect(charted(text, page)).toBe(text);
    },
  );
});
