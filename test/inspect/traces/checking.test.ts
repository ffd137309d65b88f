import { traceText } from '../../../src/inspect/traces/trace-text.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RuntimeEvent } from '../../../src/index.ts';
import { checkTrace, listTraces, readTrace, traceFiles, traceOf } from '../../../src/inspect/index.ts';
import { traceIn } from '../../../src/inspect/traces/read-trace.ts';
import { filesIn, looker, temporaryFolder, textOf } from './traces-kit.ts';

/** A sound trace in a folder of its own. */
const sound = async (looks = 2, folder = temporaryFolder()): Promise<string> => {
  const traces = traceFiles({ folder });
  await looker(looks).run('x', { runId: 'r', hooks: [traces] });
  await traces.written();
  return join(folder, 'r.jsonl');
};

const kindsOf = async (trace: string): Promise<readonly string[]> => [
  ...new Set((await checkTrace(trace)).map(({ kind }) => kind)),
];

/** Changes the lines of a file. */
const edit = (trace: string, change: (lines: string[]) => readonly string[]): void => {
  const lines = textOf(trace).split('\n').slice(0, -1);
  writeFileSync(
    trace,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
};

const eventsAt = (trace: string): readonly RuntimeEvent[] => traceIn(textOf(trace)).events;

const ofType = (type: string) => (line: string) => line.includes(`"type":"${type}"`);

describe('[M50] what is wrong with a trace is told by kind', () => {
  const wrongs: readonly (readonly [
    what: string,
    kinds: readonly string[],
    spoil: (trace: string) => void,
  ])[] = [
    ['nothing', [], () => undefined],
    [
      'a text that was changed',
      ['row.changed'],
      (trace) => edit(trace, (lines) => lines.map((line) => line.replace('thing 1 is here', 'gone'))),
    ],
    ['no rows', ['run.no-end'], (trace) => edit(trace, ([head = '']) => [head])],
    [
      'no last event',
      ['row.changed', 'run.no-end'],
      (trace) => edit(trace, (lines) => lines.filter((line) => !ofType('run.ended')(line))),
    ],
    [
      'no first event',
      ['row.changed', 'seq.gap', 'run.no-start'],
      (trace) => edit(trace, (lines) => lines.toSpliced(2, 1)),
    ],
    [
      'an event that is missing in the middle',
      ['row.changed', 'seq.gap'],
      (trace) => edit(trace, (lines) => lines.toSpliced(5, 1)),
    ],
    [
      'two events that changed places',
      ['row.changed', 'seq.order'],
      (trace) => edit(trace, ([head = '', a = '', b = '', c = '', ...rest]) => [head, a, c, b, ...rest]),
    ],
    [
      'an event that is there twice, and other the second time',
      ['row.changed', 'seq.doubled'],
      (trace) =>
        edit(trace, ([head = '', a = '', b = '', ...rest]) => [head, a, b, b.replace('"x"', '"y"'), ...rest]),
    ],
    [
      'a type that nobody knows',
      ['row.changed', 'event.unknown', 'seq.gap'],
      (trace) => edit(trace, (lines) => lines.map((line) => line.replace('agent.acted', 'agent.danced'))),
    ],
    [
      'a row of a later version',
      ['row.changed'],
      (trace) =>
        edit(trace, (lines) => lines.map((line, at) => (at === 4 ? line.replace('{"v":1', '{"v":2') : line))),
    ],
    [
      'an event without what it has to tell',
      ['row.changed', 'event.invalid', 'seq.gap'],
      (trace) => edit(trace, (lines) => lines.map((line) => line.replace('"ok":1,', ''))),
    ],
    [
      'a line that is no JSON',
      ['line.broken'],
      (trace) => edit(trace, (lines) => lines.toSpliced(3, 0, '{"v":1,')),
    ],
    [
      'rows of another run',
      ['row.changed'],
      (trace) => edit(trace, ([head = '', ...rows]) => [head.replace('"runId":"r"', '"runId":"s"'), ...rows]),
    ],
    [
      'something after the end',
      ['run.after-end'],
      (trace) => {
        const events = eventsAt(trace);
        const { at = 0 } = events.at(-1) ?? {};
        const names = { v: 1, runId: 'r', path: 'looker', agent: 'looker' } as const;
        const late: RuntimeEvent = { ...names, type: 'run.paused', seq: events.length, at };
        writeFileSync(trace, traceText(traceOf([...events, late])));
      },
    ],
    [
      'time that went back',
      ['time.fell'],
      (trace) => {
        const back = eventsAt(trace).map((event, at) => (at === 7 ? { ...event, at: 7 } : event));
        writeFileSync(trace, traceText(traceOf(back)));
      },
    ],
    [
      'a tool that never came to its end',
      ['row.changed', 'seq.gap', 'tool.unfinished'],
      (trace) => edit(trace, (lines) => lines.filter((line) => !ofType('tool.finished')(line))),
    ],
  ];

  test.each(wrongs)('%s: %j', async (_, kinds, spoil) => {
    const trace = await sound();
    spoil(trace);
    expect(await kindsOf(trace)).toEqual(kinds);
  });

  test('with the line and what stands there', async () => {
    const trace = await sound();
    edit(trace, (lines) => lines.toSpliced(3, 0, 'nonsense'));
    expect(await checkTrace(trace)).toMatchObject([{ kind: 'line.broken', line: 4, raw: 'nonsense' }]);
  });

  test('and whatever bytes are in it, it is read or refused, never more than that', async () => {
    const trace = await sound();
    const source = Buffer.from(textOf(trace));
    await fc.assert(
      fc.asyncProperty(fc.nat(source.length), fc.uint8Array({ maxLength: 20 }), async (at, bytes) => {
        writeFileSync(
          trace,
          Buffer.concat([source.subarray(0, at), bytes, source.subarray(at + bytes.length)]),
        );
        const problems = await checkTrace(trace).catch((error: unknown) => String(error));
        return typeof problems !== 'string' || problems.includes('Cannot read');
      }),
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
      'a log of a later version',
      (folder: string) => {
        writeFileSync(join(folder, 'later.jsonl'), '{"troupe":"log","v":4,"kind":"trace"}\n');
        return join(folder, 'later.jsonl');
      },
    ],
  ])('%s', async (_, make) => {
    await expect(readTrace(make(temporaryFolder()))).rejects.toMatchObject({
      code: 'trace.unreadable',
      message: expect.stringMatching(/^Cannot read .+ as /),
    });
  });
});

describe('[QITOS-78] the traces of a folder', () => {
  const folder = temporaryFolder(afterAll);
  const first = temporaryFolder(afterAll);
  beforeAll(async () => {
    const trace = await sound(1, first);
    const { account, events } = await readTrace(trace);
    for (const [name, agent, status, startedAt] of [
      ['one', 'clerk', 'completed', 100],
      ['two', 'clerk', 'failed', 300],
      ['three', 'writer', 'completed', 200],
    ] as const) {
      const changed = events.map((event) => ({
        ...event,
        agent,
        at: startedAt,
        ...(event.type === 'run.ended' ? { status } : {}),
      })) as readonly RuntimeEvent[];
      writeFileSync(join(folder, `${name}.jsonl`), traceText({ account, events: changed }));
    }
    mkdirSync(join(folder, 'no-trace'));
    writeFileSync(join(folder, 'a-file'), '');
  });

  const names = async (filter?: Parameters<typeof listTraces>[1]) =>
    (await listTraces(folder, filter)).map(({ place }) => basename(place, '.jsonl'));

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
