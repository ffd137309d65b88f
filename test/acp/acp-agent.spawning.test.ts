import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { AcpAgentOptions } from '../../src/acp/acp-options.ts';
import { acpAgent } from '../../src/acp/index.ts';
import { agent, answer, isTroupeError } from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { parallel } from '../../src/patterns/index.ts';
import { policy } from '../../src/policy/index.ts';
import { hostEnvironment } from '../../src/tools/index.ts';
import { ofType } from '../support/runs.ts';

const harness = resolve(import.meta.dirname, '../support/acp-harness.mjs');

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'troupe-acp-'));
  onTestFinished(() => {
    rmSync(made, { recursive: true, force: true });
  });
  return made;
};

/** A coding agent that does what a script of the harness says. */
const coder = (does: string, options: Partial<AcpAgentOptions> = {}) =>
  acpAgent({ name: 'coder', command: process.execPath, args: [harness, does], cwd: folder(), ...options });

/** One that notes what reaches it. */
const noting = (does: string, options: Partial<AcpAgentOptions> = {}, ...more: readonly string[]) => {
  const file = join(folder(), 'notes');
  const notes = (): readonly Readonly<Record<string, unknown>>[] =>
    readFileSync(file, { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return { coder: coder(does, { args: [harness, does, file, ...more], ...options }), notes };
};

/** The code and the message of what a run rejects with. */
const failureOf = async (
  run: Promise<unknown>,
): Promise<{ readonly code: string; readonly message: string }> => {
  const thrown: unknown = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isTroupeError(thrown)) throw new Error('it did not fail');
  return { code: thrown.code, message: thrown.message };
};

/** A process that is over may still wait to be collected. */
const isRunning = (pid: unknown): boolean => {
  try {
    process.kill(Number(pid), 0);
    return !/\) Z /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** Waits until something holds: on a busy machine a process takes seconds to start. */
const patiently = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 30_000 });

describe('a coding agent as an agent', () => {
  test('its words are streamed and are the output, its thoughts are reasoning', async () => {
    const handle = coder('answer').stream('Greet.');
    const deltas: unknown[] = [];
    handle.events$.subscribe((event) => {
      if (event.type === 'model.delta' && event.delta.type !== 'progress') deltas.push(event.delta);
    });
    const result = await handle.result;
    expect(result.output).toBe('Hello, world.');
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hello, ' },
      { type: 'text', text: 'world.' },
    ]);
    expect(ofType(result.events, 'model.answered').at(-1)).toMatchObject({
      text: 'Hello, world.',
      reasoning: 'Hm.',
    });
  });

  test('each call that it runs itself is a step, with the call, what it said before, and its plan', async () => {
    const result = await coder('works').run('Work.');
    expect(
      ofType(result.events, 'model.answered')
        .slice(1)
        .map(({ text, providerCalls }) => [text, providerCalls]),
    ).toEqual([
      [
        'I look.',
        [
          {
            tool: 'plan',
            input: { entries: [{ content: 'Look', priority: 'high', status: 'in_progress' }] },
          },
          { tool: 'read', input: { title: 'Read a.txt', input: { path: 'a.txt' } } },
        ],
      ],
      ['I try.', [{ tool: 'execute', input: { title: 'Make' }, problem: 'no rule' }]],
      ['Done.', undefined],
    ]);
    expect(result.output).toBe('Done.');
  });

  test('an end without words is answered by its last words', async () => {
    expect((await coder('silentEnd').run('Look.')).output).toBe('All is well.');
  });

  test('it is a member of a team, and its failure harms its own call alone', async () => {
    let fail: () => void = () => undefined;
    const hasFailed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    // It ends last, so that the failure is not overtaken by the team's end.
    const writer = agent({
      name: 'writer',
      decide: async () => {
        await hasFailed;
        return answer('Written.');
      },
    });
    const team = parallel({
      name: 'team',
      members: { writer, coder: coder('crash'), other: coder('answer', { name: 'other' }) },
      quorum: 2,
    });
    const result = await team.run('Go.', { hooks: [{ name: 'failed', on: 'model.failed', handle: fail }] });
    expect(JSON.stringify(result.output)).toContain('Written.');
    expect(JSON.stringify(result.output)).toContain('Hello, world.');
    expect(ofType(result.events, 'model.failed')).toMatchObject([
      { agent: 'coder', error: { code: 'acp.lost' } },
    ]);
  });

  test('its answer is parsed by the output schema, which it is told, and is asked for again if it does not fit', async () => {
    const output = z.object({ files: z.number() });
    const asked = acpAgent({
      name: 'coder',
      command: process.execPath,
      args: [harness, 'json'],
      cwd: folder(),
      output,
    });
    expect((await asked.run('Count.')).output).toEqual({ files: 3 });
    const again = acpAgent({
      name: 'coder',
      command: process.execPath,
      args: [harness, 'badJson'],
      cwd: folder(),
      output,
    });
    expect((await again.run('Count.')).output).toEqual({ files: 4 });
  });

  test('images and files are blocks of the prompt, instructions come first', async () => {
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const { output } = await coder('echo', { instructions: 'Be calm.' }).run([
      { type: 'text', text: 'Look.' },
      { type: 'image', data: png },
      { type: 'file', data: new TextEncoder().encode('a,b'), mediaType: 'text/csv', name: 'a.csv' },
    ]);
    expect(JSON.parse(output ?? '')).toEqual([
      { type: 'text', text: 'Be calm.' },
      { type: 'text', text: 'Look.' },
      { type: 'image', mimeType: 'image/png', data: png },
      { type: 'resource', resource: { uri: 'attachment:a.csv', mimeType: 'text/csv', text: 'a,b' } },
    ]);
  });

  test('audio is refused, as it says that it takes none', async () => {
    const wav = new TextEncoder().encode('RIFF\0\0\0\0WAVEfmt ');
    const run = coder('echo').run([{ type: 'audio', data: wav, mediaType: 'audio/wav' }]);
    expect(await failureOf(run)).toMatchObject({ code: 'content.refused' });
  });

  test('the tokens that it reports are those of the run, and so is the price that it states', async () => {
    const result = await coder('usage').run('Work.');
    const [, last] = ofType(result.events, 'model.answered');
    expect(last).toMatchObject({ usage: { input: 15, output: 7, cached: 5 }, costUsd: 0.25 });
  });

  test('it sees the variables that it is given, no other of this process, and a secret among them is redacted', async () => {
    vi.stubEnv('ACP_TEST_SECRET', 'not for it');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const result = await coder('environment', { env: { ACP_TEST_API_KEY: 'sk-abcdefghijklmnop' } }).run(
      'Show.',
    );
    expect(JSON.parse(result.output ?? '')).toEqual({ key: 'sk-abcdefghijklmnop' });
    expect(JSON.stringify(result.events)).not.toContain('sk-abcdefghijklmnop');
  });

  test('it is authenticated, told of servers, and set to a mode, where it is asked to', async () => {
    const { coder: set, notes } = noting('answer', {
      authMethod: 'api-key',
      mode: 'code',
      mcpServers: [
        { name: 'git', command: 'git-mcp', env: { A: '1' } },
        { name: 'web', url: 'https://mcp.example' },
      ],
    });
    await set.run('Greet.');
    expect(notes().slice(0, 3)).toEqual([
      { authenticated: 'api-key' },
      {
        session: 'new',
        servers: [
          { name: 'git', command: 'git-mcp', args: [], env: [{ name: 'A', value: '1' }] },
          { type: 'http', name: 'web', url: 'https://mcp.example', headers: [] },
        ],
      },
      { mode: 'code' },
    ]);
  });
});

describe('permission', () => {
  test('is asked of a person, as a described call, whose yes allows it once', async () => {
    const asked: unknown[] = [];
    const person = {
      approve: (request: unknown) => {
        asked.push(request);
        return true;
      },
    };
    const { output } = await coder('permission').run('Clean.', { person });
    expect(output).toBe('outcome: once');
    expect(asked).toMatchObject([
      {
        kind: 'approval',
        tool: 'coder.may_execute',
        description: 'rm build',
        input: { title: 'rm build', path: 'build', input: { command: 'rm build' } },
      },
    ]);
  });

  test('is refused by a no, and where nobody is there', async () => {
    const person = { approve: () => 'too dangerous' };
    expect((await coder('permission').run('Clean.', { person })).output).toBe('outcome: no');
    expect((await coder('permission').run('Clean.')).output).toBe('outcome: no');
  });

  test('is given for good where the person chooses that option', async () => {
    const handle = coder('permission').stream('Clean.');
    await patiently(() => {
      expect(handle.requests).toHaveLength(1);
    });
    const [request] = handle.requests;
    if (request?.kind !== 'approval') throw new Error('no approval is asked for');
    handle.approve(request.id, { input: { ...Object(request.input), option: 'always' } });
    expect((await handle.result).output).toBe('outcome: always');
  });

  test('is judged by the policy first: what a rule allows nobody is asked about, what it denies is refused', async () => {
    const yes = policy({ rules: [{ name: 'build', effect: 'allow', tool: 'coder.*' }] });
    const allowed = await coder('permission').run('Clean.', { safety: yes });
    expect(allowed.output).toBe('outcome: once');
    expect(ofType(allowed.events, 'tool.approval-requested')).toEqual([]);
    const no = policy({
      rules: [
        { name: 'prompts', effect: 'allow', tool: 'coder.prompt' },
        { name: 'keep', effect: 'deny', tool: 'coder.may_execute' },
      ],
    });
    const denied = await coder('permission').run('Clean.', { safety: no, person: { approve: () => true } });
    expect(denied.output).toBe('outcome: no');
    expect(ofType(denied.events, 'tool.denied')).toMatchObject([{ tool: 'coder.may_execute', rule: 'keep' }]);
  });

  test('is given for what no policy is against, if so chosen', async () => {
    expect((await coder('permission', { approval: false }).run('Clean.')).output).toBe('outcome: once');
  });

  test('whether it is prompted at all is judged, too', async () => {
    const safety = policy({ rules: [{ name: 'none', effect: 'deny', tool: 'coder.prompt' }] });
    const { coder: kept, notes } = noting('answer');
    expect(await failureOf(kept.run('Go.', { safety }))).toMatchObject({
      message: expect.stringContaining("'none'"),
    });
    expect(notes()).toEqual([]);
  });

  test('what it was told by the agent is an origin of all that follows', async () => {
    const safety = policy({
      rules: [
        { name: 'prompts', effect: 'allow', tool: 'coder.prompt' },
        { name: 'tainted', effect: 'deny', tool: 'coder.may_*', after: 'coder.prompt' },
      ],
    });
    const result = await coder('permission').run('Clean.', { safety });
    expect(ofType(result.events, 'tool.denied')).toMatchObject([{ rule: 'tainted' }]);
  });
});

describe('its environment', () => {
  test('serves its files and its commands', async () => {
    const root = folder();
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\nthree');
    const environment = hostEnvironment({ root, commands: { echo: '/bin/echo' } });
    const files = await coder('files', { cwd: root, environment }).run('Copy.');
    expect(files.output).toBe('two');
    expect(readFileSync(join(root, 'b/c.txt'), 'utf8')).toBe('two!');
    expect(ofType(files.events, 'tool.started').map(({ tool }) => tool)).toEqual([
      'coder.prompt',
      'coder.read',
      'coder.write',
    ]);
    expect((await coder('terminal', { cwd: root, environment }).run('Make.')).output).toBe('built 0');
  });

  test('is left by no path: absolute ones, upward ones and links are refused', async () => {
    const root = folder();
    symlinkSync('/etc/hostname', join(root, 'link'));
    const environment = hostEnvironment({ root });
    const { output } = await coder('escape', { cwd: root, environment }).run('Look around.');
    expect(output).toBe('refused; refused; refused; refused');
  });

  test('its files are judged by the policy', async () => {
    const root = folder();
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\nthree');
    const safety = policy({
      rules: [{ name: 'all', effect: 'allow', tool: 'coder.*' }],
      files: { protect: 'b/**' },
    });
    const run = coder('files', { cwd: root, environment: hostEnvironment({ root }) }).run('Copy.', {
      safety,
    });
    expect(await failureOf(run)).toMatchObject({ code: 'acp.failed' });
  });

  test('a command that still runs does not hold it up, and is killed when it says so', async () => {
    const root = folder();
    writeFileSync(join(root, 'a.txt'), 'one');
    const environment = hostEnvironment({ root, commands: { sleep: '/bin/sleep' } });
    expect((await coder('killsTerminal', { cwd: root, environment }).run('Watch.')).output).toBe(
      'true SIGKILL',
    );
  });

  test('what it does not have is not offered', async () => {
    expect(JSON.parse((await coder('offered').run('Show.')).output ?? '')).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    });
    const root = folder();
    const { output } = await coder('offered', { cwd: root, environment: hostEnvironment({ root }) }).run(
      'Show.',
    );
    expect(JSON.parse(output ?? '')).toMatchObject({
      fs: { readTextFile: true, writeTextFile: true },
      terminal: false,
    });
  });
});

describe('whatever becomes of it', () => {
  test('a refusal is a stop of the run', async () => {
    const { stopReason } = await coder('refusal').run('Do harm.');
    expect(stopReason).toEqual({ kind: 'refused', text: 'I will not.' });
  });

  test.each([
    ['max_turn_requests', 'acp.failed', /all the requests that it may make in a turn: "So far\."/],
    ['cancels', 'acp.failed', /ended its turn by 'cancelled'/],
    ['fails', 'acp.failed', /the model is down/],
    ['auth', 'acp.auth', /it offers api-key/],
    ['newer', 'acp.protocol', /speaks version 2 of the protocol/],
    ['crash', 'acp.lost', /it ended \(exit code 3\); its error output ends with: out of luck/],
    ['longLine', 'acp.protocol', /a line of more than 10000000 bytes/],
    [
      'garbage',
      'acp.protocol',
      /more than 100 lines that are no messages; its output is no message: "garbage 0"/,
    ],
  ])('one that is %s fails by %s', async (does, code, message) => {
    expect(await failureOf(coder(does).run('Go.'))).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test('one that floods is ended by its limit', async () => {
    expect(await failureOf(coder('floods', { maxOutputBytes: 200_000 }).run('Go.'))).toMatchObject({
      code: 'acp.lost',
      message: expect.stringContaining('more than 200000 bytes'),
    });
  });

  test('some lines that are no messages are passed over', async () => {
    expect((await coder('noise').run('Go.')).output).toBe('Still fine.');
  });

  test('one that does not answer the start, or is silent, is given up', async () => {
    expect(await failureOf(coder('mute', { startTimeoutMs: 500 }).run('Go.'))).toMatchObject({
      code: 'acp.unavailable',
      message: expect.stringContaining("did not answer 'initialize' in 500 ms"),
    });
    expect(await failureOf(coder('hangs', { idleTimeoutMs: 500 }).run('Go.'))).toMatchObject({
      code: 'model.idle',
    });
  });

  test('a program that there is not, a mode and a method that it does not offer, are said', async () => {
    expect(await failureOf(coder('answer', { command: '/no/such/program' }).run('Go.'))).toMatchObject({
      code: 'acp.unavailable',
      message: expect.stringContaining('ENOENT'),
    });
    expect(await failureOf(coder('answer', { mode: 'yolo' }).run('Go.'))).toMatchObject({
      code: 'acp.failed',
      message: expect.stringContaining('ask, code'),
    });
    expect(await failureOf(coder('answer', { authMethod: 'oauth' }).run('Go.'))).toMatchObject({
      code: 'acp.auth',
      message: expect.stringContaining('api-key'),
    });
  });

  test('an abort cancels its turn, which it may end by itself', async () => {
    const { coder: hanging, notes } = noting('hangs');
    const handle = hanging.stream('Go.');
    await patiently(() => {
      expect(notes().some(({ prompted }) => prompted !== undefined)).toBe(true);
    });
    handle.abort('enough');
    expect((await handle.result).status).toBe('aborted');
    await patiently(() => {
      expect(notes()).toContainEqual({ cancelled: true });
      expect(isRunning(notes().find(({ pid }) => pid !== undefined)?.['pid'])).toBe(false);
    });
  });

  test('one that ignores that is killed, with all that it started', async () => {
    const { coder: hanging, notes } = noting('ignoresCancel', { graceMs: 100 });
    const handle = hanging.stream('Go.');
    await patiently(() => {
      expect(notes().some(({ child }) => child !== undefined)).toBe(true);
    });
    const { child, own } = notes().find((note) => note['child'] !== undefined) ?? {};
    expect([child, own].map(isRunning)).toEqual([true, true]);
    handle.abort('enough');
    await handle.result;
    await patiently(() => {
      expect([child, own].map(isRunning)).toEqual([false, false]);
    });
  });

  test('its process is over with the run', async () => {
    const { coder: working, notes } = noting('answer');
    await working.run('Go.');
    expect(isRunning(notes().find(({ pid }) => pid !== undefined)?.['pid'])).toBe(false);
  });

  test('a crash is recovered from by the session that it loads, which is not sent the prompt again', async () => {
    const { coder: crashing, notes } = noting(
      'crashesOnce',
      { failures: { recovery: { handle: () => ({ kind: 'retry' }) } } },
      'loads',
    );
    expect((await crashing.run('Mend it.')).output).toBe('Finished.');
    expect(notes().map(({ session, prompted }) => session ?? String(prompted).slice(0, 20))).toEqual([
      'new',
      'Mend it.',
      'load',
      'The connection to yo',
    ]);
  });

  test('options that do not fit are refused, all in one sentence', () => {
    expect(() => coder('answer', { cwd: 'here', name: '7up' })).toThrow(
      /not an absolute path.*|not a name.*/,
    );
    expect(() => coder('answer', { limits: { wrapUp: true } as never })).toThrow(/wrapUp/);
    expect(() => coder('answer', { failures: { retry: {} } as never })).toThrow(/no prompt is sent twice/);
    expect(() => coder('answer', { mcpServers: [{ name: 'both', command: 'a', url: 'b' }] })).toThrow(
      /not a server/,
    );
  });
});

describe('a conversation of several runs', () => {
  test('continues its session where it can load it', async () => {
    const store = memoryStore();
    const { coder: talking, notes } = noting('said', {}, 'loads');
    await talking.run('One.', { store, thread: 't' });
    expect((await talking.run('Two.', { store, thread: 't' })).output).toBe('You said: Two.');
    expect(notes().flatMap(({ session, id }) => (session === undefined ? [] : [[session, id]]))).toEqual([
      ['new', undefined],
      ['load', 'session-1'],
    ]);
  });

  test('is told to a new session where it cannot', async () => {
    const store = memoryStore();
    const talking = coder('said');
    await talking.run('One.', { store, thread: 't' });
    const { output } = await talking.run('Two.', { store, thread: 't' });
    expect(output).toMatch(
      /The conversation so far:\n\nuser: One\.\n\nassistant: You said: One\..*\|Two\.$/s,
    );
  });

  test('is told to a new session where the earlier one is lost, which is reported once', async () => {
    const store = memoryStore();
    const { coder: forgetting } = noting('forgets', {}, 'loads');
    await forgetting.run('One.', { store, thread: 't' });
    const result = await forgetting.run('Two.', { store, thread: 't' });
    expect(result.output).toMatch(/The conversation so far:.*\|Two\.$/s);
    expect(ofType(result.events, 'session.lost')).toMatchObject([
      { strategy: 'acp', reason: expect.stringContaining("load a session of 'coder'") },
    ]);
  });
});
