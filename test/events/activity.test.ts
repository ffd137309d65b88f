import { expect, test } from 'vitest';
import type { BudgetKind } from '../../src/contracts/runs/budget.ts';
import { activity$ } from '../../src/events/progress/activities.ts';
import { activityOf } from '../../src/events/progress/activity.ts';
import { deltaOf, durable, noted, noTotals, sampleRun } from './sample-events.ts';

const error = { code: 'tool.failed', message: 'no such file', retryable: 'no' } as const;
const call = { callId: 'call_0_0', tool: 'read_file' };
const lineOf = (...event: Parameters<typeof durable>) => activityOf(durable(...event))?.line;

test('[TENEX-38] a tool speaks in its own words: who · phase · what', () => {
  const started = {
    type: 'tool.started',
    ...call,
    input: {},
    description: 'Reading config.json',
    attempt: 1,
  } as const;
  expect(lineOf(0, started, 'desk/researcher-1', 'ACT')).toBe('researcher-1 · ACT · Reading config.json');
  expect(lineOf(0, { ...started, description: '' }, 'desk', 'ACT')).toBe('desk · ACT · Using read_file');
});

test('[M53] what models, tools and people wrote is made fit for a terminal', () => {
  const text = `\u001b[2J\u001b]0;pwned\u0007line one\r\nline two ${'x'.repeat(500)}`;
  const activity = activityOf(durable(0, noted(text), 'desk/\u001b[31mevil', 'ACT\u0007'));
  expect(activity?.text).toMatch(/^line one line two x+…$/u);
  expect(activity?.text).toHaveLength(200);
  expect(activity?.line.startsWith('evil · ACT · line one')).toBe(true);
});

test('[TENEX-13] the end is said in words, however the run ended', () => {
  const end = { type: 'run.ended', stopReason: { kind: 'maxSteps' }, totals: noTotals } as const;
  expect(lineOf(0, { ...end, status: 'completed' })).toBe('desk · Completed');
  expect(lineOf(0, { ...end, status: 'stopped' })).toBe('desk · Stopped: maxSteps');
  expect(lineOf(0, { ...end, status: 'aborted' })).toBe('desk · Aborted');
  expect(lineOf(0, { ...end, status: 'failed', error })).toBe('desk · Failed: no such file');
});

test('[M53] a model that is no language model is called so', () => {
  const started = {
    type: 'run.started',
    input: '',
    model: 'offline:offline',
    isLanguageModel: false,
  } as const;
  expect(lineOf(0, started)).toBe('desk · Started with offline:offline, which is not a language model');
});

test('[M53] trouble is told, and what goes well is not told twice', () => {
  const finished = { type: 'tool.finished', ...call, text: '', durationMs: 1 } as const;
  expect(lineOf(0, { ...finished, ok: true })).toBeUndefined();
  expect(lineOf(0, { ...finished, ok: false, error })).toBe('desk · read_file failed: no such file');
  const retrying = { type: 'model.retrying', model: 'm', attempt: 1, waitMs: 1_540, error } as const;
  expect(lineOf(0, retrying)).toBe('desk · Asking m again in 1.5 s: no such file');
  expect(activityOf(deltaOf('x', 'k'))).toBeUndefined();
});

test('[M53] a question that nobody answers is withdrawn, and the reason is said once', () => {
  const withdrawn = { type: 'request.withdrawn', id: 'q-1', reason: 'nobody waits for it any more' } as const;
  expect(lineOf(0, withdrawn)).toBe('desk · Withdrawn: nobody waits for it any more');
});

test('[M53] what runs out, and what goes round in circles, is said in words', () => {
  const loop = { type: 'loop.warned' as const, period: 1, repeats: 3, tools: ['read_file'] };
  expect(lineOf(0, loop)).toBe('desk · Going round in circles: read_file, 3 times');
  expect(lineOf(0, { ...loop, period: 2, tools: [] })).toBe(
    'desk · Going round in circles: the same, 3 times over 2 steps',
  );
  const near = { type: 'limit.neared', rule: 'maxSteps', used: 0.8 } as const;
  expect(lineOf(0, { ...near, stage: 'warned' })).toBe('desk · Near the limit: 80 % of maxSteps used');
  expect(lineOf(0, { ...near, stage: 'wrappingUp' })).toBe('desk · Wrapping up: 80 % of maxSteps used');
  const wordsOf = (budget: BudgetKind, used: number, limit: number) =>
    activityOf(durable(0, { type: 'budget.warned', budget, used, limit, fraction: used / limit }))?.text;
  expect(wordsOf('tokens', 40_000, 50_000)).toBe('80 % of the budget used: 40,000 of 50,000 tokens');
  expect(wordsOf('steps', 8, 10)).toBe('80 % of the budget used: 8 of 10 steps');
  expect(wordsOf('toolCalls', 9, 10)).toBe('90 % of the budget used: 9 of 10 tool calls');
  expect(wordsOf('usd', 0.2, 0.25)).toBe('80 % of the budget used: $0.2 of $0.25');
  expect(wordsOf('timeMs', 8_000, 10_000)).toBe('80 % of the budget used: 8 s of 10 s');
  const decided = { type: 'recovery.decided', error, decision: 'skip', streak: 1, limit: 3 } as const;
  expect(lineOf(0, decided)).toBe('desk · Skipping: no such file');
  const counts = { before: 9_000, after: 3_000, shown: 4, of: 20, rungs: [], isSummarised: false };
  expect(lineOf(0, { type: 'context.compacted', ...counts })).toBe(
    'desk · Compacted the conversation from 9000 to 3000 tokens',
  );
});

test('[M53] activities flow as they happen', () => {
  const { stream, tell } = sampleRun();
  const lines: string[] = [];
  activity$(stream.events$).subscribe(({ line }) => lines.push(line));
  tell({ type: 'phase.entered', phase: 'DECIDE' });
  tell({ type: 'model.asked', model: 'm', key: 'k', messages: 1, attempt: 1 }, 'desk', 'DECIDE');
  expect(lines).toEqual(['desk · DECIDE · Thinking']);
});

test('a set that was opened is said with some of what is in it, and what was left out', () => {
  const opened = (names: readonly string[], refused?: Readonly<Record<string, string>>) => ({
    type: 'toolset.opened' as const,
    toolset: 'skills',
    hash: 'h',
    tools: Object.fromEntries(names.map((name) => [name, 'f'])),
    ...(refused === undefined ? {} : { refused }),
  });
  expect(lineOf(0, opened(['pdf', 'brand']))).toBe('desk · Opened skills: pdf, brand');
  expect(lineOf(0, opened('abcdefg'.split(''), { x: 'too long' }))).toBe(
    'desk · Opened skills: a, b, c, d, e and 2 more, without x (too long)',
  );
  expect(lineOf(0, opened([]))).toBe('desk · Opened skills: nothing');
});
