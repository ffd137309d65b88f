import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, agent, answer, createGlobalEngine, hook, maxSteps, tool } from '../../../src/index.ts';
import { scriptedModel, virtualClock } from '../../../src/testing/index.ts';
import { checkTrace } from '../../../src/inspect/traces/check-trace.ts';
import { readTrace } from '../../../src/inspect/traces/read-trace.ts';
import { tidier } from '../../../src/inspect/traces/tidy-event.ts';
import { realDisk } from '../../../src/inspect/traces/trace-disk.ts';
import { traceFiles, traceFilesOn } from '../../../src/inspect/traces/trace-files.ts';
import { traceFileName } from '../../../src/inspect/traces/trace-file-name.ts';
import { traceIn } from '../../../src/inspect/traces/read-trace.ts';
import { traceJsonSchemas } from '../../../src/inspect/traces/trace-record.ts';
import { diskWith, filesIn, looker, recordsOf, temporaryFolder, textOf } from './traces-kit.ts';
import { anyCharacter } from '../../support/any-character.ts';

const accountOf = (file: string) => traceIn(textOf(file)).account;

/** A promise, and what settles it. */
const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

describe('the trace of a run', () => {
  test('[QITOS-58] [M50] is one file of lines: running in the middle, final after, every event and so every step', async () => {
    const folder = temporaryFolder();
    const traces = traceFiles({ folder });
    const inside: string[] = [];
    const spy = tool({
      name: 'spy',
      description: 'Looks at the trace of its own run.',
      input: z.object({}),
      execute: async () => {
        await traces.written();
        inside.push(accountOf(join(folder, 'r1.jsonl')).status);
        return 'seen';
      },
    });
    const spying = agent({
      name: 'spying',
      tools: [spy],
      decide: ({ step }) => (step === 0 ? act({ name: 'spy', input: {} }) : answer('done')),
    });
    const { events } = await spying.run('Look.', { runId: 'r1', hooks: [traces] });
    expect(await traces.written()).toEqual([]);

    const file = join(folder, 'r1.jsonl');
    expect(traces.fileOf('r1')).toBe(file);
    expect(filesIn(folder)).toEqual(['r1.jsonl']);
    expect(inside).toEqual(['running']);
    const trace = await readTrace(file);
    expect(trace.account.status).toBe('completed');
    expect(trace.events).toEqual(JSON.parse(JSON.stringify(events)));
    expect(trace.steps.map(({ step }) => step)).toEqual([0, 1]);
    expect(recordsOf(file).map(({ kind }) => kind)).toEqual([
      'opened',
      ...events.map(() => 'event'),
      'closed',
    ]);
    expect(await checkTrace(trace)).toEqual([]);
  });

  test('[QITOS-59] accounts for input, model, times, totals, counts, what was left out, and the facts of its caller', async () => {
    const folder = temporaryFolder();
    const hashOf = async (runId: string, facts: Record<string, string>): Promise<unknown> => {
      const traces = traceFiles({ folder, facts });
      await looker(1, { model: scriptedModel(['hi']) }).run('Look.', {
        runId,
        hooks: [traces],
        task: 'Find it',
      });
      await traces.written();
      return accountOf(join(folder, `${runId}.jsonl`)).factsHash;
    };
    const hash = await hashOf('a', { commit: 'abc', seed: '7' });
    expect(await hashOf('b', { seed: '7', commit: 'abc' })).toBe(hash);
    expect(await hashOf('c', { seed: '8', commit: 'abc' })).not.toBe(hash);
    expect(accountOf(join(folder, 'a.jsonl'))).toMatchObject({
      runId: 'a',
      agent: 'looker',
      status: 'completed',
      input: 'Look.',
      task: { objective: 'Find it' },
      stopReason: { kind: 'answered' },
      output: 'All of it is here.',
      totals: { steps: 2, toolCalls: 1 },
      counts: { steps: 2, agents: 1, errors: 0, byType: { 'run.started': 1, 'run.ended': 1 } },
      left: { events: 0, cut: 0 },
      facts: { commit: 'abc', seed: '7' },
      writer: { node: process.version, platform: process.platform },
    });
  });

  const broken = agent({
    name: 'broken',
    decide: () => {
      throw new Error('no idea');
    },
    failures: { recovery: { limit: 1, handle: () => ({ kind: 'giveUp' }) } },
  });
  const aborting = agent({
    name: 'aborting',
    decide: () => new Promise<never>(() => undefined),
  });
  test.each([
    ['a run that is done', 'completed', 'answered'],
    ['one whose budget is spent', 'stopped', 'budget'],
    ['one that came to its last step', 'stopped', 'maxSteps'],
    ['one that failed', 'failed', 'failed'],
    ['one that was aborted', 'aborted', 'aborted'],
  ] as const)('[QITOS-60] says how %s ended: %s, %s', async (_, status, kind) => {
    const folder = temporaryFolder();
    const traces = traceFiles({ folder });
    const options = { runId: 'r', hooks: [traces] };
    const runs = {
      answered: () => looker(1).run('x', options),
      budget: () => looker(9).run('x', { ...options, limits: { budget: { steps: 2 } } }),
      maxSteps: () => looker(9, { stop: [maxSteps(1)] }).run('x', options),
      failed: () => broken.run('x', options),
      aborted: () => {
        const handle = aborting.stream('x', options);
        handle.abort('enough');
        return handle.result;
      },
    };
    await runs[kind]().catch(() => undefined);
    await traces.written();
    const account = accountOf(join(folder, 'r.jsonl'));
    expect([account.status, account.stopReason?.kind]).toEqual([status, kind]);
    expect(await checkTrace(join(folder, 'r.jsonl'))).toEqual([]);
  });

  test('[QITOS-61] is read back as it ends: one whose end is not as it was written is trouble, and told', async () => {
    const folder = temporaryFolder();
    const forgetful = diskWith({
      append: (file, text) => realDisk.append(file, text.replace('"stopReason"', '"reason"')),
    });
    const traces = traceFilesOn(forgetful, { folder });
    await looker(1).run('x', { runId: 'r', hooks: [traces] });
    const [trouble] = await traces.written();
    expect(trouble).toMatchObject({ runId: 'r', message: expect.stringContaining('not as it was written') });
    expect((await checkTrace(join(folder, 'r.jsonl')))[0]?.kind).toBe('row.changed');
  });

  test('[QITOS-62] writes whatever it is given: cyclic, bigint, Error, function, and nothing that is secret', () => {
    const tidy = tidier({ secrets: { A_KEY: 'sk-123456789' }, maxText: 50 });
    const cyclic: Record<string, unknown> = {
      name: 'sk-123456789',
      big: 10n,
      why: new Error('no'),
      run: () => 1,
    };
    cyclic['self'] = cyclic;
    cyclic['sk-123456789'] = 'a key, too';
    cyclic['long'] = 'x'.repeat(60);
    cyclic['auth'] = {
      apiKey: 'k',
      api_key: 1,
      Authorization: 'Bearer x',
      password: ['p'],
      tokens: 5,
      token: 't',
    };
    const { value, cut } = tidy(cyclic);
    expect(value).toEqual({
      name: '[redacted A_KEY]',
      big: '10',
      why: { name: 'Error', message: 'no' },
      run: expect.stringContaining('function'),
      self: '[circular]',
      '[redacted A_KEY]': 'a key, too',
      long: `${'x'.repeat(50)}… [cut: 60 characters]`,
      auth: {
        apiKey: '[redacted]',
        api_key: '[redacted]',
        Authorization: '[redacted]',
        password: '[redacted]',
        tokens: 5,
        token: '[redacted]',
      },
    });
    expect(cut).toBe(1);
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        JSON.stringify(tidy(anything).value);
      }),
    );
  });

  test('[QITOS-62] holds no secret in any of its lines, wherever that was said', async () => {
    const folder = temporaryFolder();
    const secret = 'hunter2-hunter2';
    const traces = traceFiles({
      folder,
      secrets: { SITE_PASSWORD: secret },
      redact: (text) => text.replaceAll('Ada', 'A.'),
      facts: { by: secret },
    });
    const leaky = agent({ name: 'leaky', decide: () => answer(`Ada said ${secret}, ${btoa(secret)}`) });
    await leaky.run(`My word is ${secret}`, { runId: 'r', hooks: [traces] });
    await traces.written();
    const text = textOf(join(folder, 'r.jsonl'));
    expect(text).not.toContain(secret);
    expect(text).not.toContain('Ada');
    expect(text).not.toContain(btoa(secret));
    expect(accountOf(join(folder, 'r.jsonl'))).toMatchObject({
      input: 'My word is [redacted SITE_PASSWORD]',
      facts: { by: '[redacted SITE_PASSWORD]' },
    });
    expect(await checkTrace(join(folder, 'r.jsonl'))).toEqual([]);
  });

  test('is published as JSON Schema, of all its lines', () => {
    const { head, note, event } = traceJsonSchemas();
    expect(JSON.stringify(head)).toContain('"factsHash"');
    expect(JSON.stringify(note)).toContain('"closed"');
    expect(JSON.stringify(event)).toContain('"run.ended"');
  });

  test('can be read by its user only', async () => {
    const folder = join(temporaryFolder(), 'new');
    const traces = traceFiles({ folder });
    await looker(0).run('x', { runId: 'r', hooks: [traces] });
    await traces.written();
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(statSync(join(folder, 'r.jsonl')).mode & 0o077).toBe(0);
  });

  test('does not make a model stream that nobody listens to', async () => {
    const traces = traceFiles({ folder: temporaryFolder() });
    expect(traces.on).not.toContain('model.delta');
    expect(traces.on).toContain('run.ended');
    await traces.written();
  });
});

describe('[M85] [QITOS-81] the file of a run', () => {
  test('is one name within the folder of all, whatever the id is; two ids are two files', () => {
    const seen = new Map<string, string>();
    const hostile = [
      '..',
      '.',
      '',
      '../../etc/passwd',
      '/etc',
      'C:\\x',
      'a/b',
      'a\0b',
      'CON',
      'nul.txt',
      'ä',
      '%',
      '~2',
    ];
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...hostile), fc.string(), fc.string({ unit: anyCharacter, minLength: 150 })),
        (id) => {
          const name = traceFileName(id);
          expect(name).toMatch(/^[a-z0-9_%-](?:[a-z0-9_.%-]*[a-z0-9_%-])?\.jsonl$/);
          expect(name).not.toMatch(/\.\./);
          expect(name).not.toMatch(/^(?:con|nul|aux|prn|com\d|lpt\d)(?:\.|$)/i);
          expect(name.length).toBeLessThanOrEqual(126);
          const before = seen.get(name) ?? id;
          // Halves of characters are one and the same as bytes.
          expect(Buffer.from(before)).toEqual(Buffer.from(id));
          seen.set(name, id);
        },
      ),
    );
    expect(traceFileName('3f9a1c0b7d2e')).toBe('3f9a1c0b7d2e.jsonl');
  });

  test('is where the trace of a hostile id is, and nowhere else', async () => {
    const folder = temporaryFolder();
    const traces = traceFiles({ folder: join(folder, 'traces') });
    await looker(0).run('x', { runId: '../../evil', hooks: [traces] });
    await traces.written();
    expect(filesIn(folder)).toEqual(['traces']);
    expect(filesIn(join(folder, 'traces'))).toEqual(['%2e%2e%2f.%2e%2fevil.jsonl']);
    const { account } = await readTrace(join(folder, 'traces', '%2e%2e%2f.%2e%2fevil.jsonl'));
    expect(account.runId).toBe('../../evil');
  });
});

describe('a disk that fails harms the trace alone', () => {
  test('a folder that cannot be made: the run goes well, and the failure is an event, once', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a-file'), '');
    const traces = traceFiles({ folder: join(folder, 'a-file/traces') });
    const { status, events } = await looker(20).run('x', { runId: 'r', hooks: [traces] });
    expect(status).toBe('completed');
    expect(await traces.written()).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'observer.failed').length).toBeLessThanOrEqual(1);
  });

  test('a disk that is full for a while: what is not there is counted, and checkTrace says so', async () => {
    const folder = temporaryFolder();
    let appends = 0;
    const full = diskWith({
      append: (file, text) => {
        appends += 1;
        return appends === 1
          ? Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
          : realDisk.append(file, text);
      },
    });
    const traces = traceFilesOn(full, { folder });
    const { status } = await looker(3).run('x', { runId: 'r', hooks: [traces] });
    expect(status).toBe('completed');
    expect(await traces.written()).toMatchObject([
      { runId: 'r', message: expect.stringContaining('no space left') },
    ]);
    const account = accountOf(join(folder, 'r.jsonl'));
    expect(account).toMatchObject({
      status: 'completed',
      trouble: expect.stringContaining('no space left'),
    });
    expect((await checkTrace(join(folder, 'r.jsonl'))).map(({ kind }) => kind)).toContain('trace.incomplete');
  });

  test('a disk that takes for ever: the run waits for nothing, and what does not fit into memory is counted', async () => {
    const folder = temporaryFolder();
    const { opened, open } = gate();
    const slow = diskWith({
      append: async (file, text) => {
        await opened;
        await realDisk.append(file, text);
      },
    });
    const traces = traceFilesOn(slow, { folder }, 20_000);
    const { status, events } = await looker(60).run('x', { runId: 'r', hooks: [traces] });
    expect(status).toBe('completed');
    open();
    expect(await traces.written()).toEqual([]);
    const account = accountOf(join(folder, 'r.jsonl'));
    const left = account.left?.events ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(left + account.counts.events).toBe(events.length);
    expect(account).toMatchObject({ status: 'completed', totals: { steps: 61 } });
    expect(new Set((await checkTrace(join(folder, 'r.jsonl'))).map(({ kind }) => kind))).toContain(
      'trace.incomplete',
    );
  });

  test('a trace is bounded: past maxBytes only its end is written', async () => {
    const folder = temporaryFolder();
    const traces = traceFiles({ folder, maxBytes: 5_000 });
    await looker(30).run('x', { runId: 'r', hooks: [traces] });
    await traces.written();
    const lines = textOf(join(folder, 'r.jsonl'));
    expect(lines.length).toBeLessThan(7_000);
    expect(lines).toMatch(/"type":"run.ended"[^\n]*\n[^\n]*"closed"[^\n]*\n$/);
  });

  test('a redaction that throws harms the trace alone', async () => {
    const folder = temporaryFolder();
    const traces = traceFiles({
      folder,
      redact: () => {
        throw new Error('oops');
      },
    });
    expect((await looker(1).run('x', { runId: 'r', hooks: [traces] })).status).toBe('completed');
    expect(await traces.written()).toMatchObject([{ message: expect.stringContaining('oops') }]);
  });

  test('other observers that fail are in the trace, and do not end it', async () => {
    const folder = temporaryFolder();
    const traces = traceFiles({ folder });
    const bad = hook({
      name: 'bad',
      on: 'agent.decided',
      handle: () => {
        throw new Error('bad');
      },
    });
    await looker(1).run('x', { runId: 'r', hooks: [bad, traces] });
    await traces.written();
    expect(await checkTrace(join(folder, 'r.jsonl'))).toEqual([]);
    expect(accountOf(join(folder, 'r.jsonl')).counts.byType['observer.failed']).toBeGreaterThan(0);
  });
});

describe('the traces of an engine', () => {
  test('are one file for each run, however many run at once; runs of one id do not share one', async () => {
    const folder = temporaryFolder();
    const traces = traceFiles({ folder });
    const engine = createGlobalEngine({ hooks: [traces] });
    const ids = Array.from({ length: 25 }, (_, index) => `run-${index}`);
    const one = looker(3);
    await Promise.all(ids.map((runId) => engine.execute(one, runId, { runId })));
    await engine.execute(one, 'again', { runId: 'run-0' });
    await engine.shutdown();
    expect(filesIn(folder)).toEqual([...ids, 'run-0~2'].map((id) => `${id}.jsonl`).toSorted());
    for (const name of filesIn(folder)) expect(await checkTrace(join(folder, name))).toEqual([]);
    expect((await readTrace(join(folder, 'run-0~2.jsonl'))).account.input).toBe('again');
  });

  test('and one that has ended is never written to again, also where the next run of its id begins at the same time', async () => {
    const folder = temporaryFolder();
    const traces = traceFiles({ folder });
    for (const input of ['one', 'other'])
      await looker(0).run(input, { runId: 'r', hooks: [traces], clock: virtualClock() });
    await traces.written();
    expect((await readTrace(join(folder, 'r.jsonl'))).account.input).toBe('one');
    expect((await readTrace(join(folder, 'r~2.jsonl'))).account.input).toBe('other');
  });

  test('and a run that is watched twice has two', async () => {
    const folder = temporaryFolder();
    const [one, other] = [traceFiles({ folder }), traceFiles({ folder })];
    await looker(2).run('x', { runId: 'r', hooks: [one, other] });
    await one.written();
    await other.written();
    expect(filesIn(folder)).toEqual(['r.jsonl', 'r~2.jsonl']);
    for (const name of filesIn(folder)) expect(await checkTrace(join(folder, name))).toEqual([]);
    expect((await readTrace(join(folder, 'r.jsonl'))).events).toEqual(
      (await readTrace(join(folder, 'r~2.jsonl'))).events,
    );
  });
});

test.each([{ folder: ' ' }, { folder: 'x', maxBytes: Number.NaN }, { folder: 'x', maxText: 0 }])(
  'options that make no sense are refused: %o',
  (options) => {
    expect(() => traceFiles(options)).toThrow(/^Cannot write traces as its \w+ is not/);
  },
);
