import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { ErrorCode, ErrorData, Retryable } from '../../src/contracts/errors/error-data.ts';
import { errorCodes } from '../../src/contracts/errors/error-data.ts';
import { isTroupeError, TroupeError } from '../../src/contracts/errors/error.ts';
import { publishTo } from '../../src/inspect/index.ts';
import { jsonLog } from '../../src/inspect/telemetry/json-log.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { rememberingPublisher } from '../inspect/publishing/publisher-kit.ts';
import { echo, letTimePass, ofType, settled, start } from '../support/runs.ts';

const boom = (): never => {
  throw new Error('boom');
};

/** A schema of some library's own, whose check breaks. */
const breaking = (
  validate: () => Promise<never>,
): StandardSchemaV1<string> & StandardJSONSchemaV1<string> => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate,
    jsonSchema: { input: () => ({}), output: () => ({}) },
  },
});

const broken = {
  'that throws': breaking(boom),
  'that rejects': breaking(() => Promise.reject(new Error('boom'))),
  'of zod that throws': z.string().refine(boom),
  'of zod that rejects': z.string().refine(() => Promise.reject(new Error('boom'))),
};

const looks = calls({ name: 'echo', input: { text: 'seen' } });

interface Row {
  readonly what: string;
  readonly make: () => Agent<string, unknown>;
  readonly code: ErrorCode;
  readonly phase: string;
  readonly step: number;
  readonly retryable: Retryable;
}

/** What may break, and what it is called then. */
const table: readonly Row[] = [
  {
    what: 'the task',
    make: () => agent({ name: 'a', input: z.string().regex(/^\d+$/) }),
    code: 'input.invalid',
    phase: 'preparing',
    step: 0,
    retryable: 'no',
  },
  {
    what: 'the environment',
    make: () => agent({ name: 'a', observe: boom }),
    code: 'agent.threw',
    phase: 'OBSERVE',
    step: 0,
    retryable: 'no',
  },
  {
    what: 'the model, in a way that may pass',
    make: () =>
      agent({
        name: 'a',
        tools: [echo],
        model: scriptedModel([
          looks,
          ...Array.from(
            { length: 3 },
            () => new TroupeError('model.timeout', 'Cannot wait: 9 s', { retryable: 'yes' }),
          ),
        ]),
      }),
    code: 'model.timeout',
    phase: 'DECIDE',
    step: 1,
    retryable: 'yes',
  },
  {
    what: 'the model, for good',
    make: () => agent({ name: 'a', model: scriptedModel([new Error('boom')]) }),
    code: 'model.failed',
    phase: 'DECIDE',
    step: 0,
    retryable: 'no',
  },
  {
    what: 'the parsing of an answer',
    make: () => agent({ name: 'a', output: z.object({}), model: scriptedModel(['{', '{', '{']) }),
    code: 'output.invalid',
    phase: 'DECIDE',
    step: 2,
    retryable: 'maybe',
  },
  {
    what: 'a decision',
    make: () => agent({ name: 'a', decide: () => ({ kind: 'act', calls: [] }) }),
    code: 'decision.invalid',
    phase: 'DECIDE',
    step: 0,
    retryable: 'no',
  },
  {
    what: 'the state',
    make: () => agent({ name: 'a', decide: () => answer('x'), reduce: boom }),
    code: 'agent.threw',
    phase: 'REDUCE',
    step: 0,
    retryable: 'no',
  },
  {
    what: 'the check for the end',
    make: () =>
      agent({ name: 'a', tools: [echo], model: scriptedModel([looks]), stop: { shouldStop: boom } }),
    code: 'agent.threw',
    phase: 'CHECK_STOP',
    step: 0,
    retryable: 'no',
  },
];

test.each(table)(
  '[QITOS-75] [D30] where $what breaks, the error says so: $code, $phase, retryable: $retryable',
  async ({ make, code, phase, step, retryable }) => {
    const clock = virtualClock();
    const handle = start(make(), 'go', { clock, runId: 'run-7' });
    const { error, status, events } = await letTimePass(clock, settled(handle));
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code, phase, step, retryable, runId: 'run-7', path: 'a' });
    expect(ofType(events, 'run.ended')).toMatchObject([{ status: 'failed', error }]);
    expect(events.at(-1)?.type).toBe('run.ended');
  },
);

test('[QITOS-75] what a tool breaks on is data, and what a critic breaks on is on record: the answer is kept, and does not go out', async () => {
  const breaks = tool({ name: 'breaks', description: 'Breaks.', input: z.object({}), execute: boom });
  const model = scriptedModel([calls({ name: 'breaks', input: {} }), 'there']);
  const critics = [{ name: 'cross', critique: boom }];
  const one = agent({ name: 'a', tools: [breaks], model, critics });
  const { status, records, events, candidate } = await settled(start(one, 'go'));
  expect([status, candidate]).toEqual(['stopped', 'there']);
  expect(records[0]?.results).toMatchObject([{ ok: false, kind: 'execution' }]);
  expect(ofType(events, 'critic.failed')).toMatchObject([
    { critic: 'cross', phase: 'CRITIC', step: 1, error: { code: 'agent.threw' } },
  ]);
});

test('[D27] a critic, a check and a rule that break leave a run that has ended, not one that goes on', async () => {
  const breakers = [
    agent({ name: 'a', decide: () => answer('x'), critics: [{ name: 'c', each: 'step', critique: boom }] }),
    agent({ name: 'a', tools: [echo], model: scriptedModel([looks]), stop: { shouldStop: boom } }),
    agent({
      name: 'a',
      tools: [echo],
      model: scriptedModel([looks]),
      stop: { name: 'broken', check: boom },
    }),
  ];
  const ends: string[] = [];
  for (const each of breakers) {
    const { events, status } = await settled(start(each, 'go'));
    expect(events.at(-1)?.type).toBe('run.ended');
    ends.push(status);
  }
  expect(ends).toEqual(['stopped', 'failed', 'failed']);
});

test.each(
  Object.entries(broken).flatMap(([which, schema]) => [
    [`of its input ${which}`, 'preparing', () => agent({ name: 'a', input: schema })] as const,
    [
      `of its answer ${which}`,
      'DECIDE',
      () => agent({ name: 'a', model: scriptedModel(['"x"']), output: schema }),
    ] as const,
  ]),
)('[D27] a schema %s fails the run, which is over like any other', async (_, phase, make) => {
  const clock = virtualClock();
  const handle = start<string, unknown, unknown>(make(), 'go', { clock });
  const { status, events, error } = await letTimePass(clock, settled(handle));
  expect(status).toBe('failed');
  expect(error).toMatchObject({ phase, message: expect.stringContaining('boom') });
  expect(ofType(events, 'run.ended')).toMatchObject([{ status: 'failed', error }]);
  expect(events.at(-1)?.type).toBe('run.ended');
  expect(clock.pending).toBe(0);
});

test('[D29] a decision to act without a call is named for what it is, as one of no known kind is', async () => {
  const codes: unknown[] = [];
  // A decision that comes from JavaScript may be anything.
  for (const decision of [{ kind: 'act', calls: [] }, JSON.parse('{"kind":"dance"}')]) {
    const one = agent({ name: 'a', decide: () => decision });
    codes.push((await settled(start(one, 'go'))).error?.code);
  }
  expect(codes).toEqual(['decision.invalid', 'decision.invalid']);
});

test('[DODO-36] an error says in its fields where it happened, and in its message what was being done', async () => {
  const breaks = tool({
    name: 'breaks',
    description: 'Breaks.',
    input: z.object({ n: z.number() }),
    execute: boom,
  });
  const asked: readonly [string, number | string][] = [
    ['breaks', 1],
    ['breaks', 'one'],
    ['ghost', 1],
  ];
  const model = scriptedModel([looks, calls(...asked.map(([name, n]) => ({ name, input: { n } }))), 'there']);
  const one = agent({ name: 'a', tools: [echo, breaks], model });
  const { records } = await settled(start(one, 'go', { runId: 'run-7' }));
  const errors = records[1]?.results.map((result): ErrorData | undefined =>
    result.ok ? undefined : result.error,
  );
  const place = { runId: 'run-7', path: 'a', step: 1, phase: 'ACT' };
  expect(errors).toMatchObject([
    { ...place, tool: 'breaks', message: "Cannot finish 'breaks' as it failed: boom" },
    { ...place, tool: 'breaks', message: expect.stringContaining("Cannot call 'breaks' as its input") },
    { ...place, tool: 'ghost', message: expect.stringContaining("Cannot call 'ghost' as there is no") },
  ]);
});

test('[DODO-36] a call that a person or a strategy denied says where, too', async () => {
  const denied = tool({
    name: 'denied',
    description: 'No.',
    input: z.object({}),
    approval: true,
    execute: boom,
  });
  const run = async (options: object) => {
    const model = scriptedModel([looks, calls({ name: 'denied', input: {} }), 'there']);
    const one = agent({ name: 'a', tools: [echo, denied], model });
    const { records } = await settled(start(one, 'go', { runId: 'run-7', ...options }));
    const result = records[1]?.results[0];
    return result?.ok === false ? result.error : undefined;
  };
  const place = { code: 'tool.denied', runId: 'run-7', path: 'a', step: 1, phase: 'ACT', tool: 'denied' };
  expect(await run({ person: { approve: () => false } })).toMatchObject(place);
  expect(
    await run({
      safety: ({ tool: name }: { tool: string }) =>
        name === 'denied' ? { verdict: 'deny', reason: 'not today' } : { verdict: 'allow' },
    }),
  ).toMatchObject(place);
});

test('[DODO-37] an error is told apart by its code, and only by that, also one of another copy of the package', async () => {
  const another = '../../src/contracts/errors/error.ts?another';
  const copy = (await import(another)) as {
    readonly TroupeError: typeof TroupeError;
    readonly isTroupeError: typeof isTroupeError;
  };
  expect(copy.TroupeError).not.toBe(TroupeError);
  for (const code of errorCodes) {
    const foreign = new copy.TroupeError(code, 'Cannot go on as it is a test: x');
    expect(foreign).not.toBeInstanceOf(TroupeError);
    expect(isTroupeError(foreign)).toBe(true);
    expect(errorCodes.filter((each) => isTroupeError(foreign, each))).toEqual([code]);
    expect(errorCodes.filter((each) => copy.isTroupeError(new TroupeError(code, 'x'), each))).toEqual([code]);
  }
  for (const other of [new Error('x'), { code: 'tool.failed' }, 'tool.failed', null, undefined])
    expect(isTroupeError(other)).toBe(false);
});

describe('who hears of an error', () => {
  test('[TENEX-62] one error has one id: in the result of the tool, the event, the log, the parent and the record', async () => {
    const breaks = tool({
      name: 'breaks',
      description: 'Breaks.',
      safety: 'write',
      input: z.object({}),
      execute: boom,
    });
    const logged: ErrorData[] = [];
    const one = agent({
      name: 'a',
      tools: [breaks],
      model: scriptedModel([calls({ name: 'breaks', input: {} }), 'x']),
    });
    const handle = start(one, 'go', { runId: 'run-7', log: ({ error }) => void logged.push(error) });
    const { records, events, effects } = await settled(handle);
    const id = 'run-7/a#0.ACT.0.1';
    const [result] = records[0]?.results ?? [];
    expect(result?.ok === false && result.error.errorId).toBe(id);
    expect(ofType(events, 'tool.finished')[0]?.error?.errorId).toBe(id);
    expect(logged.map(({ errorId }) => errorId)).toEqual([id]);
    expect(effects.find(({ key }) => key === id)?.output).toMatchObject({
      result: { error: { errorId: id } },
    });
    const team = pipeline({ name: 'p', stages: [agent({ name: 'b', decide: boom })] });
    const failed = await settled(start(team, 'go', { runId: 'run-8' }));
    const below = ofType(failed.events, 'member.ended')[0]?.error;
    expect(below?.errorId).toMatch(/^run-8\/p\/b.*#0\.DECIDE\.0\.1$/);
    expect(failed.error?.errorId).toBe(below?.errorId);
    expect(failed.effects.map(({ key }) => key)).toContain(below?.errorId);
  });

  test('[FIND-33] [TENEX-62] the published messages and the trace carry the id of the error, too', async () => {
    const breaks = tool({
      name: 'breaks',
      description: 'Breaks.',
      safety: 'write',
      input: z.object({}),
      execute: boom,
    });
    const kit = rememberingPublisher();
    const hook = publishTo(kit.publisher);
    const lines: string[] = [];
    const trace = jsonLog((line) => void lines.push(line));
    const dead = scriptedModel([calls({ name: 'breaks', input: {} }), new Error('dead')]);
    const one = agent({ name: 'a', tools: [breaks], model: dead, failures: { retry: { attempts: 1 } } });
    const options = { runId: 'run-7', hooks: [hook, trace] };
    const { error } = await settled(start(one, 'go', options));
    await hook.close();
    const tellsOf = (type: string) =>
      kit.publications.filter((each) => each.type === type).map((each) => 'errorId' in each && each.errorId);
    expect(tellsOf('tool.finished')).toEqual(['run-7/a#0.ACT.0.1']);
    expect(tellsOf('error')).toEqual([error?.errorId]);
    expect(error?.errorId).toMatch(/^run-7\/a#1\.DECIDE/);
    for (const id of ['run-7/a#0.ACT.0.1', error?.errorId ?? ''])
      expect(lines.some((line) => line.includes(JSON.stringify(id).slice(1, -1)))).toBe(true);
  });

  test('[TENEX-63] [D38] a log that throws breaks nothing, and is reported with both errors', async () => {
    const breaks = tool({
      name: 'breaks',
      description: 'Breaks.',
      safety: 'write',
      input: z.object({}),
      execute: boom,
    });
    const model = scriptedModel([calls({ name: 'breaks', input: {} }), 'x']);
    const log = (): never => {
      throw new Error('the disk is full');
    };
    const { status, events } = await settled(
      start(agent({ name: 'a', tools: [breaks], model }), 'go', { log }),
    );
    expect(status).toBe('completed');
    expect(ofType(events, 'observer.failed')).toMatchObject([
      {
        observer: 'log',
        error: { message: expect.stringContaining('the disk is full') },
        about: { code: 'tool.failed', message: expect.stringContaining('boom') },
      },
    ]);
  });

  test('[DODO-36] causes are kept all the way down, and one that is its own cause has an end', async () => {
    const deep = new Error('outer', { cause: new Error('middle', { cause: new Error('inner') }) });
    const round = new Error('round');
    round.cause = round;
    const causes: unknown[] = [];
    for (const thrown of [deep, round]) {
      const one = agent({
        name: 'a',
        decide: () => {
          throw thrown;
        },
      });
      causes.push((await settled(start(one, 'go'))).error?.cause);
    }
    expect(causes[0]).toMatchObject({
      message: 'outer',
      cause: { message: 'middle', cause: { message: 'inner' } },
    });
    expect(JSON.stringify(causes[1]).match(/round/g)).toHaveLength(5);
  });
});
