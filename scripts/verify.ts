/**
 * The gate: everything that has to hold before a change is kept, step by step, cheapest first. It stops at the
 * first step that fails.
 *
 *   npm run verify         a few minutes at most
 *   npm run verify:full    and the heavier tests (`*.full.test.ts`), a real installation, a newer Node
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** What it prints is worth reading even when it succeeds. */
  readonly shown?: boolean;
}

const root = resolve(import.meta.dirname, '..');
const full = process.argv.includes('--full');

const script = (name: string, ...args: readonly string[]): string[] =>
  ['npm', 'run', '--silent', name].concat(args.length > 0 ? ['--', ...args] : []);

// `npm test` runs all projects at once; here each is a step of its own, so that a failure has a name.
const steps: Step[] = [
  { name: 'typecheck', command: script('typecheck') },
  { name: 'lint', command: script('lint') },
  { name: 'format', command: script('format:check') },
  {
    name: 'tests',
    // What part of the sources they run is counted in the full gate only, as counting takes its time.
    command: script(
      'test',
      ...['unit', 'isolated', 'types'].flatMap((name) => ['--project', name]),
      ...(full ? ['--coverage'] : []),
    ),
    shown: true,
  },
  { name: 'public surface', command: script('test', '--project', 'surface') },
  { name: 'browser', command: script('test', '--project', 'browser'), shown: true },
  { name: 'examples', command: script('test', '--project', 'examples') },
  { name: 'README', command: script('test', '--project', 'readme') },
  { name: 'coverage of the mission', command: ['node_modules/.bin/tsx', 'scripts/coverage.ts'] },
  { name: 'build', command: script('build') },
  { name: 'packaging', command: ['node_modules/.bin/tsx', 'scripts/packaging.ts'], shown: true },
];

if (full) {
  steps.push(
    { name: 'installation', command: ['node_modules/.bin/tsx', 'scripts/installation.ts'], shown: true },
    // The oldest Node is the one that this runs on in CI; a newer one comes as a package.
    {
      name: 'tests on Node 24',
      command: [
        'npx',
        '-y',
        '-p',
        'node@24',
        '--',
        'node',
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        'unit',
      ],
    },
  );
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs a step; true if it succeeded. Each test report is left for whoever wants to count. */
const passes = ({ name, command, shown = false }: Step): boolean => {
  const [program = '', ...args] = command;
  const report = join(root, '.tmp/reports', `${name.replaceAll(' ', '-')}.json`);
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, TROUPE_REPORT: report, ...(full ? { TROUPE_FULL: '1' } : {}) },
    stdio: shown ? 'inherit' : 'pipe',
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return true;
  if (!shown) console.error(`${stdout}${stderr}`);
  if (error !== undefined) console.error(error.message);
  return false;
};

rmSync(join(root, '.tmp/reports'), { recursive: true, force: true });
const begun = performance.now();

for (const step of steps) {
  const started = performance.now();
  if (step.shown) console.log(`… ${step.name}`);
  if (!passes(step)) {
    console.error(`✗ ${step.name} failed after ${seconds(started)}: ${step.command.join(' ')}`);
    process.exit(1);
  }
  console.log(`✓ ${step.name} (${seconds(started)})`);
}

console.log(`Verified in ${seconds(begun)}.`);
