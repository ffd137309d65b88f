import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { researchDesk } from '../../src/cli/desk/research-desk.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { documents } from '../../src/tools/built-in/documents/documents.ts';
import { ofType } from '../support/runs.ts';
import { play } from './fake-terminal.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-desk-'));
  writeFileSync(join(folder, 'leave.md'), '# Leave\n\nEverybody has 30 days of leave a year.\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** How many records were recalled, each time. */
const recalled = (lines: string): readonly number[] =>
  [...lines.matchAll(/"type":"memory\.recalled".*?"records":(\d+)/g)].map(([, records]) => Number(records));

const question = 'How many days of leave does everybody have?';

test('the desk remembers its answers where it is told to, and recalls them for the next question', async () => {
  const notes = join(folder, '.notes');
  const args = ['ask', question, folder, '--json', '--memory', notes];
  const first = await play(args);
  const second = await play(args);
  expect(recalled(first.stdout)).toEqual([0]);
  expect(recalled(second.stdout)).toEqual([1]);
  const [file = ''] = readdirSync(notes);
  expect(readFileSync(join(notes, file), 'utf8')).toContain('30 days of leave a year');
});

test('an answer that is remembered is no finding: the same question has the same answer, with its citation', async () => {
  const args = ['ask', question, folder, '--quiet', '--memory', join(folder, '.notes')];
  const first = await play(args);
  expect(first.stdout).toMatch(/30 days of leave a year\.? \[.*leave\.md:\d/);
  expect((await play(args)).stdout).toBe(first.stdout);
});

test('without a place for it, a desk remembers as long as it lives', async () => {
  const desk = researchDesk({ documents: documents(folder), memory: windowMemory() });
  await desk.run(question, { model: 'offline' });
  const again = await desk.run(question, { model: 'offline' });
  expect(ofType(again.events, 'memory.recalled')).toMatchObject([{ records: 1 }]);
});

test.each([1, 2, 3])(
  'a desk whose budget is spent stops, whoever is at work, and says which budget it was: %i steps',
  async (steps) => {
    const desk = researchDesk({ documents: documents(folder), budget: { steps } });
    const { status, stopReason } = await desk.run(question, { model: 'offline' });
    expect(status).toBe('stopped');
    expect(stopReason).toEqual({ kind: 'budget', budget: 'steps', limit: steps, used: steps, path: 'desk' });
  },
);

test('a model whose price nobody knows is refused where dollars are counted, unless it costs nothing', async () => {
  const unknown = { ...scriptedModel([]), provider: 'nobody', id: 'knows', isLanguageModel: true };
  const desk = researchDesk({ documents: documents(folder), budget: { usd: 0.5 } });
  const failed: unknown = await desk.run(question, { model: unknown }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'budget.unpriced' });
  expect((await play(['ask', question, folder, '--quiet', '--budget', '0.5'])).code).toBe(0);
});

test.each(['abc', '-1', '1e3', ''])('--budget %j is no number of dollars', async (given) => {
  const { code, stderr } = await play(['ask', question, folder, `--budget=${given}`]);
  expect(code).toBe(2);
  expect(stderr).toContain('US dollars');
});
