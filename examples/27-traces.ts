// A run as a readable file: while it runs, after a crash, and as a page for a browser.
//
//   npx tsx examples/27-traces.ts
//
// When not to use it: to resume a run. That needs its journal (examples/11-crash-and-resume.ts): a trace is read-only.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, tool } from 'troupe';
import { checkTrace, formatTrace, listTraces, readTrace, traceCursor, traceFiles } from 'troupe/inspect';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const folder = mkdtempSync(join(tmpdir(), 'troupe-traces-'));
const traces = traceFiles({
  folder,
  secrets: { API_KEY: 'sk-1234567890' }, // by default, what the environment calls a key, a token, a secret or a password
  facts: { commit: 'abc123', seed: 7 },
});

const weather = tool({
  name: 'weather',
  description: 'Says how the weather is.',
  input: z.object({ city: z.string() }),
  describe: ({ city }) => `Looking out of a window in ${city}`,
  execute: ({ city }) => `It rains in ${city} (asked with sk-1234567890).`,
});
const clerk = agent({ name: 'clerk', tools: [weather] });
const model = scriptedModel([calls({ name: 'weather', input: { city: 'Oslo' } }), 'Take an umbrella.']);

// 1. A hook like any other: of a run, or of an engine. It cannot harm the run, even if the disk fails.
const { runId } = await clerk.run('How is the weather in Oslo?', { model, hooks: [traces] });
assert.deepEqual(await traces.written(), []); // nothing went wrong

// 2. One file of lines, with secrets redacted.
const trace = await readTrace(join(folder, `${runId}.jsonl`));
console.log('1.', trace.account.status, '·', trace.events.length, 'events ·', trace.steps.length, 'steps');
assert.equal(trace.account.status, 'completed');
assert.ok(JSON.stringify(trace).includes('[redacted API_KEY]'));
assert.ok(!JSON.stringify(trace).includes('sk-1234567890'));
assert.deepEqual(await checkTrace(trace), []);
assert.equal((await listTraces(folder, { status: ['completed'] })).length, 1);

// 3. As a self-contained page, and as a sequence diagram.
writeFileSync(join(folder, 'run.html'), await formatTrace(trace, { as: 'html' }));
const diagram = await formatTrace(trace, { as: 'mermaid' });
console.log(diagram);
assert.match(diagram, /participant p\d as weather/);

// 4. Step by step, to a breakpoint and back.
const cursor = traceCursor(trace);
assert.ok(cursor.runTo(({ type }) => type === 'tool.finished'));
console.log('2.', cursor.event?.path, 'at event', cursor.event?.seq, 'of', trace.events.length);

rmSync(folder, { recursive: true });
