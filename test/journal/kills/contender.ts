/** One of several processes that want the same run: it begins it, or goes on with it as soon as nobody else has it. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { isTroupeError } from '../../../src/contracts/errors/error.ts';
import { toJson } from '../../../src/base/json/json.ts';
import { postgresStore } from '../../../src/persistence/postgres/postgres-store.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

/** What a contender is told. */
export interface ContenderOrder {
  readonly file?: string;
  readonly connectionString?: string;
  readonly port: number;
  readonly steps: number;
}

// Only its parent gives it orders.
const { file = '', connectionString, port, steps } = JSON.parse(process.argv[2] ?? '') as ContenderOrder;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const outside = async (wish: string, key: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    body: JSON.stringify({ wish, key, name: 'mark', input: null }),
  });
  return toJson(await answer.json());
};

const mark = tool({
  name: 'mark',
  description: 'Marks.',
  safety: 'write',
  input: z.object({}),
  execute: async (_, { key }) => {
    await outside('call', key);
    say('works');
    await wait(30);
    return 'marked';
  },
  whatBecame: async (key) => ((await outside('became', key)) === null ? undefined : { value: 'marked' }),
});

const marker = agent({
  name: 'marker',
  tools: [mark],
  decide: ({ step }) =>
    step < steps
      ? { kind: 'act', calls: [{ name: 'mark', input: {} }] }
      : { kind: 'answer', answer: 'all marked' },
});

const store = connectionString === undefined ? sqliteStore(file) : postgresStore({ connectionString });
const attempt = async () =>
  (await store.entry('r')) === undefined
    ? marker.run('go', { store, runId: 'r' })
    : (await resume(marker, 'r', { store })).result;

for (;;) {
  try {
    const { output } = await attempt();
    say(`ended: ${output}`);
    break;
  } catch (error) {
    if (!isTroupeError(error) || !['journal.held', 'journal.exists', 'journal.unknown'].includes(error.code))
      throw error;
    say(error.code);
    await wait(20);
  }
}
await store.close();
