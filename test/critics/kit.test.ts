import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Critique } from '../../src/contracts/agents/critique.ts';
import type { Review } from '../../src/contracts/agents/critic.ts';
import type { ToolTurn } from '../../src/contracts/conversations/transcript.ts';
import {
  agentCritic,
  groundingCritic,
  judgeCritic,
  reflectionCritic,
  schemaCritic,
} from '../../src/patterns/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { echo, letTimePass, ofType, settled, start } from '../support/runs.ts';

const lookUp = tool({
  name: 'look_up',
  description: 'Looks something up.',
  input: z.object({}),
  execute: () => 'The bridge was opened in 1932 and is 1,149 metres long. It carries trains and cars.',
});
const looksUp = calls({ name: 'look_up', input: {} });

/** A model under a name of its own. */
const model = (id: string, replies: readonly ScriptedReply[]) => ({ ...scriptedModel(replies), id });

const verdict = (said: Critique['verdict'], note = 'because') => JSON.stringify({ verdict: said, note });

test('[QITOS-24] a schema sends an answer back with what is wrong, and lets the next one through', async () => {
  const poet = scriptedModel(['a line that is far too long', 'short']);
  const one = agent({
    name: 'a',
    model: poet,
    critics: [schemaCritic(z.string().max(10), { name: 'length' })],
  });
  const { output, records } = await settled(start(one, 'go'));
  expect(output).toBe('short');
  expect(records[0]?.critiques).toMatchObject([
    { critic: 'length', verdict: 'revise', note: expect.stringContaining('10') },
  ]);
});

test('[QITOS-24] an answer is grounded when every sentence of it rests on what tools returned', async () => {
  const clerk = scriptedModel([
    looksUp,
    'The bridge was opened in 1932. It was painted green by sailors.',
    'The bridge was opened in 1923.',
    'The bridge was opened in 1932 and carries trains. I could not find who painted it.',
  ]);
  const one = agent({ name: 'a', model: clerk, tools: [lookUp], critics: [groundingCritic()] });
  const { output, records } = await settled(start(one, 'go'));
  expect(output).toContain('carries trains');
  const notes = records.flatMap(({ critiques }) => critiques.map(({ note }) => note));
  expect(notes[0]).toContain('“It was painted green by sailors.”');
  expect(notes[0]).not.toContain('opened in 1932');
  expect(notes[1]).toContain('1923');
  expect(notes[2]).toBeUndefined();
});

test('[QITOS-24] a tool error is retried twice, the third in a row stops the run, and what was said is in the conversation', async () => {
  const breaks = tool({
    name: 'breaks',
    description: 'Breaks.',
    input: z.object({}),
    execute: (): string => {
      throw new Error('no power');
    },
  });
  const wrong = calls({ name: 'breaks', input: {} });
  const right = calls({ name: 'echo', input: { text: 'ok' } });
  const made = (replies: readonly ScriptedReply[]) => {
    const used = scriptedModel(replies);
    const one = agent({ name: 'a', model: used, tools: [breaks, echo], critics: [reflectionCritic()] });
    const clock = virtualClock();
    const settling = settled(start(one, 'go', { clock }));
    return letTimePass(clock, settling).then((result) => ({ ...result, records: result.records, used }));
  };
  const third = await made([wrong, wrong, wrong, 'never']);
  expect(third.records.map(({ critiques }) => critiques[0]?.verdict)).toEqual(['revise', 'revise', 'stop']);
  expect(third.stopReason).toEqual({
    kind: 'criticStopped',
    note: expect.stringContaining('failed in 3 steps in a row: breaks: '),
  });
  expect(third.used.requests[2]?.messages.at(-1)).toMatchObject({
    role: 'user',
    from: 'critic',
    text: expect.stringContaining('no power'),
  });
  // What works in between begins the count anew.
  const mended = await made([wrong, wrong, right, wrong, wrong, 'done']);
  expect(mended.output).toBe('done');
});

describe('a model as the judge', () => {
  const judged = async (
    author: ReturnType<typeof model>,
    judges: Parameters<typeof judgeCritic>[0]['model'],
    options: Partial<Parameters<typeof judgeCritic>[0]> = {},
    overall?: ReturnType<typeof model>,
  ) => {
    const critics = [judgeCritic({ criterion: 'Is polite.', model: judges, ...options })];
    const one = agent({ name: 'a', model: author, critics });
    return settled(start(one, 'go', overall === undefined ? {} : { model: overall }));
  };

  test('sends back and accepts in a child run, which is part of the run', async () => {
    const judge = model('judge', [verdict('revise', 'say please'), verdict('accept')]);
    const author = model('author', ['Give me tea.', 'Tea, please.']);
    const { output, totals, events, records } = await judged(author, judge);
    expect(output).toBe('Tea, please.');
    expect(totals.modelCalls).toBe(4);
    expect(author.requests[1]?.messages.at(-1)?.text).toBe('say please');
    expect(JSON.parse(judge.requests[0]?.messages.at(-1)?.text ?? '')).toEqual({
      criterion: 'Is polite.',
      material: { task: 'go', answer: 'Give me tea.', evidence: [] },
    });
    expect(ofType(events, 'member.ended')).toHaveLength(2);
    expect(records[0]?.critiques).toMatchObject([{ critic: 'Is polite.', verdict: 'revise' }]);
  });

  test('is never the author: of several models the first that is none is asked', async () => {
    const author = model('author', ['x']);
    const other = model('other', [verdict('accept')]);
    const { status } = await judged(author, [{ ...author }, other]);
    expect(status).toBe('completed');
    expect(other.requests).toHaveLength(1);
    expect(author.requests).toHaveLength(1);
  });

  test('where the author is the only one, the run stops with a clear word, and the answer is kept', async () => {
    const author = model('author', ['x', verdict('accept')]);
    const { stopReason, candidate, output } = await judged(author, author);
    expect(stopReason).toEqual({
      kind: 'criticStopped',
      note: `Cannot judge as the judge is an author of the answer: ${author.provider}:author`,
    });
    expect([candidate, output]).toEqual(['x', undefined]);
    expect(author.requests).toHaveLength(1);
  });

  test('a model that a whole run was given does not judge itself either', async () => {
    const overall = model('overall', ['x', verdict('accept')]);
    const { stopReason, candidate } = await judged(model('author', []), model('judge', []), {}, overall);
    expect(stopReason).toMatchObject({ kind: 'criticStopped', note: expect.stringContaining(':overall') });
    expect(candidate).toBe('x');
  });

  test('that fails is a broken critic: nothing goes out unchecked, or the answer where that is asked for', async () => {
    const dark = () => model('judge', [new Error('dark')]);
    const lenient = await judged(model('author', ['x']), dark(), { ifBroken: 'accept' });
    expect([lenient.output, ofType(lenient.events, 'critic.failed').length]).toEqual(['x', 1]);
    const strict = await judged(model('author', ['x']), dark());
    expect(strict).toMatchObject({ stopReason: { kind: 'criticStopped' }, candidate: 'x' });
  });
});

test('any agent may be the critic; without material it is not asked', async () => {
  const said: Critique[] = [{ verdict: 'revise', note: 'longer' }, { verdict: 'accept' }];
  const editor = agent({
    name: 'editor',
    input: z.object({ draft: z.string() }),
    output: z.custom<Critique>(() => true),
    decide: () => ({ kind: 'answer', answer: JSON.parse(JSON.stringify(said.shift() ?? null)) }),
  });
  const critic = agentCritic({
    name: 'editor',
    judge: editor,
    material: ({ candidate }) => (candidate === 'skip' ? undefined : { draft: JSON.stringify(candidate) }),
  });
  const run = (replies: readonly string[]) =>
    settled(start(agent({ name: 'a', model: scriptedModel(replies), critics: [critic] }), 'go'));
  expect((await run(['short', 'longer text'])).output).toBe('longer text');
  expect((await run(['skip'])).output).toBe('skip');
  expect(said).toEqual([]);
});

test('a judge needs a model, grounding a share, reflection a number', () => {
  expect(() => judgeCritic({ criterion: 'x', model: [] })).toThrow('no model to judge');
  expect(() => judgeCritic({ criterion: 'x', model: 'nobody:x' })).toThrow(
    expect.objectContaining({ code: 'model.unknown' }),
  );
  expect(() => groundingCritic({ coverage: 2 })).toThrow('0 to 1: 2');
  expect(() => reflectionCritic({ patience: -1 })).toThrow('from 0: found -1');
});

describe('grounding', () => {
  const told = (text: string, failed = false): ToolTurn => ({
    role: 'tool',
    callId: 'call_0_0',
    tool: 'look_up',
    text,
    ...(failed ? { failed } : {}),
  });
  const review = (candidate: unknown, ...evidence: readonly ToolTurn[]): Review =>
    ({ candidate, evidence, results: [] }) as never;
  const judge = (answer: unknown, ...evidence: readonly ToolTurn[]) =>
    groundingCritic().critique(review(answer, ...evidence));

  test.each([
    ['words of one source', 'Leave lasts 30 days.', [told('Employees have 30 days of leave.')], 'accept'],
    ['another number', 'Leave is 50 days.', [told('Employees have 30 days of leave.')], 'revise'],
    [
      'words scattered over two sources',
      'Managers get free parking downtown.',
      [told('Managers meet on Monday.'), told('There is free bread downtown.')],
      'revise',
    ],
    ['a source that failed', 'The disk is full.', [told('The disk is full.', true)], 'revise'],
    ['no source at all', 'The disk is full.', [], 'revise'],
    ['nothing but a greeting', 'Here you are.', [], 'accept'],
    [
      'a citation with numbers of its own',
      'Leave is 30 days [a.md:12-14].',
      [told('30 days of leave')],
      'accept',
    ],
    ['an answer that is no text', { leave: 30 }, [told('30 days of leave')], 'accept'],
  ] as const)('%s: %j', async (_, answer, evidence, verdictOf) => {
    expect((await judge(answer, ...evidence)).verdict).toBe(verdictOf);
  });
});
