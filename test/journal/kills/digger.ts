/** A process whose agent waits for a task of an MCP server, and is killed meanwhile: begins a run, or resumes it. */
import { existsSync } from 'node:fs';
import { mcpServer } from '../../../src/mcp/mcp-server.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';

/** What a digger is told. */
export interface DiggerOrder {
  readonly file: string;
  readonly url: string;
  /** The poll of its task at which it dies; none: it lives. */
  readonly diesAt?: number | undefined;
}

// Only its parent gives it orders.
const { file, url, diesAt } = JSON.parse(process.argv[2] ?? '') as DiggerOrder;

let polls = 0;
const fetch: typeof globalThis.fetch = (input, init) => {
  if (typeof init?.body === 'string' && init.body.includes('"tasks/get"')) {
    polls += 1;
    if (polls === diesAt) process.kill(process.pid, 'SIGKILL');
  }
  return globalThis.fetch(input, init);
};

const isBegun = existsSync(file);
const store = sqliteStore(file);
const digger = agent({
  name: 'digger',
  tools: [mcpServer({ name: 'mine', url, fetch })],
  model: scriptedModel([...(isBegun ? [] : [calls({ name: 'mine.dig', input: {} })]), 'Done.']),
});
const handle = isBegun
  ? await resume(digger, 'run-1', { store })
  : digger.stream('go', { store, runId: 'run-1' });
const { output, records } = await handle.result;
process.stdout.write(`${JSON.stringify([output, records[0]?.results[0]?.text])}\n`);
await store.close();
