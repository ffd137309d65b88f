import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseEvent } from '../../src/index.ts';
import type { RuntimeEvent } from '../../src/index.ts';
import { checkTrace, readTrace } from '../../src/inspect/index.ts';
import { SentRequests } from '../../src/runtime/log/sent-requests.ts';
import type { Played } from './fake-terminal.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
let traces = '';
let trace = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-cli-traces-'));
  traces = join(folder, 'traces');
  await play(['ask', 'How are retries configured?', 'docs', '--trace', traces]);
  trace = join(traces, readdirSync(traces)[0] ?? '');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const call = (...args: readonly string[]): Promise<Played> => play(['trace', ...args], { folder });

const eventsIn = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => parseEvent(JSON.parse(line)));

/** The entries of the recording in a page. */
const entriesOfPage = (html: string): readonly { readonly event?: RuntimeEvent }[] => {
  const text = /<script type="application\/json" id="recording">([^]*?)<\/script>/.exec(html)?.[1] ?? '';
  return (JSON.parse(text) as { readonly entries: readonly { readonly event?: RuntimeEvent }[] }).entries;
};

describe('--trace', () => {
  test('[QITOS-58] of an ask writes a trace that is whole, and prints no more than without', async () => {
    expect(await checkTrace(trace)).toEqual([]);
    expect(trace).toMatch(/[0-9a-f]{12}\.jsonl$/);
    const quiet = await play(['run', moduleOf('echo.ts'), 'x', '--quiet', '--trace', join(folder, 'quiet')]);
    expect(quiet).toEqual({ code: 0, stdout: 'You said: x\n', stderr: '' });
    expect(readdirSync(join(folder, 'quiet'))).toHaveLength(1);
  });

  test('[DODO-61] goes with --json: each event is a line on standard output, and the trace has the same', async () => {
    const place = join(folder, 'json');
    const { stdout } = await play(['run', moduleOf('team.ts'), 'you', '--json', '--trace', place]);
    const traced = await readTrace(join(place, readdirSync(place)[0] ?? ''));
    expect(traced.events).toHaveLength(stdout.trim().split('\n').length);
  });

  test('that cannot be written harms nothing: the answer is there, and one line says what is missing', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    const { code, stdout, stderr } = await play([
      'run',
      moduleOf('echo.ts'),
      'x',
      '--trace',
      join(folder, 'a-file'),
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'You said: x\n' });
    expect(stderr).toMatch(/! Cannot write the trace whole: /);
  });

  test('holds no key of the environment', async () => {
    const place = join(folder, 'secret');
    await play(['run', moduleOf('echo.ts'), 'my key is sk-1234567890', '--trace', place], {
      environment: { OPENAI_API_KEY: 'sk-1234567890' },
    });
    for (const run of readdirSync(place))
      expect(readFileSync(join(place, run), 'utf8')).not.toContain('sk-1234567890');
  });
});

describe('troupe trace', () => {
  test('list: id, status, time, agent and input; by status, as many as are wanted, as JSON', async () => {
    const { code, stdout } = await call('list', 'traces');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^[0-9a-f]{12} {2}completed {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}desk {2}How are retries configured\?\n$/,
    );
    expect((await call('list', 'traces', '--status', 'failed,interrupted')).stderr).toBe(
      'No traces in traces\n',
    );
    expect(JSON.parse((await call('list', 'traces', '--json')).stdout)).toMatchObject({
      place: trace,
      agent: 'desk',
    });
  });

  test('show: the steps and the answer', async () => {
    const { code, stdout, stderr } = await call('show', trace);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ · desk · completed\n {2}How are retries configured\?/);
    expect(stdout).toMatch(/researcher-1 +step 0 .* {2}documents\.search_documents/);
    expect(stdout).toMatch(/5 steps · 5 model calls/);
  });

  test('[QITOS-80] replay: the run goes by as it did, and does nothing', async () => {
    const before = readFileSync(trace, 'utf8');
    const { code, stdout, stderr } = await call('replay', trace, '--speed', '1000');
    expect(code).toBe(0);
    expect(stderr).toMatch(/researcher-1 · ACT · Searching the documents/);
    expect(stdout).toMatch(/5 steps · 5 model calls/);
    expect(readFileSync(trace, 'utf8')).toBe(before);
    const json = await call('replay', trace, '--speed', '1000', '--json');
    expect(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => parseEvent(JSON.parse(line)).type)
        .at(-1),
    ).toBe('run.ended');
  });

  test('[QITOS-80] replay is ended by Ctrl-C', async () => {
    const { code } = await play(['trace', 'replay', trace, '--speed', '0.0001', '--json'], {
      folder,
      interruptAt: /run\.started/,
    });
    expect(code).toBe(130);
  });

  test('[QITOS-81] export: a page, a diagram, lines; a file that is there is not replaced', async () => {
    const page = await call('export', trace, '--html', 'run.html', '--mermaid', 'run.mmd');
    expect(page).toEqual({ code: 0, stdout: '', stderr: 'Exported to run.html\nExported to run.mmd\n' });
    expect(readFileSync(join(folder, 'run.html'), 'utf8')).toContain('Content-Security-Policy');
    expect(readFileSync(join(folder, 'run.mmd'), 'utf8')).toMatch(/^sequenceDiagram\n/);
    expect(statSync(join(folder, 'run.html')).mode & 0o077).toBe(0);
    const again = await call('export', trace, '--html', 'run.html');
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/^✗ Cannot export by --html to run\.html as the file system refuses/);
    const { stdout } = await call('export', trace, '--ndjson');
    expect(eventsIn(stdout)).toEqual((await readTrace(trace)).events);
    expect((await call('export', trace, '--html', '-')).stdout).toMatch(/^<!doctype html>/);
  });

  test('check: all that is wrong, of several traces', async () => {
    expect(await call('check', trace)).toEqual({
      code: 0,
      stdout: `✓ ${trace}: no problems found\n`,
      stderr: '',
    });
    const place = join(folder, 'broken');
    await play(['run', moduleOf('echo.ts'), 'x', '--quiet', '--trace', place]);
    const broken = join(place, readdirSync(place)[0] ?? '');
    appendFileSync(broken, 'half a li');
    const { code, stdout } = await call('check', trace, broken, join(folder, 'nowhere'));
    expect(code).toBe(1);
    expect(stdout).toContain(`✓ ${trace}`);
    expect(stdout).toMatch(/✗ .*broken.*: 1 problem\n {4}line\.cut · line \d+ · /);
    expect(stdout).toMatch(/✗ .*nowhere: 1 problem\n {4}Cannot read the trace/);
  });

  test('takes a run that is kept as well, by its id', async () => {
    const environment = { TROUPE_STORE: join(folder, 'runs.db') };
    const { stderr } = await play(['run', moduleOf('counter.ts'), 'Count'], { environment });
    const runId = / · run ([0-9a-f]{12})\n$/.exec(stderr)?.[1] ?? '';
    const { code, stdout } = await play(['trace', 'export', runId.slice(0, 6), '--html', '-'], {
      environment,
      folder,
    });
    expect(code).toBe(0);
    expect(stdout.match(/"type":"step.ended"/g)).toHaveLength(3);
    expect((await play(['trace', 'check', runId], { environment, folder })).stdout).toMatch(
      /no problems found/,
    );
    expect((await play(['trace', 'show', 'abcdef'], { environment, folder })).stderr).toMatch(
      /^✗ Cannot find run 'abcdef'/,
    );
  });

  test('the page of a kept run shows what each model was sent, as that of its exported journal does', async () => {
    const environment = { TROUPE_STORE: join(folder, 'asked.db') };
    await play(['ask', 'How are retries configured?', 'docs', '--quiet'], { environment });
    const { stdout: listed } = await play(['runs', '--json'], { environment });
    const { runId } = JSON.parse(listed) as { readonly runId: string };
    await play(['export', runId], { environment, folder });
    const sentBy = async (place: string, more: Readonly<Record<string, string>> = {}) => {
      const { stdout } = await play(['trace', 'export', place, '--html', '-'], {
        environment: { ...environment, ...more },
        folder,
      });
      const asked = entriesOfPage(stdout).flatMap(({ event }) =>
        event?.type === 'model.asked' ? [event] : [],
      );
      const requests = new SentRequests();
      return asked.map((event) => requests.take(event));
    };
    const kept = await sentBy(runId);
    expect(kept.length).toBeGreaterThan(0);
    for (const request of kept) expect(request?.instructions).toMatch(/\S/);
    expect(kept.at(-1)?.messages.length).toBeGreaterThan(0);
    expect(kept).toEqual(await sentBy(`${runId}.journal`));
    // What this process knows to be a secret, and the run did not, is not handed on.
    const [word = ''] = /\w{12,}/.exec(kept[0]?.instructions ?? '') ?? [];
    expect(word).not.toBe('');
    expect(JSON.stringify(await sentBy(runId, { SOME_TOKEN: word }))).not.toContain(word);
  });

  test('an exported journal that is gone is a file that is gone, and no run', async () => {
    expect(await call('show', 'gone.journal')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no such file') as unknown,
    });
  });

  test.each([
    [['trace'], /list, show, replay, export or check/],
    [['trace', 'dance', 'x'], /there is no subcommand 'dance'/],
    [['trace', 'show'], /no trace was named: give its file, or a stored run/],
    [['trace', 'list'], /no folder was named: give one that holds traces/],
    [['trace', 'show', 'a', 'b'], /one trace at a time/],
    [['trace', 'show', 'a', '--speed', '2'], /'trace show' has no such option: --speed/],
    [['trace', 'replay', 'a', '--speed', '0'], /--speed is not a number above 0/],
    [['trace', 'export', 'a'], /give --html FILE, --mermaid FILE or --ndjson/],
    [['trace', 'export', 'a', '--html', '-', '--ndjson'], /only one format/],
    [['trace', 'list', 'a', '--status', 'done'], /--status has no 'done'/],
    [['run', 'x.ts', 'y', '--trace', ''], /--trace names no folder/],
    [['trace', 'list', './nowhere'], /Cannot list the traces in .* as there is no such folder/],
  ] as const)('what makes no sense is one line, and exit code 2: %j', async (args, line) => {
    const { code, stdout, stderr } = await play([...args], { folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(line);
    expect(stderr).toMatch(/^✗ [^\n]+\n$/);
  });
});
