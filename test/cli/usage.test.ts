import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shapes } from '../../src/cli/usage/command-shapes.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-usage-'));
  mkdirSync(join(folder, 'empty'));
  mkdirSync(join(folder, 'binary'));
  writeFileSync(join(folder, 'binary/logo.png'), Buffer.from([0, 1, 2, 3]));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('help', () => {
  test.each([['--help'], ['help'], ['-h']])(
    'of all commands goes to standard output: troupe %s',
    async (arg) => {
      const { code, stdout, stderr } = await play([arg]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const word of ['troupe ask', 'troupe run', 'troupe graph', '130', 'OPENAI_API_KEY'])
        expect(stdout).toContain(word);
    },
  );

  test('is given without a command too', async () => {
    expect(await play([])).toEqual(await play(['--help']));
  });

  test.each(Object.keys(shapes))('of %s says how it is used', async (name) => {
    for (const args of [
      [name, '--help'],
      ['help', name],
    ]) {
      const { code, stdout } = await play(args);
      expect(code).toBe(0);
      expect(stdout).toContain(`troupe ${name}`);
      expect(stdout).toMatch(/Usage:|Examples?:/);
    }
  });

  test('the version is that of the package', async () => {
    expect(await play(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  });
});

describe('what makes no sense is one clear line on standard error, and exit code 2', () => {
  const wrong: readonly (readonly [what: string, args: readonly string[], line: RegExp])[] = [
    ['an unknown command', ['frobnicate'], /no such command: 'frobnicate'/],
    [
      'an unknown option',
      ['ask', '--frobnicate'],
      /'--frobnicate' \(there are --budget, .*\. See: troupe ask --help$/m,
    ],
    ['an option without its value', ['ask', '--model'], /--model/],
    ['an option of another command', ['ask', 'why?', '--data'], /'ask' has no such option: --data/],
    ['a question without quotes', ['ask', 'why', '.', 'is', 'it'], /quote arguments with spaces/],
    ['an empty question', ['ask', ' '], /question is empty/],
    ['both --json and --reveal', ['run', 'a.ts', '--json', '--reveal'], /--json, .+ and --reveal/],
    ['both --json and --quiet', ['ask', '--json', '--quiet'], /--json and --quiet/],
    ['a run of nothing', ['run'], /no file was named/],
    ['a run that is not named', ['show'], /no run was named: troupe runs lists them/],
    ['a second run that is not named', ['compare', 'abcd'], /give both/],
    ['an answer that is not given', ['answer', 'abcd'], /no answer was given/],
    ['neither a run nor all', ['resume'], /give one, or --all-due/],
    ['a run and all', ['resume', 'abcd', '--all-due'], /a run and --all-due/],
    ['a fork from nowhere', ['fork', 'abcd'], /give --at STEP/],
    ['a step that is no number', ['fork', 'abcd', '--at', 'two'], /--at is not a whole number: 'two'/],
    ['a status that is none', ['runs', '--status', 'done,failed'], /--status has no 'done'.*completed/],
    ['a target that there is not', ['suggest', '--target', 'speed'], /give one of latency, cost, accuracy/],
    ['an age that is not given', ['prune'], /give --older-than 30d/],
    ['an age that is no time', ['prune', '--older-than', 'ages'], /not a duration: 'ages'.*30d/],
    ['a store without a name', ['runs', '--store', ''], /--store names no store/],
    ['a run without input', ['run', moduleOf('echo.ts')], /as it has no input/],
    [
      'data that is no JSON',
      ['run', moduleOf('weather.ts'), 'Oslo', '--data'],
      /--data takes JSON: found 'Oslo'/,
    ],
    [
      'input that the agent does not take',
      ['run', moduleOf('weather.ts'), '{"city": 1}', '--data'],
      /does not fit its schema: city/,
    ],
    ['a folder that is not there', ['ask', 'why?', 'nowhere'], /as there is no such folder$/m],
    ['a folder that is a file', ['ask', 'why?', 'binary/logo.png'], /not a folder/],
    ['an empty folder', ['ask', 'why?', 'empty'], /the folder is empty$/m],
    ['a folder without text', ['ask', 'why?', 'binary'], /no readable text: 1 skipped \(not text/],
    ['an unknown provider', ['ask', 'why?', '--model', 'acme:x'], /there is no provider 'acme'.*openai/],
    ['a server that is not named', ['ask', 'why?', '--model', 'compatible:x'], /OPENAI_BASE_URL/],
    ['a module that is not there', ['run', 'nowhere.ts', 'x'], /no such file/],
    [
      'a module that exports nothing',
      ['run', moduleOf('nothing.ts'), 'x'],
      /exports neither an agent nor a team: it exports nothing; write `export default` before the agent$/m,
    ],
    [
      'a module without an agent',
      ['run', moduleOf('no-agent.ts'), 'x'],
      /exports neither an agent nor a team: it exports colour/,
    ],
    [
      'a module with several agents',
      ['run', moduleOf('several.ts'), 'x'],
      /several agents: one, two; choose one as \S+several\.ts#NAME, or with --export NAME/,
    ],
    [
      'an export that is not there, named after the file',
      ['graph', `${moduleOf('several.ts')}#three`],
      /several\.ts as its export 'three' is not an agent/,
    ],
    [
      'two exports',
      ['run', `${moduleOf('several.ts')}#one`, 'x', '--export', 'two'],
      /two exports are named: 'one' after the file, and 'two' by --export/,
    ],
    [
      'two exports of a module for a stored run',
      ['replay', 'abcd', '--agent', 'several.ts#one', '--export', 'two'],
      /two exports are named: 'one' after the file, and 'two' by --export/,
    ],
    [
      'an export that is not there',
      ['run', moduleOf('several.ts'), 'x', '--export', 'three'],
      /'three' is not an agent/,
    ],
    ['a module that throws', ['run', moduleOf('broken.ts'), 'x'], /it failed: the kettle is empty/],
    ['an agent without a name', ['run', moduleOf('nameless.ts'), 'x'], /name is not 1 to 64 letters/],
    ['two tools of one name', ['run', moduleOf('same-names.ts'), 'x'], /tool 'add' as its name is taken/],
    [
      'a schema that is none',
      ['run', moduleOf('bad-schema.mjs'), 'x'],
      /its output is not a Standard Schema: 42/,
    ],
    ['a graph of nothing', ['graph', moduleOf('no-agent.ts')], /exports neither an agent nor a team/],
  ];

  test.each(wrong)('%s', async (_, args, line) => {
    const { code, stdout, stderr } = await play(args, { folder });
    expect(stderr).toMatch(line);
    expect(stderr).toMatch(/^✗ Cannot [^\n]+ as [^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test.each([
    ['aks', 'ask'],
    ['ruN', 'run'],
    ['inspct', 'inspect'],
    ['forks', 'fork'],
  ])('[FIND-83] a command that is misspelt is suggested: %s', async (given, meant) => {
    const { code, stderr } = await play([given, 'why?']);
    expect(code).toBe(2);
    expect(stderr).toContain(`there is no such command: '${given}' (did you mean '${meant}'?)`);
  });

  test.each([
    [['ask', 'why?', '--budget', '-3'], "--budget is negative: '-3'"],
    [['ask', 'why?', '--budget=-.5'], "--budget is negative: '-.5'"],
    [['runs', '--limit', '-1'], "--limit is negative: '-1'"],
  ])('[FIND-83] a negative number is called one: %j', async (args, words) => {
    const { code, stderr } = await play(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) as string });
    expect(stderr).not.toContain('ambiguous');
  });

  test.each(['openai:gpt-5.5', 'anthropic:claude-sonnet-5-5'])(
    '[FIND-83] a key of %s that is missing is said before a file is read',
    async (model) => {
      const { code, stderr, stdout } = await play(['ask', 'why?', 'nowhere', '--model', model], { folder });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^✗ .*(?:OPENAI|ANTHROPIC)_API_KEY/);
      expect(stderr).not.toContain('folder');
      const run = await play(['run', moduleOf('echo.ts'), 'x', '--model', model]);
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
    },
  );

  test('with --debug it also says where it comes from', async () => {
    const { stderr } = await play(['run', moduleOf('broken.ts'), 'x', '--debug']);
    expect(stderr).toContain('code: command.usage');
    expect(stderr).toMatch(/caused by: Error: the kettle/);
    expect(stderr).toMatch(/broken\.ts:\d+/);
  });
});
