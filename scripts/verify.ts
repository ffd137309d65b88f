/**
 * The gate: everything that has to hold before a change is kept, stage by stage, cheapest first. It stops at the
 * first stage in which a step fails.
 *
 *   npm run verify         a few minutes at most
 *   npm run verify:full    and the heavier tests (`*.full.*test.ts`), a real installation, the oldest peers, a newer Node
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** What it prints is worth reading even when it succeeds. */
  readonly shown?: boolean;
  /** Tries the cases that the ordinary gate tries, also in the full one. */
  readonly isOrdinary?: boolean;
}

const root = resolve(import.meta.dirname, '..');
const full = process.argv.includes('--full');

const script = (name: string, ...args: readonly string[]): string[] =>
  ['npm', 'run', '--silent', name].concat(args.length > 0 ? ['--', ...args] : []);

const tsx = (file: string): string[] => ['node_modules/.bin/tsx', `scripts/${file}`];

/** What `npm test` leaves to the gate: the public surface, the examples, the README and the guide. */
const gates = ['surface', 'examples', 'readme'].flatMap((project) => ['--project', project]);

/** Stage after stage, cheapest first; the steps of a stage share the cores. */
const stages: Step[][] = [
  // Each has about one core to itself: several checkers of one program check much of it twice.
  [
    { name: 'typecheck', command: script('typecheck') },
    { name: 'lint', command: script('lint') },
    { name: 'format', command: script('format:check') },
    { name: 'build', command: script('build') },
  ],
  [
    // One run of all of them: the package is built once, and one computes while another waits for a process or a browser. What part of
    // the sources the tests run is counted in the full gate only, as counting takes its time.
    { name: 'tests', command: script('test', ...gates, ...(full ? ['--coverage'] : [])), shown: true },
    { name: 'coverage of the mission', command: tsx('coverage.ts') },
    { name: 'packaging', command: tsx('packaging.ts'), shown: true },
  ],
];

if (full) {
  // The oldest Node is the one that this runs on in CI; a newer one comes as a package.
  const newer = ['npx', '-y', '-p', 'node@24', '--', 'node', 'node_modules/vitest/vitest.mjs'];
  stages.push(
    [{ name: 'judges', command: script('judges'), shown: true, isOrdinary: true }],
    [{ name: 'installation', command: tsx('installation.ts'), shown: true }],
    [{ name: 'oldest peers', command: tsx('peers.ts'), shown: true, isOrdinary: true }],
    [
      { name: 'site', command: ['npm', 'run', 'docs'] },
      { name: 'advisories', command: tsx('advisories.ts'), shown: true },
    ],
    [
      {
        name: 'tests on Node 24',
        command: [...newer, 'run', '--project', 'unit', '--project', 'spawning'],
        isOrdinary: true,
      },
    ],
  );
}

/** Compiler and linter are programs in Go: where steps share the cores, threads of one take a fifth more of them. */
const oneThread = { GOMAXPROCS: '1' };

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs a step; true if it succeeded. Each leaves a report of its tests, which `count-tests.mjs` adds up. */
const passes = async ({ name, command, shown = false, isOrdinary = false }: Step): Promise<boolean> => {
  const started = performance.now();
  if (shown) console.log(`… ${name}`);
  const [program = '', ...args] = command;
  const report = join(root, '.tmp/reports', `${name.replaceAll(' ', '-')}.json`);
  const child = spawn(program, args, {
    cwd: root,
    env: {
      ...oneThread,
      ...process.env,
      TROUPE_REPORT: report,
      ...(full && !isOrdinary ? { TROUPE_FULL: '1' } : {}),
    },
    stdio: shown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => printed.push(piece));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) {
    console.error(Buffer.concat(printed).toString());
    console.error(`✗ ${name} failed after ${seconds(started)}: ${command.join(' ')}`);
    return false;
  }
  console.log(`✓ ${name} (${seconds(started)})`);
  return true;
};

rmSync(join(root, '.tmp/reports'), { recursive: true, force: true });
const begun = performance.now();

for (const stage of stages) {
  const held = await Promise.all(stage.map(passes));
  if (held.includes(false)) process.exit(1);
}

console.log(`Verified in ${seconds(begun)}.`);
