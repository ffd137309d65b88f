import { describe, expect, test } from 'vitest';
import { progressTable } from '../../src/cli/progress/progress-table.ts';
import { soFar } from '../../src/cli/desk/so-far.ts';
import { foldRows, noRows, type Rows } from '../../src/cli/progress/run-rows.ts';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import { accept, found, LEAVE, plan, revise, scriptedDesk, search } from './desk-scripts.ts';
import { plainText as paint } from '../../src/cli/terminal/paint.ts';

const DAYS = 'Everybody has 30 days of leave a year.';
const answer = `There are 30 days of leave a year. [${LEAVE}]`;
const asked = {
  supervisor: [plan('How many days of leave are there?')],
  researcher: [search('days of leave'), found([DAYS, LEAVE])],
};
const linesOf = (rows: Rows, room = 30, isOver = false): readonly string[] =>
  progressTable(rows, { paint, passed: 0, room, isOver });

const eventsOfRun = async (): Promise<readonly RuntimeEvent[]> => {
  const { desk } = scriptedDesk({
    ...asked,
    writer: [answer, answer],
    critic: [revise('Say it again.'), accept],
  });
  return (await desk.run('How much leave do I have?')).events;
};

describe('the block of lines', () => {
  test('shows at every moment who works, in which phase, with which tool, and the tokens so far', async () => {
    const frames: (readonly string[])[] = [];
    let rows = noRows;
    for (const event of await eventsOfRun()) {
      rows = foldRows(rows, event);
      frames.push(linesOf(rows));
    }
    const text = frames.map((lines) => lines.join('\n'));
    expect(text).toContainEqual(expect.stringMatching(/⠋ supervisor-1 {2}DECIDE .*Thinking/));
    expect(text).toContainEqual(
      expect.stringMatching(/⠋ researcher-1 {2}ACT .*Searching the documents for “days of leave”/),
    );
    expect(text).toContainEqual(
      expect.stringMatching(/⠋ grounding-critic-0 {2}DECIDE .*Thinking[\s\S]*\d steps · [\d,]+ tokens/),
    );
    expect(linesOf(rows, 30, true).map((line) => line.replace(/ +/g, ' '))).toEqual([
      expect.stringMatching(/^ ✓ supervisor-1 done [\d,]+ tokens 1 task$/),
      expect.stringMatching(/^ ✓ researcher-1 done [\d,]+ tokens How many days of leave are there\?$/),
      '  └ Searching the documents for “days of leave”'.replace(/ +/g, ' '),
      expect.stringMatching(/^ ✓ writer-2 done [\d,]+ tokens sent back once$/),
      expect.stringMatching(/^ ✓ grounding-critic-0 done [\d,]+ tokens to be revised: Say it again\.$/),
      expect.stringMatching(/^ ✓ grounding-critic-\d done [\d,]+ tokens accepted$/),
    ]);
  });

  test('never has more lines than there is room for, and keeps those at work', async () => {
    const [started] = await eventsOfRun();
    if (started === undefined) throw new Error('no event');
    let rows = noRows;
    for (let index = 0; index < 50; index += 1) {
      const base = { ...started, path: `team/a-${index}`, agent: 'a', step: 0 };
      rows = foldRows(rows, { ...base, type: 'phase.entered', phase: 'DECIDE' });
      if (index > 1) rows = foldRows(rows, { ...base, type: 'phase.entered', phase: 'completed' });
    }
    const lines = linesOf(rows, 12);
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(lines[0]).toContain('a-0');
    expect(lines[1]).toContain('a-1');
    expect(lines.join('\n')).toContain('… and 41 more');
  });
});

describe('what there is of a desk that was called off', () => {
  test('is what researchers had found, then what the writer had written', async () => {
    const events = await eventsOfRun();
    const writing = events.findIndex(({ agent }) => agent === 'writer');
    expect(soFar(events.slice(0, writing))).toBe(`${DAYS} [${LEAVE}]`);
    expect(soFar(events)).toBe(answer);
    expect(soFar([])).toBeUndefined();
  });
});
