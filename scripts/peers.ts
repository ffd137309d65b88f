/**
 * Tests troupe against the oldest releases of what an app brings itself: the lower ends of the peer ranges of `xstate`, `rxjs`,
 * `zod` and `react`, each in one copy. The newest ones are what the repository itself is tested with. Needs a registry.
 *
 *   tsx scripts/peers.ts [NAME@VERSION …]     default: the lower end of each range
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** What every app that embeds an agent has a copy of. */
const SHARED = ['xstate', 'rxjs', 'zod', 'react'] as const;
/** What is of the version of another package. */
const COMPANIONS = { 'react-dom': 'react' } as const;
const EXCHANGED = [...SHARED, ...Object.keys(COMPANIONS)];

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The oldest release of a package that troupe says it works with. */
const lowerEnd = (name: string): string => {
  const range = manifestIn(root).peerDependencies?.[name];
  const version = range === undefined ? undefined : /^[\^~>=]*(\d+\.\d+\.\d+)/.exec(range)?.[1];
  if (version === undefined)
    throw new Error(`Cannot test the lower end of '${name}' as the manifest has no range of it: ${range}`);
  return `${name}@${version}`;
};

const run = (folder: string, command: string, ...args: readonly string[]): void => {
  const { status } = spawnSync(command, args, {
    cwd: folder,
    stdio: 'inherit',
    env: {
      ...process.env,
      TROUPE_FIXTURES: resolve(root, process.env['TROUPE_FIXTURES'] ?? '../shared/fixtures'),
    },
  });
  if (status !== 0) throw new Error(`A step failed: ${command} ${args.join(' ')}`);
};

/** Copies what is under version control, or would be. */
const copySources = (folder: string): void => {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64_000_000,
  });
  for (const path of stdout.split('\0')) {
    if (path === '' || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
};

const packagesIn = (modules: string): readonly string[] =>
  readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name],
  );

/** Gives a folder the packages of the repository, but for those of `exchanged`, of which there is one copy for all. */
const linkPackages = (folder: string, exchanged: string): void => {
  const from = join(root, 'node_modules');
  const to = join(folder, 'node_modules');
  for (const name of packagesIn(from)) {
    if (EXCHANGED.includes(name)) continue;
    const place = join(to, name);
    mkdirSync(dirname(place), { recursive: true });
    const isPackage = existsSync(join(from, name, 'package.json'));
    const { dependencies = {}, peerDependencies = {} }: Manifest = isPackage
      ? manifestIn(join(from, name))
      : {};
    // A link leads to the repository's own copies: whoever needs what is exchanged has to be here itself.
    if (EXCHANGED.some((shared) => shared in dependencies || shared in peerDependencies))
      cpSync(join(from, name), place, { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, name), place);
  }
  for (const name of EXCHANGED)
    cpSync(join(exchanged, 'node_modules', name), join(to, name), { recursive: true });
};

const wanted = process.argv.slice(2);
const peers = SHARED.map((name) => wanted.find((each) => each.startsWith(`${name}@`)) ?? lowerEnd(name));
const companions = Object.entries(COMPANIONS).map(([name, of]) => {
  const peer = peers.find((each) => each.startsWith(`${of}@`)) ?? '';
  return peer.replace(of, name);
});
const versions = [...peers, ...companions];

const home = mkdtempSync(join(tmpdir(), 'troupe-peers-'));
try {
  const exchanged = join(home, 'exchanged');
  mkdirSync(exchanged);
  writeFileSync(join(exchanged, 'package.json'), JSON.stringify({ name: 'exchanged', private: true }));
  run(exchanged, 'npm', 'install', '--no-audit', '--no-fund', '--silent', ...versions);

  const folder = join(home, 'troupe');
  copySources(folder);
  linkPackages(folder, exchanged);
  console.log(`with ${versions.join(', ')}:`);
  const vitest = 'node_modules/.bin/vitest';
  run(folder, vitest, 'run', '--project', 'types');
  const rooms = [
    'test/runtime/embed',
    'test/runtime/inspection.test.ts',
    'test/runtime/mover.test.ts',
    'test/runtime/embedded-inspection.test.ts',
    'test/react',
    'test/machines',
    'test/signatures',
    'test/tools/schemas',
    'test/tools/code-tool.test.ts',
    'test/content',
    'test/mcp',
    'test/acp',
  ];
  run(
    folder,
    vitest,
    'run',
    '--project',
    'unit',
    '--project',
    'isolated',
    '--project',
    'spawning',
    '--typecheck.enabled=false',
    ...rooms,
  );
  // Of React all cases, of which the ordinary gate tries few.
  process.env['TROUPE_FULL'] = '1';
  run(folder, vitest, 'run', '--project', 'browser', 'test/react');
} finally {
  rmSync(home, { recursive: true, force: true });
}
