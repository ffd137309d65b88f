import { describe, expect, test } from 'vitest';
import { append, emptyHistory, HistoryView, type History } from '../../src/base/collections/history.ts';
import type { Processor, TokenCounter } from '../../src/contracts/conversations/processor.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { budgetLadder, defaultRungs } from '../../src/memory/processors/budget-ladder.ts';
import { presetProcessors } from '../../src/memory/processors/compaction-presets.ts';
import { estimatingCounter, TurnCounter } from '../../src/memory/tokens/count-tokens.ts';
import { keepLast } from '../../src/memory/processors/keep-last.ts';
import { budgetAfterOverflow, budgetFor } from '../../src/memory/tokens/model-limits.ts';
import { project } from '../../src/memory/processors/project.ts';
import { conversationOf, historyOf } from './histories.ts';

describe('[DODO-52] tokens', () => {
  test.each([
    ['', 1],
    ['a', 1],
    ['abcd', 1],
    ['hello world', 3],
    ['one two three four', 5],
    ['x'.repeat(400), 100],
    [' '.repeat(12), 5],
  ])('%j is estimated at %i', (text, tokens) => {
    expect(estimatingCounter.count(text)).toBe(tokens);
  });

  test('of a message come with 4, of a tool with 10', () => {
    const counter = new TurnCounter();
    expect(counter.count({ role: 'user', text: 'abcd' })).toBe(5);
    const spec = { name: 'a', description: 'b', parameters: {} };
    expect(counter.overhead('abcd', [spec])).toBe(5 + 10 + estimatingCounter.count(JSON.stringify(spec)));
  });

  test('are counted by the counter that is given, and each turn once', () => {
    let asked = 0;
    const words: TokenCounter = { name: 'words', count: (text) => ((asked += 1), text.split(' ').length) };
    const counter = new TurnCounter(words);
    const turn: Turn = { role: 'user', text: 'one two three' };
    expect([counter.count(turn), counter.count(turn), asked]).toEqual([7, 7, 1]);
  });
});

describe('[DODO-51] the budget', () => {
  test.each([
    ['anthropic:claude-sonnet-5', 150_000, 190_000],
    ['kimi-k2', 150_000, 190_000],
    ['openai:gpt-4o-mini', 100_000, 120_000],
    ['deepseek-chat', 50_000, 60_000],
    ['offline:offline', 12_000, 16_000],
  ])('of %s follows from its name', (model, soft, hard) => {
    expect(budgetFor(model)).toMatchObject({ soft, hard });
  });

  test('that is given wins, and limits of one’s own come first', () => {
    expect(budgetFor('claude', { hard: 1_000, soft: 500, reserve: 1 })).toEqual({
      hard: 1_000,
      soft: 500,
      reserve: 1,
    });
    expect(budgetFor('claude-x', {}, [{ pattern: /claude-x/, soft: 1, hard: 2 }])).toMatchObject({
      soft: 1,
      hard: 2,
    });
  });

  test('[QITOS-98] keeps a twentieth free for the answer, and 1,024 at least', () => {
    expect(budgetFor('claude').reserve).toBe(9_500);
    expect(budgetFor('any', { hard: 10_000 }).reserve).toBe(1_024);
  });
});

test('[DODO-49] past the soft limit is a word, past the hard limit less the reserve a compression', () => {
  const history = historyOf(conversationOf(['u', 'a', 'u', 'a', 'u', 'a', 'u', 'a'], 400));
  const counter = new TurnCounter();
  const size = counter.history(history);
  const kinds = (soft: number, hard: number) =>
    project(history, [budgetLadder()], { counter, budget: { soft, hard, reserve: 100 } }).notes.map(
      ({ kind }) => kind,
    );
  expect(kinds(size, size + 100)).toEqual([]);
  expect(kinds(size - 1, size + 100)).toEqual(['near-limit']);
  expect(kinds(size - 1, size + 99)).toContain('rung');
});

describe('[DODO-50] the ladder', () => {
  const long = historyOf(conversationOf(['u', 1, 'a', 1, 'a', 1, 'a', 1, 'a', 1, 'a', 1, 'a'], 4_000));
  const rungsFor = (hard: number) =>
    project(long, [budgetLadder()], { budget: { soft: hard, hard, reserve: 0 } }).notes.flatMap((note) =>
      note.kind === 'rung' ? [note.rung] : [],
    );

  test('tries each rung once, the mildest first, and stops when it fits', () => {
    const size = new TurnCounter().history(long);
    expect(rungsFor(size)).toEqual([]);
    expect(rungsFor(size - 1)).toEqual(['truncateTools(2000)']);
    expect(rungsFor(7_000)).toEqual(['truncateTools(2000)', 'summariseOlder(8)']);
    expect(rungsFor(4_000)).toEqual(['truncateTools(2000)', 'summariseOlder(8)', 'summariseOlder(4)']);
  });

  test('ends with leaving out what is older than the last 4 turns', () => {
    const names = defaultRungs().map(({ name }) => name);
    expect(names).toEqual(['truncateTools(2000)', 'summariseOlder(8)', 'summariseOlder(4)', 'keepLast(4)']);
  });

  test('leaves a rung that does not make it shorter', () => {
    const chatty: Processor = {
      name: 'chatty',
      *project(blocks) {
        for (const block of blocks)
          yield { ...block, turns: block.turns.map((turn) => ({ ...turn, text: `${turn.text} and so on` })) };
      },
    };
    const budget = { soft: 10_000, hard: 10_000, reserve: 0 };
    const { notes, history } = project(long, [budgetLadder([chatty, keepLast(2)])], { budget });
    expect(notes).toMatchObject([
      { rung: 'chatty', helped: false },
      { rung: 'keepLast(2)', helped: true },
    ]);
    expect(new HistoryView(history).at(-1)).toBe(new HistoryView(long).at(-1));
  });

  test('is an error where nothing helps', () => {
    const budget = { soft: 100, hard: 100, reserve: 0 };
    expect(() => project(long, [budgetLadder()], { budget })).toThrow(
      expect.objectContaining({ code: 'model.context-overflow' }),
    );
  });
});

test('[DODO-48] three presets give three sizes of one history', () => {
  const shape = Array.from({ length: 300 }, (_, at) => ['u', 2, 'a'][at % 3] ?? 'a');
  const history = historyOf(conversationOf(shape, 3_000));
  const size = (preset: 'conservative' | 'balanced' | 'aggressive') =>
    project(history, presetProcessors(preset)).tokens;
  expect(size('conservative')).toBeGreaterThan(size('balanced'));
  expect(size('balanced')).toBeGreaterThan(size('aggressive'));
});

test('[QITOS-98] what was too much for the model is halved, whatever the table says', () => {
  const budget = budgetFor('claude');
  const after = budgetAfterOverflow(budget, 40_000);
  expect(after.hard).toBe(20_000);
  const history = historyOf(
    conversationOf(
      Array.from({ length: 200 }, (_, at) => (at % 2 ? 'a' : 'u')),
      800,
    ),
  );
  expect(project(history, [budgetLadder()], { budget: after }).tokens).toBeLessThanOrEqual(20_000);
});

describe('[P10] [M44] a conversation of 500 turns', () => {
  const grow = (processors: readonly Processor[], turns: number) => {
    const counter = new TurnCounter();
    const budget = { soft: 6_000, hard: 8_000, reserve: 1_000 };
    let history: History<Turn> = emptyHistory();
    const work: { touched: number; counted: number; tokens: number; length: number }[] = [];
    for (let at = 0; at < turns; at += 1) {
      const kind = ['u', 2, 'a', 1][at % 4] ?? 'a';
      const renamed = conversationOf([kind], 600).map((turn): Turn => {
        if (turn.role === 'tool') return { ...turn, callId: `${turn.callId}-${at}` };
        if (turn.role === 'user' || turn.calls === undefined) return turn;
        return { ...turn, calls: turn.calls.map((call) => ({ ...call, id: `${call.id}-${at}` })) };
      });
      history = append(history, ...renamed);
      const countedBefore = counter.counted;
      const projection = project(history, processors, { counter, budget });
      counter.history(history);
      work.push({
        touched: projection.touched,
        counted: counter.counted - countedBefore,
        tokens: projection.tokens,
        length: projection.history.length,
      });
    }
    return work;
  };

  test.each([
    ['a ladder', () => [budgetLadder()]],
    ['keepLast', () => [keepLast(30), budgetLadder()]],
    ['the balanced preset', () => presetProcessors('balanced')],
  ])('with %s stays within its budget at each turn, and each turn costs the same', (_, make) => {
    const work = grow(make(), 500);
    for (const { tokens } of work) expect(tokens).toBeLessThanOrEqual(7_000);
    const most = (from: number, to: number, of: 'touched' | 'counted') =>
      Math.max(...work.slice(from, to).map((each) => each[of]));
    expect(most(400, 500, 'touched')).toBeLessThanOrEqual(most(100, 200, 'touched'));
    expect(most(400, 500, 'counted')).toBeLessThanOrEqual(most(100, 200, 'counted'));
    expect(most(400, 500, 'touched')).toBeLessThan(250);
  });
});

test('[M43] the pieces of a projected history are read like any other', () => {
  const history = historyOf(conversationOf(Array.from({ length: 300 }, (_, at) => (at % 2 ? 'a' : 'u'))));
  const left = new HistoryView(project(history, [keepLast(100)]).history);
  expect(left.length).toBe(101);
  expect(left.at(-1)).toBe(new HistoryView(history).at(-1));
});
