import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { McpServerOptions } from '../../../src/mcp/index.ts';
import { calling, denied, EverythingOverHttp, finished, progressed, realServer } from './real-servers.ts';
import type { MadeCall } from './real-servers.ts';

/** Paths as a server knows them, which follows links. */
const folder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'troupe-judged-')));

describe.each(['standard input and output', 'HTTP'])('the server of everything, over %s', (way) => {
  let overHttp: EverythingOverHttp | undefined;
  beforeAll(async () => {
    if (way === 'HTTP') overHttp = await EverythingOverHttp.start();
  });
  afterAll(() => overHttp?.kill());
  const everything = (options: Partial<McpServerOptions> = {}): McpServerOptions =>
    overHttp === undefined
      ? realServer('everything', ['stdio'], options)
      : { name: 'everything', url: overHttp.url, ...options };

  const text = Buffer.from('hello').toString('base64');
  const expected: readonly (readonly [call: MadeCall, said: RegExp])[] = [
    [['echo', { message: 'hi' }], /^Echo: hi$/],
    [['get-sum', { a: 1, b: 2 }], /The sum of 1 and 2 is 3\./],
    [['get-structured-content', { location: 'Chicago' }], /^\{"temperature":36,.*"humidity":82\}$/],
    [['get-tiny-image', {}], /MCP logo/],
    [
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      /^Error: .*\n+\[image image\/png\]$/,
    ],
    [['get-resource-links', { count: 2 }], /demo:\/\/resource\/dynamic\/blob\/1\n.*dynamic\/text\/2/],
    [['get-resource-reference', { resourceType: 'Text', resourceId: 1 }], /This is a plaintext resource/],
    [['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }], /dynamic\/blob\/2:\n+\[file 2\]/],
    [
      [
        'gzip-file-as-resource',
        { name: 'a.gz', data: `data:text/plain;base64,${text}`, outputType: 'resource' },
      ],
      /\[file .*a\.gz\]/,
    ],
    [['toggle-simulated-logging', {}], /Started simulated/],
    [['list_resources', {}], /features\.md · .*\n(.*\n)*demo:\/\/resource\/dynamic\/text\/\{resourceId\} · /],
    [['read_resource', { uri: 'demo://resource/static/document/features.md' }], /# Everything Server/],
    [['list_prompts', {}], /args-prompt\(city, state\) · /],
    [['get_prompt', { name: 'args-prompt', arguments: { city: 'Bergen' } }], /weather in Bergen/],
  ];

  test('its texts, structures, pictures, resources and prompts come through, and its log messages do no harm', async () => {
    const made = expected.map(([call]) => call);
    const result = await calling(everything({ prompts: true }), ...made).run('go');
    expect(finished(result).map(({ ok, text: said }, index) => [made[index]?.[0], ok, said])).toEqual(
      expected.map(([[name], said]) => [name, true, expect.stringMatching(said)]),
    );
    const shown = result.records.flatMap(({ results }) => results.flatMap(({ parts = [] }) => parts));
    expect(shown.filter((part) => 'hash' in part).map(({ mediaType }) => mediaType)).toEqual([
      'image/png',
      'image/png',
      'text/plain',
      'application/gzip',
    ]);
    expect(result.output).toBe('Done.');
  });

  test('a structured result is the value of the call, and one that the server refuses is quoted', async () => {
    const result = await calling(
      everything(),
      ['get-structured-content', { location: 'New York' }],
      ['read_resource', { uri: 'demo://nowhere' }],
    ).run('go');
    const [weather, nowhere] = finished(result);
    expect(weather?.text).toContain('"conditions":"Cloudy"');
    expect(nowhere).toMatchObject({ ok: false, error: { code: 'tool.failed' } });
    expect(nowhere?.text).toMatch(/the server refused it: .*Resource demo:\/\/nowhere not found$/);
  });

  test('a long operation reports its progress to the last step, and one past its time-out is cancelled', async () => {
    const work = (duration: number): MadeCall => ['trigger-long-running-operation', { duration, steps: 4 }];
    const done = await calling(everything(), work(0.2)).run('go');
    expect(progressed(done)).toEqual(['1 of 4', '2 of 4', '3 of 4', '4 of 4']);
    expect(finished(done)[0]?.text).toContain('completed');
    const late = await calling(everything({ timeoutMs: 300 }), work(20), ['echo', { message: 'still' }]).run(
      'go',
    );
    expect(finished(late)).toMatchObject([
      { ok: false, error: { code: 'tool.timeout' } },
      { ok: true, text: 'Echo: still' },
    ]);
  });

  test('each field of its form is asked of a person, with defaults and words, and its address wants consent', async () => {
    const asked: string[] = [];
    const answer = (question: string): string => {
      asked.push(question);
      const known = ANSWERS.find(([about]) => about.test(question));
      return known?.[1] ?? '';
    };
    const result = await calling(
      everything(),
      ['trigger-elicitation-request', {}],
      ['trigger-url-elicitation', { url: 'https://bank.example/pay' }],
    ).run('go', { person: { answer } });
    const [form, address] = finished(result);
    expect(form?.text).toContain('"action": "accept"');
    expect(form?.text).toMatch(/"name": "Ada"/);
    expect(form?.text).toMatch(/"firstLine": "It was a dark and stormy night\."/);
    expect(form?.text).toMatch(/"integer": 42/);
    expect(form?.text).toMatch(/"titledSingleSelectEnum": "hero-2"/);
    expect(form?.text).toMatch(/"titledMultipleSelectEnum": \[\s*"fish-1",\s*"fish-3"\s*\]/);
    expect(form?.text).toMatch(/"legacyTitledEnum": "pet-3"/);
    expect(asked.join('\n')).toContain('hero-1 (Superman), hero-2 (Green Lantern)');
    expect(asked.at(-1)).toContain('It wants you to open https://bank.example/pay');
    expect(address?.ok).toBe(true);
  });

  test('it samples the model of the agent where it is allowed, and offers no tool for it elsewhere', async () => {
    const sampling: MadeCall = [
      'trigger-sampling-request',
      { prompt: 'Say a word.', maxTokens: 20 },
      'Bergen',
    ];
    const allowed = await calling(everything({ sampling: true }), sampling).run('go');
    expect(finished(allowed).at(-1)?.text).toContain('"text": "Bergen"');
    const [name, input] = sampling;
    const refused = await calling(everything(), [name, input]).run('go');
    expect(finished(refused)).toMatchObject([{ ok: false, error: { code: 'tool.unknown' } }]);
  });

  test.runIf(way === 'HTTP')('its session is ended with the run', async () => {
    await calling(everything(), ['echo', { message: 'hi' }]).run('go');
    const sessions = overHttp?.said.match(/Session initialized/g)?.length ?? 0;
    expect(sessions).toBeGreaterThan(0);
    expect(overHttp?.said.match(/Received session termination request/g)).toHaveLength(sessions);
  });
});

/** Answers to the fields of the server's form, by what is asked. */
const ANSWERS: readonly (readonly [about: RegExp, answer: string])[] = [
  [/to open https/, 'done'],
  [/full, legal name/, 'Ada'],
  [/Agree to the terms/, 'yes'],
  [/favorite hero/, 'green lantern'],
  [/types of fish/, 'Tuna, fish-3'],
  [/type of pet/, 'birds'],
];

describe('the server of files', () => {
  test('what its annotations call destructive waits for a person, and its root holds', async () => {
    const root = folder();
    writeFileSync(join(root, 'note.txt'), 'one\ntwo\n');
    const path = join(root, 'new.txt');
    const made: readonly MadeCall[] = [
      ['read_text_file', { path: join(root, 'note.txt') }],
      ['write_file', { path, content: 'three' }],
      ['read_text_file', { path: '/etc/hostname' }],
      ['list_directory', { path: root }],
    ];
    const alone = await calling(realServer('filesystem', [root]), ...made).run('go');
    expect(finished(alone).map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(denied(alone)).toEqual(['filesystem.write_file']);
    expect(finished(alone)[1]?.text).toMatch(/Access denied/);
    const approved = await calling(realServer('filesystem', [root]), ...made).run('go', {
      person: { approve: () => true },
    });
    expect(finished(approved).map(({ ok }) => ok)).toEqual([true, true, false, true]);
    expect(finished(approved)[3]?.text).toContain('[FILE] new.txt');
    expect(readFileSync(path, 'utf8')).toBe('three');
  });
});

describe('the server of memories', () => {
  test('its structured results satisfy the schemas that it declares, from one run to the next', async () => {
    const env = { MEMORY_FILE_PATH: join(folder(), 'memory.jsonl') };
    const ada = { name: 'Ada', entityType: 'person', observations: ['likes rain'] };
    const first = await calling(
      realServer('memory', [], { env }),
      ['create_entities', { entities: [ada] }],
      ['create_relations', { relations: [{ from: 'Ada', to: 'Ada', relationType: 'knows' }] }],
      ['add_observations', { observations: [{ entityName: 'Ada', contents: ['counts'] }] }],
    ).run('go');
    expect(finished(first).map(({ ok }) => ok)).toEqual([true, true, true]);
    const second = await calling(
      realServer('memory', [], { env }),
      ['search_nodes', { query: 'Ada' }],
      ['delete_entities', { entityNames: ['Ada'] }],
      ['read_graph', {}],
    ).run('go');
    const [found, graph] = finished(second);
    expect(found?.text).toContain('likes rain');
    expect(denied(second)).toEqual(['memory.delete_entities']);
    expect(graph?.text).toContain('counts');
  });
});
