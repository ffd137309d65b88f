import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { HistoryView } from '../../src/base/collections/history.ts';
import type { Processor, TokenBudget } from '../../src/contracts/conversations/processor.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { budgetLadder } from '../../src/memory/processors/budget-ladder.ts';
import { TurnCounter } from '../../src/memory/tokens/count-tokens.ts';
import { dropOldToolCycles } from '../../src/memory/processors/drop-old-tool-cycles.ts';
import { filterTurns } from '../../src/memory/processors/filter-turns.ts';
import { keepLast } from '../../src/memory/processors/keep-last.ts';
import { keepSteps } from '../../src/memory/processors/keep-steps.ts';
import { project, type Projection, type ProjectOptions } from '../../src/memory/processors/project.ts';
import { summariseOlder } from '../../src/memory/processors/summarise-older.ts';
import { truncateText } from '../../src/memory/processors/truncate-text.ts';
import { truncateTools } from '../../src/memory/processors/truncate-tools.ts';
import { transcriptProblems } from '../support/transcripts.ts';
import { conversationOf, historyOf, legalTurns } from './histories.ts';
import { anyCharacter } from '../support/any-character.ts';

const shown = (turns: readonly Turn[], processors: readonly Processor[], options?: ProjectOptions) =>
  new HistoryView(project(historyOf(turns), processors, options).history).toArray();

const textsOf = (turns: readonly Turn[]) => turns.map(({ text }) => text);

const marking = (mark: string): Processor => ({
  name: mark,
  *project(blocks) {
    for (const block of blocks)
      yield { ...block, turns: block.turns.map((turn) => ({ ...turn, text: turn.text + mark })) };
  },
});

describe('[DODO-42] processors', () => {
  test('work from left to right', () => {
    const turns = conversationOf(['u', 'a'], 0);
    expect(textsOf(shown(turns, [marking('1'), marking('2')])).at(-1)).toMatch(/12$/);
  });

  test('that throw stop the projection, and are named', () => {
    const broken: Processor = {
      name: 'broken',
      project: () => {
        throw new Error('no');
      },
    };
    expect(() => shown(conversationOf(['u']), [broken, marking('1')])).toThrow(/'broken' threw: no/);
  });

  test('of which there are none leave the very same history', () => {
    const history = historyOf(conversationOf(['u', 'a', 2, 'u']));
    expect(project(history, []).history).toBe(history);
    expect(project(history, [keepLast(10)]).history).toBe(history);
  });
});

describe('[DODO-43] [D24] keepLast', () => {
  test('keeps the first user message and the last turns', () => {
    const turns = conversationOf(['u', 'a', 'u', 'a', 'u', 'a']);
    expect(shown(turns, [keepLast(2)])).toEqual([turns[0], turns[4], turns[5]]);
  });

  test('never shows a result without its call', () => {
    const turns = conversationOf(['u', 3, 'a']);
    // Two of the three results would fit.
    expect(shown(turns, [keepLast(3)])).toEqual([turns[0], turns.at(-1)]);
    expect(shown(turns, [keepLast(5)])).toEqual(turns);
  });

  test('shows the newest cycle even where it alone is longer', () => {
    const turns = conversationOf(['u', 'a', 3]);
    expect(shown(turns, [keepLast(2)])).toEqual([turns[0], ...turns.slice(2)]);
  });

  test('keeps what the caller pins', () => {
    const turns = conversationOf(['u', 'a', 'u', 'a', 'a', 'a']);
    expect(shown(turns, [keepLast(1)], { pins: [2] })).toEqual([turns[0], turns[2], turns[5]]);
  });
});

describe('[DODO-45] truncateTools', () => {
  test('keeps head and tail of a long result, and says how much is gone', () => {
    const text = `head ${'x'.repeat(5_000)} tail`;
    const turns: Turn[] = [
      { role: 'user', text },
      { role: 'assistant', text: '', calls: [{ id: '1', name: 'look', input: {} }] },
      { role: 'tool', callId: '1', tool: 'look', text },
    ];
    const [user, , result] = shown(turns, [truncateTools(200)]);
    expect(user?.text).toBe(text);
    expect(result?.text).toMatch(/^head x+\n… \[\d+ characters left out\] …\nx+ tail$/);
    expect(Array.from(result?.text ?? '').length).toBeLessThanOrEqual(200);
  });

  test('cuts no character in two', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 400 }),
        fc.integer({ min: 1, max: 300 }),
        (text, most) => {
          const left = truncateText(text, most);
          expect(Array.from(left).length).toBeLessThanOrEqual(Math.max(most, 1));
          // Throws for half a character.
          expect(decodeURIComponent(encodeURIComponent(left))).toBe(left);
        },
      ),
    );
  });

  test('gives the same turn each time, so that it is counted once', () => {
    const turns = conversationOf(['u', 1], 1_000);
    const processors = [truncateTools(100)];
    expect(shown(turns, processors)[2]).toBe(shown(turns, processors)[2]);
  });
});

describe('[DODO-46] dropOldToolCycles', () => {
  test('makes one line of each old cycle and keeps every user message', () => {
    const turns = conversationOf(['u', 1, 'u', 2, 'u', 1, 'a'], 200);
    const left = shown(turns, [dropOldToolCycles(1)]);
    const notes = left.filter((turn) => turn.role === 'user' && turn.from === 'runtime');
    expect(notes).toHaveLength(2);
    for (const { text } of notes) expect(text).toMatch(/^Earlier: look\([^\n]+ gave: result [^\n]+$/);
    const said = (turn: Turn) => turn.role === 'user' && turn.from === undefined;
    expect(left.filter(said)).toEqual(turns.filter(said));
    expect(left.slice(-3)).toEqual(turns.slice(-3));
  });
});

describe('[DODO-47] filterTurns', () => {
  test('takes the call away with its result, and the results with their call', () => {
    const turns = conversationOf(['u', 2, 'a']);
    const withoutFirst = shown(turns, [filterTurns((turn) => turn !== turns[2])]);
    expect(withoutFirst).toEqual([
      turns[0],
      { role: 'assistant', text: '', calls: [{ id: 'call_1_1', name: 'look', input: { at: 1 } }] },
      turns[3],
      turns[4],
    ]);
    expect(shown(turns, [filterTurns((turn) => turn.role !== 'tool')])).toEqual([turns[0], turns[4]]);
    expect(shown(turns, [filterTurns((turn) => turn !== turns[1])])).toEqual([turns[0], turns[4]]);
  });

  test('[QITOS-50] by role and number gives the exact slice', () => {
    const turns = conversationOf(
      Array.from({ length: 60 }, (_, at) => (at % 3 === 0 ? 'u' : at % 3 === 1 ? 1 : 'a')),
    );
    const talk = turns.filter(({ role, text }) => role !== 'tool' && text !== '');
    const left = shown(turns, [filterTurns((turn) => turn.role !== 'tool'), keepLast(24)]);
    expect(left).toEqual([turns[0], ...talk.slice(-24)]);
  });

  test.each([
    [1, 8],
    [2, 6],
    [3, 3],
    [4, 0],
    [9, 0],
  ])('[QITOS-50] by steps gives the exact slice: %i', (count, from) => {
    const turns = conversationOf(['u', 1, 'u', 1, 'u', 'a', 'u', 2, 'u']);
    expect(turns).toHaveLength(13);
    const first = turns.slice(0, from === 0 ? 0 : 1);
    expect(shown(turns, [keepSteps(count)])).toEqual([...first, ...turns.slice(from)]);
  });

  test('[QITOS-50] by steps and by number, the narrower one counts', () => {
    const turns = conversationOf(['u', 1, 1, 1, 3]);
    expect(shown(turns, [keepSteps(2), keepLast(24)])).toEqual([turns[0], ...turns.slice(-6)]);
    expect(shown(turns, [keepSteps(3), keepLast(4)])).toEqual([turns[0], ...turns.slice(-4)]);
  });
});

const processors: fc.Arbitrary<Processor> = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map((count) => keepLast(count)),
  fc.integer({ min: 0, max: 20 }).map((count) => keepSteps(count)),
  fc.integer({ min: 1, max: 3_000 }).map((most) => truncateTools(most)),
  fc.integer({ min: 0, max: 6 }).map((keep) => dropOldToolCycles(keep)),
  fc.integer({ min: 1, max: 30 }).map((keep) => summariseOlder(keep)),
  fc.constantFrom('user', 'assistant', 'tool').map((role) => filterTurns((turn) => turn.role !== role)),
  fc.func(fc.boolean()).map((isWanted) => filterTurns((turn) => isWanted(turn.text))),
);

const isEmpty = (turn: Turn): boolean =>
  turn.text === '' && (turn.role !== 'assistant' || (turn.calls ?? []).length === 0);

test('[D24] [P10] whatever is composed: pairs stay, the first user message stays, roles are legal, nothing is empty, nothing grows', () => {
  fc.assert(
    fc.property(legalTurns, fc.array(processors, { maxLength: 5 }), (turns, composed) => {
      const counter = new TurnCounter();
      const before = structuredClone(turns);
      const { history, tokens } = project(historyOf(turns), composed, { counter });
      const left = new HistoryView(history).toArray();
      expect(transcriptProblems(left)).toEqual([]);
      expect(left.find(({ role }) => role === 'user')).toBe(turns[0]);
      expect(left.filter(isEmpty)).toEqual([]);
      expect(tokens).toBeLessThanOrEqual(counter.history(historyOf(turns)));
      expect(turns).toEqual(before);
    }),
    { numRuns: process.env['TROUPE_FULL'] === '1' ? 10_000 : 1_000, seed: 43 },
  );
});

/** What the ladder makes of it; nothing where it says that it cannot. */
const fitted = (turns: readonly Turn[], budget: TokenBudget): Projection | undefined => {
  try {
    return project(historyOf(turns), [budgetLadder()], { budget });
  } catch (thrown) {
    if (isTroupeError(thrown, 'model.context-overflow')) return undefined;
    throw thrown;
  }
};

test('[DODO-50] [D24] a ladder gives a legal conversation within the budget, or none at all', () => {
  let refused = 0;
  fc.assert(
    fc.property(legalTurns, fc.integer({ min: 10, max: 4_000 }), (turns, hard) => {
      const budget = { soft: hard, hard, reserve: 0 };
      const projection = fitted(turns, budget);
      if (projection === undefined) refused += 1;
      const left = new HistoryView(projection?.history ?? historyOf(turns.slice(0, 1))).toArray();
      expect(projection?.tokens ?? 0).toBeLessThanOrEqual(hard);
      expect(transcriptProblems(left)).toEqual([]);
      expect(left[0]).toBe(turns[0]);
    }),
    { numRuns: 500, seed: 50 },
  );
  expect(refused).toBeGreaterThan(0);
});
