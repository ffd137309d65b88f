import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { options } from '../../src/cli/usage/command-shapes.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
/** Runs of the store `runs.db`: one that has ended, and two that wait for a person. */
const runs = { ended: '', asking: '', approving: '' };
const store = ['--store', 'runs.db'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-bad-values-'));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/leave.md'), '# Leave\nEverybody has 30 days of leave a year.\n');
  writeFileSync(join(folder, 'a-file'), 'x');
  const begun = async (module: string): Promise<string> => {
    await play(['run', moduleOf(module), 'x', '--park', ...store], { folder });
    const { stdout } = await play(['runs', '--json', '--limit', '1', ...store], { folder });
    return /"runId":"(\w+)"/.exec(stdout)?.[1] ?? '';
  };
  runs.ended = await begun('echo.ts');
  runs.asking = await begun('people.ts');
  runs.approving = await begun('patient.ts');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const echo = moduleOf('echo.ts');
const numbers = moduleOf('numbers.eval.ts');
const weather = moduleOf('weather.ts');

/** A bad value of an option: the command before it, what is found, and what to do; `ENDED` … stand for runs. */
const bad: readonly (readonly [option: string, value: string, before: readonly string[], advice: RegExp])[] =
  [
    ['--model', 'gpt-5.5', ['run', echo, 'x'], /did you mean 'openai:gpt-5.5'\?/],
    ['--model', '', ['ask', 'leave?', 'docs'], /write provider:model/],
    ['--model', 'acme:x', ['mcp', echo], /providers are openai/],
    ['--model', 'gpt-5.5', ['fork', 'ENDED', '--at', '0', ...store], /did you mean/],
    ['--store', 'nope://x', ['runs'], /Give a FILE \(SQLite\), postgres:\/\/…, memory or none/],
    ['--store', 'nope://x', ['run', echo, 'x'], /Give a FILE/],
    ['--store', '', ['runs'], /Give a FILE/],
    ['--store', 'docs', ['runs'], /a folder: .*Name another file/],
    ['--store', 'docs', ['run', echo, 'x'], /a folder: .*Name another file/],
    ['--store', 'a-file', ['runs'], /a file that is no SQLite database: .*Name another file/],
    ['--store', 'a-file', ['import', 'a-file'], /no SQLite database/],
    ['--store', 'typo.db', ['show', 'ENDED'], /not there: .*Check its name/],
    ['--template', 'crowd', ['new', 'a'], /give one of agent, team/],
    ['--provider', 'acme', ['new', 'a'], /give one of none, openai, anthropic/],
    ['--export', 'nobody', ['run', echo, 'x'], /it exports default/],
    ['--export', '', ['graph', echo], /leave it out/],
    ['--agent', 'nowhere.ts', ['replay', 'ENDED', ...store], /there is no such file/],
    ['--agent', '', ['resume', 'ENDED', ...store], /leave it out/],
    ['--file', 'nowhere.ts', ['fork', 'ENDED', '--at', '0', ...store], /there is no such file/],
    ['--budget', 'lots', ['ask', 'leave?', 'docs'], /Give one such as 0\.50/],
    ['--memory', '', ['ask', 'leave?', 'docs'], /Give the path/],
    ['--memory', 'a-file', ['ask', 'leave?', 'docs'], /Give the path of a folder/],
    ['--trace', '', ['run', echo, 'x'], /Give the path/],
    ['--status', 'done', ['runs', ...store], /one or several of running,waiting,completed/],
    ['--status', 'running', ['prune', '--older-than', '1d', ...store], /of completed,stopped,aborted,failed/],
    ['--status', 'waiting', ['trace', 'list', 'docs'], /interrupted/],
    ['--target', 'beauty', ['suggest', ...store], /one of latency, cost, accuracy/],
    ['--candidate', '', ['rehearse', ...store], /leave it out/],
    ['--candidate', 'nowhere.ts', ['rehearse', ...store], /there is no such file/],
    ['--check', '', ['upgrade', ...store], /leave it out/],
    ['--check', 'nowhere.ts', ['upgrade', ...store], /there is no such file/],
    ['--over', '', ['rehearse', '--candidate', echo], /Give a FILE/],
    ['--over', 'typo.db', ['rehearse', '--candidate', echo], /not there: .*Check its name/],
    ['--tools', 'all', ['rehearse', '--candidate', echo, '--live', ...store], /give recorded or read/],
    ['--tries', 'twice', ['eval', numbers], /Give one from 0 on/],
    ['--tries', '0', ['eval', numbers], /Give one from 1 on/],
    ['--junit', 'nowhere/evals.xml', ['eval', numbers], /a folder that is there/],
    ['--junit', '', ['eval', numbers], /leave it out/],
    ['--html', 'docs', ['eval', numbers], /it is a folder/],
    ['--faults', 'modle', ['resilience', echo, 'x'], /of model,tool,store,process/],
    ['--html', 'nowhere/r.html', ['resilience', echo, 'x'], /a folder that is there/],
    ['--tested', '', ['coverage', echo, ...store], /leave it out/],
    ['--tested', 'typo.db', ['coverage', echo, ...store], /not there: .*Check its name/],
    ['--mermaid', 'nowhere/lived.md', ['coverage', echo, ...store], /a folder that is there/],
    ['--comment', '', ['feedback', 'ENDED', 'bad', ...store], /leave it out/],
    ['--expected', '{', ['feedback', 'ENDED', '--data', ...store], /Give JSON/],
    ['--expected', '', ['feedback', 'ENDED', ...store], /leave it out/],
    ['--evaluator', '', ['feedback', 'ENDED', 'bad', ...store], /leave it out/],
    ['--path', '', ['feedback', 'ENDED', 'bad', ...store], /leave it out/],
    [
      '--path',
      'nobody',
      ['feedback', 'ENDED', 'bad', ...store],
      /no agent at 'nobody' .* Name one that troupe show/,
    ],
    ['--fails', '', ['blame', 'ENDED', ...store], /leave it out/],
    ['--fails', 'nowhere.ts', ['blame', 'ENDED', '--agent', echo, ...store], /there is no such file/],
    ['--samples', 'few', ['blame', 'ENDED', '--fails', echo, ...store], /Give one from 0 on/],
    ['--samples', '0', ['blame', 'ENDED', '--fails', echo, ...store], /Give one from 1 on/],
    ['--write', 'test.txt', ['blame', 'ENDED', '--fails', echo, ...store], /such as blamed\.test\.ts/],
    ['--write', '', ['blame', 'ENDED', '--fails', echo, ...store], /leave it out/],
    ['--depth', 'deep', ['verify', echo], /Give one from 0 on/],
    ['--report', '', ['verify', echo], /leave it out/],
    ['--sign', 'a-file', ['verify', echo], /with --report only/],
    ['--against', '', ['verify', echo], /leave it out/],
    ['--key', 'a-file', ['verify', echo], /with --against only/],
    ['--seed', 'any', ['simulate', echo], /Give one from 0 on/],
    ['--runs', '0', ['simulate', echo], /Give one from 1 on/],
    ['--days', 'many', ['simulate', echo], /Give one from 0 on/],
    ['--script', 'nowhere.json', ['simulate', echo], /no such file/],
    ['--script', '', ['simulate', echo], /leave it out/],
    ['--write', 'nowhere/failing.json', ['simulate', echo], /a folder that is there/],
    ['--limit', 'many', ['runs', ...store], /Give one from 0 on/],
    ['--limit', '-1', ['graph', echo, '--taken'], /Give a whole number from 0 on/],
    ['--limit', '1.5', ['trace', 'list', 'docs'], /Give one from 0 on/],
    ['--step', 'last', ['show', 'ENDED', ...store], /Give one from 0 on/],
    ['--call', 'zz', ['show', 'ENDED', ...store], /give a number from 1, or the end of a key/],
    ['--call', ' ', ['show', 'ENDED', ...store], /leave it out/],
    ['--at', 'start', ['fork', 'ENDED', ...store], /Give one from 0 on/],
    ['--at', '9', ['fork', 'ENDED', ...store], /troupe show \w+ lists the steps/],
    ['--event', 'last', ['fork', 'ENDED', ...store], /Give one from 0 on/],
    ['--text', '', ['fork', 'ENDED', '--event', '1', ...store], /leave it out/],
    ['--calls', '{', ['fork', 'ENDED', '--event', '1', ...store], /not JSON.*@FILE/],
    ['--state', '{', ['fork', 'ENDED', '--at', '0', ...store], /not JSON.*@FILE/],
    ['--message', '', ['fork', 'ENDED', '--at', '0', ...store], /leave it out/],
    ['--input', '{to: Ada}', ['approve', 'APPROVING', ...store], /not JSON.*Quote it/],
    ['--by', '', ['approve', 'APPROVING', ...store], /leave it out/],
    ['--role', 'lead', ['approve', 'APPROVING', ...store], /give --by NAME, too/],
    ['--request', 'nobody', ['answer', 'ASKING', 'Ada', ...store], /it waits for \w+ \(clerk asks/],
    ['--request', '', ['answer', 'ASKING', 'Ada', ...store], /leave it out/],
    ['--older-than', 'ages', ['prune', ...store], /such as 90s/],
    ['--blobs', 'nowhere', ['prune', '--older-than', '1d', ...store], /Give the folder/],
    ['--blobs', 'a-file', ['inspect', ...store], /names a file/],
    ['--speed', 'fast', ['trace', 'replay', 'ENDED', ...store], /such as 0\.5 or 10/],
    ['--to', 'memory', ['move', 'ENDED', ...store], /name a FILE \(SQLite\)/],
    ['--to', 'mysql://runs', ['move', 'ENDED', ...store], /Give a FILE \(SQLite\)/],
    ['--html', 'nowhere/run.html', ['trace', 'export', 'ENDED', ...store], /a folder that is there/],
    ['--html', '', ['trace', 'export', 'ENDED', ...store], /- for standard output/],
    ['--mermaid', 'a-file', ['trace', 'export', 'ENDED', ...store], /Name a new file/],
    ['--of', 'char', ['graph', echo], /neither chart nor composition/],
    ['--anchor', '', ['audit', 'verify', 'docs'], /leave it out/],
    ['--run', '', ['audit', 'query', 'docs'], /leave it out/],
    ['--tool', '', ['audit', 'query', 'docs'], /leave it out/],
    ['--person', ' ', ['audit', 'erase', 'docs'], /leave it out/],
    ['--rule', '', ['audit', 'report', 'docs'], /leave it out/],
    ['--action', 'permision', ['audit', 'query', 'docs'], /give one of|did you mean/],
    ['--outcome', 'fine', ['audit', 'query', 'docs'], /give one of/],
    ['--since', 'lately', ['audit', 'query', 'docs'], /Give/],
    ['--until', 'soon', ['audit', 'report', 'docs'], /Give/],
    ['--on-behalf-of', '', ['audit', 'export', 'ENDED', ...store], /leave it out/],
    ['--port', 'http', ['inspect', ...store], /Give one from 0 on/],
    ['--port', '70000', ['run', echo, 'x', '--inspect'], /from 0 to 65535/],
    ['--port', '70000', ['serve', echo], /from 0 to 65535/],
    ['--host', '0.0.0.0', ['serve', echo, ...store], /set TROUPE_SERVE_TOKEN/],
    ['--host', '', ['serve', echo, ...store], /leave it out/],
    ['--host', '0.0.0.0', ['worker', echo, ...store], /needs a --port/],
    ['--concurrency', '0', ['worker', echo, ...store], /from 1 on/],
    ['--concurrency', 'all', ['worker', echo, ...store], /Give one from 0 on/],
    ['--origin', 'app.example.com', ['serve', echo, ...store], /such as https:/],
  ];

test.each(bad)(
  '%s %j names the option, what was found, and what to do: %j',
  async (option, value, before, advice) => {
    const known = { ENDED: runs.ended, ASKING: runs.asking, APPROVING: runs.approving };
    const args = before.map((word) => (Reflect.get(known, word) as string | undefined) ?? word);
    const { code, stdout, stderr } = await play([...args, option, value], { folder });
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^✗ Cannot [^\n]+\n$/);
    expect(stderr).toContain(option);
    expect(stderr).toContain(value);
    expect(stderr).toMatch(advice);
    // Of a file that is no store, nothing is lost.
    expect(readFileSync(join(folder, 'a-file'), 'utf8')).toBe('x');
  },
);

test('every option that takes a value is among them, but a reason, which may be any text', () => {
  const taking = Object.entries(options).flatMap(([name, { type }]) =>
    type === 'string' ? [`--${name}`] : [],
  );
  const tried = new Set([...bad.map(([option]) => option), '--reason']);
  expect(taking.filter((option) => !tried.has(option))).toEqual([]);
});

test.each([
  [
    'JSON that is none',
    ['run', weather, '{bad', '--data'],
    /--data takes JSON: found '\{bad' .*leave --data out/,
  ],
  ['JSON of another type', ['run', weather, '{"city":1}', '--data'], /expected string.*INPUT with --data/],
  ['JSON that is taken as text', ['run', weather, '{"city":"Oslo"}'], /found|received string.*add --data/],
])('--data: %s is named, with what to do', async (_, args, line) => {
  const { code, stdout, stderr } = await play(args, { folder });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(line);
});

test.each([
  ['TROUPE_STORE', 'nope://ada:secret@x', ['runs']],
  ['TROUPE_MODEL', 'acme:x', ['ask', 'leave?', 'docs']],
])('a bad value of %s is that of the variable, and holds no password', async (name, value, args) => {
  const { code, stderr } = await play(args, { folder, environment: { [name]: value } });
  expect(code).toBe(2);
  expect(stderr).toContain(name);
  expect(stderr).not.toContain('secret');
});

test.each([
  [
    ['run', echo, 'x', '--modle', 'y'],
    "no option '--modle' (did you mean '--model'?). See: troupe run --help",
  ],
  [['runs', '--limt=3'], "no option '--limt' (did you mean '--limit'?)"],
  [['--quite', 'ask', 'x'], "no option '--quite' (did you mean '--quiet'?)"],
  [['run', echo, 'x', '--budgte', '1'], "no option '--budgte' (there are --data, --export,"],
  [['ask', 'x', '--dta'], "no option '--dta' (there are --budget,"],
  [['run', echo, 'x', '-x'], "no option '-x' (there are "],
  [['run', echo, 'x', '--model'], '--model has no value: give one after it'],
  [['run', echo, 'x', '--model', '--quiet'], '--model has no value, as an option follows it'],
  [['runs', '--json=3'], '--json takes no value: write it alone'],
  [['help', 'rnu'], "no such command: 'rnu' (did you mean 'run'?)"],
  [['trace', 'shw', 'x'], "no subcommand 'shw' (did you mean 'show'?)"],
])('an option that is unknown, or misused, has the nearest suggested: %j', async (args, words) => {
  const { code, stdout, stderr } = await play(args, { folder });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(words);
});
