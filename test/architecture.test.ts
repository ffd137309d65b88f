import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  everyFileHasARoom,
  exportsAreNamed,
  filesAreShort,
  foldersHaveRooms,
  functionsAreNotParticiples,
  importsAreDeclared,
  importsGoDown,
  importsHaveNoCycles,
  namesAreKebabCase,
  namesSaySomething,
  packagesStayInTheirRooms,
  readSource,
  runsHaveNoLiteralGetters,
  thePageStandsAlone,
  type Rule,
} from './support/architecture.ts';
import { paraphrasesIn, proseIsFieldEnglish } from './support/field-english.ts';

const root = resolve(import.meta.dirname, '..');

const readSources = () =>
  readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) =>
      readSource(file.slice(join(root, 'src').length + 1).replaceAll(sep, '/'), readFileSync(file, 'utf8')),
    );

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, object>;
const declared = Object.keys({ ...manifest['dependencies'], ...manifest['peerDependencies'] });

interface Sample {
  readonly [path: string]: string;
}

/** Each rule of the house, with houses that break it and a house that comes close but does not. */
const rules: { name: string; rule: Rule; bad: Sample[]; good: Sample }[] = [
  {
    name: 'every file is in a room of the house',
    rule: everyFileHasARoom,
    bad: [{ 'cellar/wine.ts': '' }, { 'main.ts': '' }],
    good: { 'index.ts': '', 'contracts/agent.ts': '' },
  },
  {
    name: 'a room imports only from floors below, never from its neighbours',
    rule: importsGoDown,
    bad: [
      { 'contracts/run.ts': `import { turn } from '../machines/turn.ts';` },
      { 'base/clock.ts': `import type { Run } from '../contracts/run.ts';` },
      { 'machines/agent.ts': `import type { Store } from '../persistence/store.ts';` },
      { 'coordination/debate.ts': `import { critique } from '../actors/critique.ts';` },
      { 'models/open-ai.ts': `export { live } from '../runtime/live.ts';` },
      { 'runtime/live.ts': `const inspect = await import('../inspect/recorder.ts');` },
      { 'testing/walk.ts': `import {\n  record,\n  replay,\n} from '../inspect/recorder.ts';` },
      { 'runtime/live.ts': `import { agent } from '../index.ts';` },
      { 'runtime/live.ts': `import '../../test/support/fixtures.ts';` },
      { 'index.ts': `export { scriptedModel } from './testing/scripted-model.ts';` },
    ],
    good: {
      'index.ts': `export { live } from './runtime/live.ts';`,
      'runtime/live.ts': `import { turn } from './turn.ts';\nimport { history } from '../contracts/history.ts';`,
      'machines/agent.ts': `/**\n import { live } from '../runtime/live.ts';\n*/\n// import '../runtime/live.ts'`,
    },
  },
  {
    name: 'a package is imported only in its rooms',
    rule: packagesStayInTheirRooms,
    bad: [
      { 'actors/decide.ts': `import { fromPromise } from 'xstate';` },
      { 'contracts/agent.ts': `import { setup } from 'xstate';` },
      { 'machines/agent.ts': `import { Subject } from 'rxjs';` },
      { 'models/prices.ts': `import type { Observable } from 'rxjs';` },
      { 'runtime/live.ts': `import { AsyncLocalStorage } from 'node:async_hooks';` },
      { 'tools/registry.ts': `const fs = await import('node:fs');` },
      { 'models/open-ai.ts': `import OpenAI from 'openai';` },
      { 'runtime/live.ts': `import type Anthropic from '@anthropic-ai/sdk';` },
      { 'inspect/telemetry/spans.ts': `import { trace } from '@opentelemetry/api';` },
      { 'runtime/live.ts': `const api = await import('@opentelemetry/api');` },
    ],
    good: {
      'contracts/agent.ts': `import type { ActorLogic } from 'xstate';\nimport type { Observable } from 'rxjs';`,
      'machines/agent.ts': `import { setup } from 'xstate';`,
      'tools/built-in/read-file.ts': `import { readFile } from 'node:fs/promises';`,
      'models/open-ai.ts': `import type { Stream } from 'openai/streaming';\nawait import('openai');`,
    },
  },
  {
    name: 'what is imported is a declared dependency',
    rule: importsAreDeclared(declared),
    bad: [
      { 'tools/schemas.ts': `import Ajv from 'ajv';` },
      { 'tools/mcp.ts': `import '@other/zod';` },
      { 'tools/graph.ts': `import { layout } from '@dagrejs/dagre';` },
      { 'cli/show.ts': `import { eastAsianWidth } from 'get-east-asian-width';` },
    ],
    good: {
      'cli/terminal/cells.ts': `import { eastAsianWidth } from 'get-east-asian-width';`,
      'tools/schemas.ts': `import { z } from 'zod/v4';\nimport { jsonrepair } from 'jsonrepair';`,
      'inspect/drawing/flow-layout.ts': `import { layout } from '@dagrejs/dagre';`,
    },
  },
  {
    name: 'the page of the inspector knows only what a recording holds, and nobody else needs what it is made of',
    rule: thePageStandsAlone,
    bad: [
      { 'inspect/page/app.tsx': `import { spanOf } from '../../events/activity.ts';` },
      { 'inspect/page/app.tsx': `import { toJson } from '../../contracts/json.ts';` },
      { 'inspect/page/app.tsx': `import { readFileSync } from 'node:fs';` },
      { 'inspect/page/parts/app.tsx': `import { recorder } from '../../recording/recorder.ts';` },
      { 'inspect/local/server.ts': `import { render } from 'preact';` },
      { 'inspect/drawing/words.ts': `import { Lexer } from 'marked';` },
    ],
    good: {
      'inspect/page/app.tsx': `import { render } from 'preact';\nimport type { Json } from '../../contracts/json.ts';`,
      'inspect/page/prose/lexer.ts': `import { Lexer } from 'marked';`,
      'inspect/page/parts/chart.tsx': `import { Tableau } from '../../recording/tableau.ts';\nimport '../app.tsx';`,
      'inspect/page/folds/run-sums.ts': `import { RunCounter } from '../../../runtime/actors/run-counter.ts';`,
    },
  },
  {
    name: 'files and folders are in kebab-case',
    rule: namesAreKebabCase,
    bad: [{ 'tools/defineTool.ts': '' }, { 'tools/define_tool.ts': '' }, { 'tools/BuiltIn/clock.ts': '' }],
    good: { 'tools/define-tool.ts': '', 'inspect/page/index.html': '' },
  },
  {
    name: 'no name is a drawer for anything (types, utils, common, core)',
    rule: namesSaySomething,
    bad: [
      { 'tools/types.ts': '' },
      { 'runtime/utils.ts': '' },
      { 'models/common/json.ts': '' },
      { 'core.ts': '' },
    ],
    good: { 'base/json.ts': '' },
  },
  {
    name: 'no file is longer than 400 lines',
    rule: filesAreShort,
    bad: [{ 'runtime/live.ts': 'x;\n'.repeat(401) }],
    good: { 'runtime/live.ts': 'x;\n'.repeat(400), 'index.ts': 'x;\n'.repeat(401) },
  },
  {
    name: 'no folder has more than 25 files without rooms',
    rule: foldersHaveRooms,
    bad: [Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`runtime/part-${index}.ts`, '']))],
    good: Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [
        `runtime/${index % 2 ? 'left' : 'right'}/part-${index}.ts`,
        '',
      ]),
    ),
  },
  {
    name: 'exports are named',
    rule: exportsAreNamed,
    bad: [
      { 'index.ts': `export * from './contracts/agent.ts';` },
      { 'index.ts': `export * as tools from './tools/define-tool.ts';` },
      { 'index.ts': `export type * from './contracts/agent.ts';` },
    ],
    good: { 'index.ts': `export { agent } from './runtime/agent.ts';` },
  },
  {
    name: 'no imports go round in a circle',
    rule: importsHaveNoCycles,
    bad: [
      {
        'tools/a.ts': `import './b.ts';`,
        'tools/b.ts': `import './c.ts';`,
        'tools/c.ts': `import './a.ts';`,
      },
      { 'tools/a.ts': `import type { B } from './b.ts';`, 'tools/b.ts': `import type { A } from './a.ts';` },
      {
        'contracts/agent.ts': `import type { Tool } from './tool.ts';`,
        'contracts/tool.ts': `export type { Agent } from './agent.ts';`,
      },
      { 'tools/a.ts': `import './a.ts';` },
    ],
    good: {
      'tools/a.ts': `import './b.ts';\nimport './c.ts';`,
      'tools/b.ts': `import './c.ts';`,
      'tools/c.ts': '',
    },
  },
  {
    name: 'prose is in the English of the field: docstrings begin with their subject, and terms are called by name',
    rule: proseIsFieldEnglish,
    bad: [
      { 'runtime/live.ts': '/** What a run came to. */' },
      { 'runtime/live.ts': '/**\n * Whether a run is over.\n */' },
      { 'runtime/live.ts': '  /** How long it may take. */' },
      { 'runtime/live.ts': '/** Goes through the records of a run again. */' },
      { 'runtime/live.ts': '// Ends a run that was taken\n// up.' },
      { 'runtime/live.ts': '/** Notifies whoever subscribed. */' },
      { 'runtime/live.ts': "const message = 'Cannot begin as it was called off';" },
    ],
    good: {
      'runtime/live.ts':
        '/** Replays a run. What it did is on record. */\n// What a person said.\nconst whoAmI = 1;',
    },
  },
  {
    name: 'a function is named by what it does or gives, not by a participle',
    rule: functionsAreNotParticiples,
    bad: [
      { 'runtime/lease.ts': 'export const released = (lease: Lease): void => undefined;' },
      { 'runtime/lease.ts': 'const heldBy = async (name: string) => name;' },
      { 'runtime/lease.ts': 'export function kept<T>(value: T): T {' },
    ],
    good: {
      'machines/agent.ts': 'export const observed = (context: Context) => context;\nconst embed = () => 1;',
      'runtime/lease.ts':
        "const released = 'released';\nexport const releasedLease = (lease: Lease) => lease;",
    },
  },
  {
    name: 'what lives for a run has no getters in object literals',
    rule: runsHaveNoLiteralGetters,
    bad: [
      {
        'runtime/mail/watch.ts':
          'const watcher = () => ({\n    get closed() {\n      return true;\n    },\n});',
      },
    ],
    good: { 'runtime/mail/watch.ts': 'class Watch {\n  get closed() {\n    return true;\n  }\n}' },
  },
];

const read = (sample: Sample) => Object.entries(sample).map(([path, text]) => readSource(path, text));

describe.each(rules)('$name', ({ rule, bad, good }) => {
  it('holds in src', () => {
    expect(rule(readSources())).toEqual([]);
  });

  it.each(bad.map((sample, number) => ({ number: number + 1, sample })))(
    'is broken by bad sample $number',
    ({ sample }) => {
      expect(rule(read(sample))).not.toEqual([]);
    },
  );

  it('is not broken by the good sample', () => {
    expect(rule(read(good))).toEqual([]);
  });
});

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names files that exist', (page) => {
  const named = readFileSync(join(root, page), 'utf8').matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g);
  const gone = Array.from(named, ([, path = '']) => path).filter(
    (path) => !existsSync(join(root, path)) && !existsSync(join(root, 'src', path)),
  );
  expect(gone).toEqual([]);
});

/** Pages and programs that are written by hand: coverage.md and docs/api are made of the tests and the sources. */
const pages = (): readonly string[] =>
  ['docs/guide', 'docs/decisions', 'docs/.vitepress/theme', 'examples']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(?:md|ts|vue|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.includes('node_modules'))
    .concat([
      'README.md',
      'ARCHITECTURE.md',
      'docs/index.md',
      'docs/models.md',
      'docs/providers.md',
      'docs/react.md',
    ]);

test('pages, decisions and examples are in the English of the field, too', () => {
  expect(pages().flatMap((path) => paraphrasesIn(path, readFileSync(join(root, path), 'utf8')))).toEqual([]);
});

test('what tests share cleans up for each test: a hook of its own would run for the first file of a worker alone', () => {
  const shared = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => /(?<!\.test)\.ts$/.test(path) && !path.includes('node_modules'),
  );
  const hooked = shared.filter((path) =>
    /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(join(root, 'test', path), 'utf8')),
  );
  expect(hooked).toEqual([]);
});
