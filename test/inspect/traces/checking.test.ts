import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RuntimeEvent } from '../../../src/index.ts';
import { checkTrace, listTraces, readTrace, traceFiles, traceOf } from '../../../src/inspect/traces/index.ts';
import { filesIn, looker, temporaryFolder, textOf } from './traces-kit.ts';

/** A sound trace in a folder of its own. */
const sound = async (looks = 2): Promise<string> => {
  const folder = temporaryFolder();
  const traces = traceFiles({ folder });
  await looker(looks).run('x', { runId: 'r', hooks: [traces] });
  await traces.written();
  return join(folder, 'r');
};

const kindsOf = async (trace: string): Promise<readonly string[]> => [
  ...new Set((await checkTrace(trace)).map(({ kind }) => kind)),
];

/** Changes the lines of a file. */
const edit = (trace: string, file: string, change: (lines: string[]) => readonly string[]): void => {
  const lines = textOf(trace, file).split('\n').slice(0, -1);
  writeFileSync(
    join(trace, file),
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
};

const ofType = (type: string) => (line: string) => line.includes(`"type":"${type}"`);

describe('[M50] what is wrong with a trace is told by kind', () => {
  const wrongs: readonly (readonly [
    what: string,
    kinds: readonly string[],
    spoil: (trace: string) => void,
  ])[] = [
    ['nothing', [], () => undefined],
    ['no manifest', ['manifest.missing'], (trace) => rmSync(join(trace, 'manifest.json'))],
    [
      'a manifest that is no JSON',
      ['manifest.invalid'],
      (trace) => writeFileSync(join(trace, 'manifest.json'), '{'),
    ],
    [
      'a manifest without a key',
      ['manifest.invalid'],
      (trace) =>
        edit(trace, 'manifest.json', (lines) => lines.filter((line) => !line.includes('"startedAt"'))),
    ],
    [
      'a manifest of another end',
      ['manifest.contradicts'],
      (trace) =>
        edit(trace, 'manifest.json', (lines) =>
          lines.map((line) => line.replace('"status": "completed"', '"status": "failed"')),
        ),
    ],
    [
      'a text that was changed',
      ['manifest.contradicts'],
      (trace) =>
        edit(trace, 'events.jsonl', (lines) => lines.map((line) => line.replace('thing 1 is here', 'gone'))),
    ],
    [
      'no events',
      ['manifest.contradicts', 'file.missing', 'step.missing', 'run.no-end'],
      (trace) => rmSync(join(trace, 'events.jsonl')),
    ],
    [
      'no last event',
      ['manifest.contradicts', 'run.no-end'],
      (trace) => edit(trace, 'events.jsonl', (lines) => lines.filter((line) => !ofType('run.ended')(line))),
    ],
    [
      'no first event',
      ['manifest.contradicts', 'seq.gap', 'run.no-start'],
      (trace) => edit(trace, 'events.jsonl', (lines) => lines.slice(1)),
    ],
    [
      'an event that is missing in the middle',
      ['manifest.contradicts', 'seq.gap'],
      (trace) => edit(trace, 'events.jsonl', (lines) => lines.toSpliced(5, 1)),
    ],
    [
      'two events that changed places',
      ['manifest.contradicts', 'seq.order'],
      (trace) => edit(trace, 'events.jsonl', ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest]),
    ],
    [
      'an event that is there twice, and other the second time',
      ['manifest.contradicts', 'seq.doubled'],
      (trace) => edit(trace, 'events.jsonl', ([a = '', ...rest]) => [a, a.replace('"x"', '"y"'), ...rest]),
    ],
    [
      'a type that nobody knows',
      ['manifest.contradicts', 'event.unknown', 'seq.gap'],
      (trace) =>
        edit(trace, 'events.jsonl', (lines) =>
          lines.map((line) => line.replace('agent.acted', 'agent.danced')),
        ),
    ],
    [
      'an event of a later version',
      ['manifest.contradicts', 'event.unknown', 'seq.gap'],
      (trace) =>
        edit(trace, 'events.jsonl', ([a = '', b = '', ...rest]) => [a, b.replace('"v":1', '"v":2'), ...rest]),
    ],
    [
      'an event without what it has to tell',
      ['manifest.contradicts', 'event.invalid', 'seq.gap'],
      (trace) => edit(trace, 'events.jsonl', (lines) => lines.map((line) => line.replace('"ok":1,', ''))),
    ],
    [
      'a line that is no JSON',
      ['manifest.contradicts', 'line.broken'],
      (trace) => edit(trace, 'events.jsonl', (lines) => lines.toSpliced(3, 0, '{"v":1,')),
    ],
    [
      'an event of another run',
      ['manifest.contradicts', 'event.foreign'],
      (trace) =>
        edit(trace, 'events.jsonl', (lines) =>
          lines.map((line, at) => (at === 4 ? line.replace('"runId":"r"', '"runId":"s"') : line)),
        ),
    ],
    [
      'something after the end',
      ['manifest.contradicts', 'run.after-end'],
      (trace) =>
        edit(trace, 'events.jsonl', (lines) => [
          ...lines,
          `{"v":1,"type":"run.paused","seq":${lines.length},"at":9999999999999,"runId":"r","path":"looker","agent":"looker"}`,
        ]),
    ],
    [
      'time that went back',
      ['manifest.contradicts', 'time.fell'],
      (trace) =>
        edit(trace, 'events.jsonl', (lines) =>
          lines.map((line, at) => (at === 7 ? line.replace(/"at":\d+/, '"at":7') : line)),
        ),
    ],
    [
      'a tool that never came to its end',
      ['manifest.contradicts', 'seq.gap', 'tool.unfinished'],
      (trace) =>
        edit(trace, 'events.jsonl', (lines) => lines.filter((line) => !ofType('tool.finished')(line))),
    ],
    [
      'a step that has no line',
      ['manifest.contradicts', 'step.missing'],
      (trace) => edit(trace, 'steps.jsonl', (lines) => lines.slice(1)),
    ],
    [
      'a step that is none',
      ['manifest.contradicts', 'step.invalid', 'step.missing'],
      (trace) =>
        edit(trace, 'steps.jsonl', ([a = '', ...rest]) => [a.replace('"results"', '"result"'), ...rest]),
    ],
  ];

  test.each(wrongs)('%s: %j', async (_, kinds, spoil) => {
    const trace = await sound();
    spoil(trace);
    expect(await kindsOf(trace)).toEqual(kinds);
  });

  test('with the file, the line and what stands there', async () => {
    const trace = await sound();
    edit(trace, 'events.jsonl', (lines) => lines.toSpliced(3, 0, 'nonsense'));
    expect(await checkTrace(trace)).toContainEqual({
      kind: 'line.broken',
      file: 'events',
      line: 4,
      raw: 'nonsense',
      message: 'It is no JSON',
    });
  });

  test('and whatever bytes are in its files, it is read or refused, never more than that', async () => {
    const trace = await sound();
    const text = textOf(trace, 'events.jsonl');
    const manifest = textOf(trace, 'manifest.json');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('events.jsonl', 'steps.jsonl', 'manifest.json'),
        fc.nat(text.length),
        fc.uint8Array({ maxLength: 20 }),
        async (file, at, bytes) => {
          const sources = { 'events.jsonl': text, 'manifest.json': manifest, 'steps.jsonl': text };
          const source = Buffer.from(sources[file]);
          writeFileSync(
            join(trace, file),
            Buffer.concat([source.subarray(0, at), bytes, source.subarray(at + bytes.length)]),
          );
          const problems = await checkTrace(trace).catch((error: unknown) => String(error));
          return typeof problems !== 'string' || problems.includes('Cannot read the trace');
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a trace of events alone is checked, too', async () => {
    const { events } = await looker(2).run('x');
    expect(await checkTrace(traceOf(events))).toEqual([]);
    const broken: readonly RuntimeEvent[] = events.filter(
      ({ type }) => type !== 'tool.started' && type !== 'run.ended',
    );
    expect((await checkTrace(traceOf(broken))).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['seq.gap', 'run.no-end']),
    );
  });
});

describe('what is no trace is refused', () => {
  test.each([
    ['a folder that is not there', (folder: string) => join(folder, 'nowhere')],
    ['an empty folder', (folder: string) => folder],
    [
      'a file',
      (folder: string) => {
        writeFileSync(join(folder, 'file'), 'x');
        return join(folder, 'file');
      },
    ],
    [
      'a trace of a later version',
      (folder: string) => {
        mkdirSync(join(folder, 'later'));
        writeFileSync(join(folder, 'later/manifest.json'), '{"v":2}');
        return join(folder, 'later');
      },
    ],
  ])('%s', async (_, make) => {
    await expect(readTrace(make(temporaryFolder()))).rejects.toMatchObject({
      code: 'trace.unreadable',
      message: expect.stringMatching(/^Cannot read the trace in .+ as /),
    });
  });
});

describe('[QITOS-78] the traces of a folder', () => {
  let folder = '';
  beforeAll(async () => {
    const trace = await sound(1);
    folder = temporaryFolder();
    for (const [name, agent, status, startedAt] of [
      ['one', 'clerk', 'completed', 100],
      ['two', 'clerk', 'failed', 300],
      ['three', 'writer', 'completed', 200],
    ] as const) {
      cpSync(trace, join(folder, name), { recursive: true });
      edit(join(folder, name), 'manifest.json', (lines) =>
        lines.map((line) =>
          line
            .replace('"agent": "looker"', `"agent": "${agent}"`)
            .replace('"status": "completed"', `"status": "${status}"`)
            .replace(/"startedAt": \d+/, `"startedAt": ${startedAt}`),
        ),
      );
    }
    mkdirSync(join(folder, 'no-trace'));
    writeFileSync(join(folder, 'a-file'), '');
  });

  const names = async (filter?: Parameters<typeof listTraces>[1]) =>
    (await listTraces(folder, filter)).map(({ folder: each }) => each.slice(folder.length + 1));

  test('are listed newest first, by status, agent and time; what is none is passed over', async () => {
    expect(filesIn(folder)).toHaveLength(5);
    expect(await names()).toEqual(['two', 'three', 'one']);
    expect(await names({ status: ['completed'] })).toEqual(['three', 'one']);
    expect(await names({ agent: 'clerk', since: 101 })).toEqual(['two']);
    expect(await names({ limit: 1 })).toEqual(['two']);
  });

  test('of no folder are refused', async () => {
    await expect(listTraces(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'trace.unreadable' });
  });
});
