import { createMcpHandler, McpServer, Server } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, replay } from '../../src/index.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { platformSha256 } from '../../src/base/platform-sha256.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { skills } from '../../src/tools/index.ts';
import { skillText } from './skills-folder.ts';

const REFUNDS = skillText('refunds', 'Read references/limits.md.');
const LIMITS = 'A hotel: 140 euros a night.\n';

/** A server of the package that serves the skills in some files, as they are now, with what it was asked to read. */
const desk = async (files: Record<string, string | Uint8Array>, isLegacy = false) => {
  const catalog = await SkillsExtension.load(memorySkillFiles(files));
  const asked: string[] = [];
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      catalog.attach(server);
      return server;
    },
    isLegacy ? {} : { legacy: 'reject' },
  );
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = await request.clone().text();
    if (isLegacy && body.includes('server/discover')) return new Response('no', { status: 400 });
    const { uri } = {
      uri: undefined,
      ...(body === '' ? {} : (JSON.parse(body) as { params?: object }).params),
    };
    if (typeof uri === 'string') asked.push(uri);
    return handler.fetch(request);
  };
  return { asked, fetch, source: { mcp: { name: 'desk', url: 'https://desk.test/mcp', fetch } } };
};

const use = (skill: string) => calls({ name: 'skills.use_skill', input: { skill } });
const read = (skill: string, path: string) =>
  calls({ name: 'skills.read_skill_file', input: { skill, path } });

const clerk = (from: Parameters<typeof skills>[0], ...script: Parameters<typeof scriptedModel>[0]) =>
  agent({ name: 'clerk', tools: [skills(from)], model: scriptedModel([...script, 'Done.']) });

const resultsOf = ({ records }: RunResult<unknown>) => records.flatMap(({ results }) => results);

test.each([false, true])(
  'skills of a server are used as those of a folder, an older server: %s',
  async (isLegacy) => {
    const { source, asked } = await desk(
      { 'acme/refunds/SKILL.md': REFUNDS, 'acme/refunds/references/limits.md': LIMITS },
      isLegacy,
    );
    const store = memoryStore();
    const made = clerk(source, use('refunds'), read('refunds', 'references/limits.md'));
    const result = await made.run('go', { store, runId: 'run-1' });
    expect(resultsOf(result).map(({ ok, text }) => [ok, text])).toEqual([
      [true, expect.stringContaining('- references/limits.md (28 bytes)')],
      [true, LIMITS],
    ]);
    // Nothing is read ahead of need, and each file once.
    expect(asked.map((uri) => uri.split('/').at(-1))).toEqual(['SKILL.md', 'limits.md']);
    const hashes = { skill: platformSha256(Buffer.from(REFUNDS)), file: platformSha256(Buffer.from(LIMITS)) };
    expect(result.events.find(({ type }) => type === 'toolset.opened')).toMatchObject({
      tools: { refunds: hashes.skill },
    });
    expect(result.events.flatMap((event) => (event.type === 'custom.emitted' ? [event.data] : []))).toEqual([
      { skill: 'refunds', path: 'SKILL.md', hash: hashes.skill },
      { skill: 'refunds', path: 'references/limits.md', hash: hashes.file },
    ]);
    const gone = clerk({ mcp: { ...source.mcp, fetch: () => Promise.reject(new Error('gone')) } });
    expect((await replay(gone, 'run-1', { store })).result).toMatchObject({ output: 'Done.' });
  },
);

test('paths lead nowhere but to the files that the server lists for the skill', async () => {
  const { source, asked } = await desk({
    'refunds/SKILL.md': REFUNDS,
    'other/SKILL.md': skillText('other', 'x'),
  });
  const paths = [
    '../other/SKILL.md',
    '/etc/passwd',
    'skill://other/SKILL.md',
    'https://evil.test/x',
    'a\\b',
    'SKILL.MD',
  ];
  const result = await clerk(source, ...paths.map((path) => read('refunds', path))).run('go');
  expect(resultsOf(result).map((each) => (each.ok ? 'ok' : each.error.code))).toEqual([
    'tool.denied',
    'tool.denied',
    'skill.unreadable',
    'skill.unreadable',
    'tool.denied',
    'skill.unreadable',
  ]);
  expect(asked).toEqual([]);
});

test('a file that is not what the server listed is not shown to the model', async () => {
  const { source, fetch } = await desk({ 'refunds/SKILL.md': REFUNDS, 'refunds/limits.md': LIMITS });
  const lying: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const text = (await response.text()).replaceAll('140 euros', '999 euros');
    return new Response(text, { status: response.status, headers: response.headers });
  };
  const given = { mcp: { ...source.mcp, fetch: lying } };
  const result = await clerk(given, read('refunds', 'limits.md')).run('go');
  expect(resultsOf(result)[0]).toMatchObject({
    ok: false,
    error: { code: 'skill.unreadable', message: expect.stringContaining('not what the server listed') },
  });
  expect(JSON.stringify(result.transcript)).not.toContain('999');
});

test('two skills of one name are told apart by their paths; one of the server and one of a folder are refused', async () => {
  const two = await desk({ 'billing/refunds/SKILL.md': REFUNDS, 'support/refunds/SKILL.md': REFUNDS });
  const { events } = await clerk(two.source, use('support/refunds')).run('go');
  expect(events.find(({ type }) => type === 'toolset.opened')).toMatchObject({
    tools: { 'billing/refunds': expect.any(String), 'support/refunds': expect.any(String) },
  });
  const one = await desk({ 'refunds/SKILL.md': REFUNDS });
  const other = await desk({ 'more/refunds/SKILL.md': REFUNDS });
  await expect(clerk([one.source, other.source]).run('go')).rejects.toMatchObject({
    message: expect.stringContaining('two have that name'),
  });
});

test('a server without skills, or without the extension, ends the run at its start, unless it is optional', async () => {
  const handler = createMcpHandler(() => new Server({ name: 'bare', version: '1' }, { capabilities: {} }));
  const fetch: typeof globalThis.fetch = (input, init) => handler.fetch(new Request(input, init));
  const mcp = { name: 'bare', url: 'https://bare.test/mcp', fetch };
  await expect(clerk({ mcp }).run('go')).rejects.toMatchObject({
    code: 'tool.setup',
    message: expect.stringContaining('it does not declare'),
  });
  const { events } = await clerk({ mcp: { ...mcp, optional: true } }).run('go');
  expect(events.find(({ type }) => type === 'toolset.opened')).toMatchObject({
    refused: { bare: expect.stringContaining('it does not declare') },
  });
});

test('options that have no meaning for skills are refused', () => {
  const given = { name: 'desk', url: 'https://desk.test/mcp', sampling: true };
  expect(() => skills({ mcp: given })).toThrow(/`sampling` is of `mcpServer`/);
});

test('skills that are too large, without hashes, or with files elsewhere are left out, and the others stay', async () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const entry = (name: string, more: readonly { uri: string; size: number }[] | 'dynamic') => ({
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description: 'Does something.' },
    resources:
      more === 'dynamic'
        ? more
        : [{ uri: `skill://${name}/SKILL.md`, size: 1 }, ...more].map((each) => ({ ...each, digest })),
  });
  const many = Array.from({ length: 512 }, (_, index) => ({ uri: `skill://many/${index}.md`, size: 1 }));
  const listed = [
    entry('good', []),
    entry('many', many),
    entry('large', [{ uri: 'skill://large/a.bin', size: 16_777_216 }]),
    entry('generated', 'dynamic'),
    entry('foreign', [{ uri: 'skill://good/a.md', size: 1 }]),
    entry('climbing', [{ uri: 'skill://climbing/%2e%2e/good/a.md', size: 1 }]),
  ];
  const handler = createMcpHandler(() => {
    const capabilities = { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } };
    const server = new Server({ name: 'odd', version: '1' }, { capabilities });
    const result = { ttlMs: 0, cacheScope: 'private', skills: listed };
    server.setRequestHandler('skills/list', { params: z.looseObject({}) }, () => result);
    return server;
  });
  const fetch: typeof globalThis.fetch = (input, init) => handler.fetch(new Request(input, init));
  const { events } = await clerk({ mcp: { name: 'odd', url: 'https://odd.test/mcp', fetch } }).run('go');
  const opened = events.find((event) => event.type === 'toolset.opened');
  expect(Object.keys(opened?.tools ?? {})).toEqual(['good']);
  expect(Object.keys(opened?.refused ?? {}).toSorted()).toEqual(
    ['climbing', 'foreign', 'generated', 'large', 'many'].map((name) => `skill://${name}/SKILL.md`),
  );
});
