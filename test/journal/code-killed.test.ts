import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AnotherProcess } from './kills/another-process.ts';

const program = new AnotherProcess('coder.ts');
const folder = mkdtempSync(join(tmpdir(), 'troupe-coder-'));

beforeAll(() => program.build());
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('a program whose process is killed in the middle of its third call of five goes on, and no call is made twice', async () => {
  const order = { file: join(folder, 'runs.db'), ledger: join(folder, 'ledger') };
  const killed = await program.run({ ...order, diesAt: 3 });
  expect(killed).toMatchObject({ wasKilled: true, failure: expect.not.stringMatching(/Error/) });
  const { lines, failure } = await program.run(order);
  expect(failure).not.toMatch(/Error/);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    status: 'completed',
    last: 'seat 1,seat 2,seat 3,seat 4,seat 5',
    calls: 6,
  });
  const booked = readFileSync(order.ledger, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seat: number; luck: number });
  expect(booked.map(({ seat }) => seat)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(booked.map(({ luck }) => luck)).size).toBe(5);
});
