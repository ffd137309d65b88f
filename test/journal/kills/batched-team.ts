/** A process with a team whose members are asked by one batch: begins its run, or resumes it, and says what it came to. */
import { anthropic } from '../../../src/models/anthropic/anthropic.ts';
import { openai } from '../../../src/models/openai/openai.ts';
import { openaiChat } from '../../../src/models/openai/openai-chat.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { settled } from '../../support/runs.ts';

/** What such a process is to do. */
export interface BatchedOrder {
  readonly file: string;
  readonly url: string;
  readonly vendor: 'openai' | 'anthropic' | 'mistral' | 'together';
  readonly members: number;
}

// Only its parent gives it orders.
const { file, url, vendor, members } = JSON.parse(process.argv[2] ?? '') as BatchedOrder;
const batch = { windowMs: 100, pollMs: 30 };
const apiKey = 'sk-test';
const modelOf = () => {
  if (vendor === 'openai') return openai('gpt-4o', { apiKey, baseURL: `${url}/v1`, batch });
  if (vendor === 'anthropic') return anthropic('claude-sonnet-4-5', { apiKey, baseURL: url, batch });
  return openaiChat('m', { apiKey, baseURL: `${url}/${vendor}/v1`, profile: vendor, batch });
};
const model = modelOf();
const names = Array.from({ length: members }, (_, index) => `clerk-${index}`);
const team = parallel({
  name: 'team',
  concurrency: members,
  members: Object.fromEntries(names.map((name) => [name, agent({ name, model })])),
});
const store = sqliteStore(file);
const isNew = (await store.entry('r')) === undefined || (await store.read('r', 0, 1)).length === 0;
const handle = isNew ? team.stream('Hello?', { store, runId: 'r' }) : await resume(team, 'r', { store });
const { status, totals } = await settled(handle);
process.stdout.write(`${JSON.stringify([status, totals.outputTokens])}\n`);
await store.close();
