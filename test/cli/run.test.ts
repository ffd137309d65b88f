import { describe, expect, test } from 'vitest';
import { parseEvent } from '../../src/events/parse-event.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

const ESC = String.fromCodePoint(0x1b);
const escapes = new RegExp(`${ESC}\\[[\\d;?]*[A-Za-z]`, 'g');
const colours = new RegExp(`${ESC}\\[[\\d;]*m`);
const plain = (text: string): string => text.replaceAll(escapes, '');

describe('troupe run', () => {
  test('prints the answer on standard output, all else on standard error', async () => {
    const { code, stdout, stderr } = await play(['run', moduleOf('echo.ts'), 'hello']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'You said: hello\n' });
    expect(stderr).toContain('echo · DECIDE · Answering');
    expect(stderr).toMatch(/\n1 step · 0 model calls · 0 tool calls · 0 tokens · \d+ ms\n$/);
  });

  test.each([
    ['the only agent of a module', ['weather.ts', '{"city":"Oslo"}', '--data'], '"degrees": 18'],
    ['the export that is named', ['several.ts', 'x', '--export', 'two'], 'from two'],
    ['the export that is named after the file', ['several.ts#two', 'x'], 'from two'],
    ['the export that is named twice', ['several.ts#two', 'x', '--export', 'two'], 'from two'],
    ['a team', ['team.ts', 'you'], 'Hello, YOU!'],
    ['plain JavaScript', ['plain.mjs', 'x'], 'from plain JavaScript'],
  ])('runs %s', async (_, [name = '', ...args], answer) => {
    const { code, stdout } = await play(['run', moduleOf(name), ...args, '--quiet']);
    expect(code).toBe(0);
    expect(stdout).toContain(answer);
  });

  test('--quiet prints the answer and nothing else', async () => {
    expect(await play(['run', moduleOf('echo.ts'), 'hello', '--quiet'])).toEqual({
      code: 0,
      stdout: 'You said: hello\n',
      stderr: '',
    });
  });

  test.each([
    ['as they are', (key: string) => key],
    ['in base64', (key: string) => Buffer.from(key).toString('base64')],
  ])(
    'secrets of the environment are not in an answer, %s, unless --reveal asks for them',
    async (_, write) => {
      const said = write('zq81-hunter2-canary');
      const environment = { ACME_API_KEY: 'zq81-hunter2-canary' };
      const args = ['run', moduleOf('echo.ts'), `it is ${said}`, '--quiet'];
      expect((await play(args, { environment })).stdout).toMatch(
        /^You said: it is \[redacted ACME_API_KEY\]\n$/,
      );
      expect((await play([...args, '--reveal'], { environment })).stdout).toBe(`You said: it is ${said}\n`);
    },
  );

  test('secrets of the environment are not in a draft that was not accepted', async () => {
    const environment = { ACME_API_KEY: 'Roses are' };
    const { stderr } = await play(['run', moduleOf('stopped.ts'), 'x'], { environment });
    expect(stderr).toContain('[redacted ACME_API_KEY] grey.');
    expect(stderr).not.toContain('Roses are');
  });

  test('--json prints one event a line, each readable, the last one run.ended, and nothing else', async () => {
    const { code, stdout, stderr } = await play(['run', moduleOf('team.ts'), 'you', '--json']);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => parseEvent(JSON.parse(line)));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(events[0]?.type).toBe('run.started');
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed', output: 'Hello, YOU!' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('--debug names the line of the app that threw', async () => {
    const { code, stderr } = await play(['run', moduleOf('throwing.ts'), 'hello', '--debug']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/caused by: TypeError: it broke\n\s+at throwOfTheApp .+throwing\.ts:\d+:\d+/);
  });

  test('a run that stops without an answer says why, shows the draft apart, and has exit code 1', async () => {
    const { code, stdout, stderr } = await play(['run', moduleOf('stopped.ts'), 'x']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Stopped without an answer: its critics rejected 3 answers');
    expect(stderr).toMatch(/not accepted:\n\nRoses are grey\.\n/);
    const quiet = await play(['run', moduleOf('stopped.ts'), 'x', '--quiet']);
    expect(quiet.stderr).toMatch(/^■ Stopped without an answer: [^\n]+They are red\.\n$/);
  });

  test('troupe graph prints Mermaid', async () => {
    const { code, stdout, stderr } = await play(['graph', moduleOf('team.ts')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^flowchart TB\n/);
    expect(stdout).toContain('  shout --> greet\n');
  });
});

describe('what models and tools say', () => {
  test.each([false, true])('never reaches the terminal raw (a terminal: %s)', async (isTTY) => {
    const { stdout, stderr } = await play(['run', moduleOf('hostile.ts'), 'x'], { isTTY });
    const all = stdout + stderr;
    expect(stdout).toContain('An answer red\n');
    // Neither the clipboard, nor a cleared screen, nor its colour, nor a line that hides another.
    for (const evil of ['\u001b]52', '\u001b[2J', '\u001b[31m', '\u009b', '\rhidden', '\u0007'])
      expect(all).not.toContain(evil);
  });

  test('in JSON it is escaped', async () => {
    const { stdout } = await play(['run', moduleOf('hostile.ts'), 'x', '--json']);
    expect(stdout).toContain(String.raw`\u001b]52`);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});

describe('a terminal', () => {
  test('has one block of lines redrawn, its cursor back at the end, and the answer below', async () => {
    const { code, stdout, stderr } = await play(['run', moduleOf('team.ts'), 'you'], { isTTY: true });
    expect(code).toBe(0);
    expect(plain(stderr)).toMatch(/✓ shout-1 {2}done\s+\n {2}✓ greet-2 {2}done/);
    expect(stderr.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stderr.lastIndexOf('\u001b[?25l'));
    expect(plain(stdout)).toBe('  Hello, YOU!\n');
  });

  test.each([
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['--no-color', ['--no-color'], {}],
  ])('has no colours with %s', async (_, args, environment: Record<string, string>) => {
    const run = ['run', moduleOf('team.ts'), 'you'];
    expect((await play(run, { isTTY: true })).stderr).toMatch(colours);
    const { stdout, stderr } = await play([...run, ...args], { isTTY: true, environment });
    expect(stdout + stderr).not.toMatch(colours);
  });

  test('that is none, or a dumb one, gets lines without any escape', async () => {
    for (const options of [{}, { isTTY: true, environment: { TERM: 'dumb' } }]) {
      const { stderr } = await play(['run', moduleOf('team.ts'), 'you'], options);
      expect(stderr).toContain('shout-1 · DECIDE · Answering');
      expect(stderr).not.toContain('\u001b');
    }
  });

  test('that is none gets the sum of tokens only in lines where it is another one', async () => {
    const { stderr } = await play(['ask', 'How are retries configured?', 'docs']);
    const sums = [...stderr.matchAll(/\(([\d,]+) tokens so far\)/g)].map(([, sum]) => sum);
    expect(sums.length).toBeGreaterThan(2);
    expect(sums).toEqual([...new Set(sums)]);
  });

  test('breaks long answers at spaces', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const { stdout } = await play(['run', moduleOf('echo.ts'), words], { isTTY: true, columns: 50 });
    const lines = plain(stdout).trim().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
    expect(lines.map((line) => line.trim()).join(' ')).toBe(`You said: ${words}`);
  });
});

describe('a person', () => {
  const typed = (approval: string) => [
    { at: /To whom\?[\s\S]*> $/, text: 'To Ada' },
    { at: /Allow it\? \[y\/N\] $/, text: approval },
  ];

  test('at a terminal is asked there, and approves there', async () => {
    const { code, stdout, stderr } = await play(['run', moduleOf('people.ts'), 'x', '--no-color'], {
      isTTY: true,
      typed: typed('y'),
    });
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'To Ada | sent to Ada' });
    expect(plain(stderr)).toContain('clerk wants to use send: Sending a letter to Ada');
  });

  test('sees both ends of what is to be approved, and how much is between', async () => {
    const { stderr } = await play(['run', moduleOf('long-letter.ts'), 'x', '--no-color'], {
      isTTY: true,
      typed: [{ at: /Allow it\? \[y\/N\] $/, text: 'y' }],
    });
    const shown =
      /\{"to":"Ada","text":"(x+) … \((1,\d{3}) characters left out\) … (x+)","copies":"everybody"\}/;
    const [, head = '', left = '', tail = ''] = shown.exec(plain(stderr)) ?? [];
    expect(head.length + Number(left.replace(',', '')) + tail.length).toBe(2_000);
  });

  test('who says anything but yes has denied it', async () => {
    const { stdout } = await play(['run', moduleOf('people.ts'), 'x', '--no-color'], {
      isTTY: true,
      typed: typed(''),
    });
    expect(stdout).toContain('a person said no');
  });

  test('who is not there is not asked: it is denied, with a line that says so', async () => {
    const { code, stderr } = await play(['run', moduleOf('people.ts'), 'x', '--quiet']);
    expect(code).toBe(0);
    expect(stderr.split('\n')).toEqual([
      '  ! Not asked, as nobody is at a terminal to answer: To whom?',
      '  ! Denied, as nobody is at a terminal to approve it: clerk, send: Sending a letter to Ada',
      '',
    ]);
  });

  test('who presses Ctrl-C instead of answering aborts the run', async () => {
    const { code, stderr } = await play(['run', moduleOf('people.ts'), 'x', '--no-color'], {
      isTTY: true,
      typed: [{ at: /To whom\?[\s\S]*> $/, text: '\u0003' }],
    });
    expect(code).toBe(130);
    expect(stderr).toContain('■ Stopped by Ctrl-C.');
  });
});

describe('Ctrl-C', () => {
  test('ends the run in order', async () => {
    const { code, stdout, stderr } = await play(['run', moduleOf('slow.ts'), 'x'], {
      interruptAt: /Waiting for ever/,
    });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toMatch(/\n■ Stopped by Ctrl-C\.\n\n0 steps/);
  });

  test('gives the terminal back', async () => {
    const { code, stderr } = await play(['run', moduleOf('slow.ts'), 'x'], {
      isTTY: true,
      interruptAt: /Waiting for ever/,
    });
    expect(code).toBe(130);
    expect(stderr.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stderr.lastIndexOf('\u001b[?25l'));
    expect(plain(stderr)).toContain('■ sloth  aborted');
  });

  test('in JSON leaves a whole log', async () => {
    const { code, stdout } = await play(['run', moduleOf('slow.ts'), 'x', '--json'], {
      interruptAt: /tool\.started/,
    });
    expect(code).toBe(130);
    expect(parseEvent(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''))).toMatchObject({
      type: 'run.ended',
      status: 'aborted',
    });
  });
});
