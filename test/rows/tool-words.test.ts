import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/base/json/json.ts';
import type { Tool, Toolset } from '../../src/contracts/tools/tool.ts';
import type { ToolResult } from '../../src/contracts/tools/tool-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { askPerson } from '../../src/tools/built-in/ask-person.ts';
import { calculator } from '../../src/tools/built-in/calculator.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { endConversation } from '../../src/tools/built-in/ending/end-conversation.ts';
import { handoffTool } from '../../src/tools/built-in/delegation/handoff.ts';
import { respond } from '../../src/tools/built-in/ending/respond.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { fileTools } from '../../src/tools/environments/file-tools.ts';
import { httpTools } from '../../src/tools/environments/http-tools.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { processTools } from '../../src/tools/environments/process-tools.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { PlainStore } from '../support/plain-store.ts';
import { ofType, settled, start } from '../support/runs.ts';

const bob = agent({ name: 'bob', decide: () => ({ kind: 'answer', answer: 'done' }) });
const secret = 'hunter2';
const storing = (name: string) =>
  tool({
    name,
    description: 'Stores.',
    input: z.object({ password: z.string() }),
    execute: () => 'stored',
  });

/** What people are told of a call, by the kind of its tool: the tool, its name in the run, what it is called with, and the words. */
const words: readonly (readonly [string, Tool | Toolset, string, Json, string])[] = [
  ['a file that is read', fileTools(), 'files.read', { path: 'a.md' }, 'Reading a.md'],
  ['a file that is written', fileTools(), 'files.write', { path: 'b.md', text: secret }, 'Writing b.md'],
  ['a folder', fileTools(), 'files.list', { path: 'src' }, 'Looking into src'],
  ['a search', fileTools(), 'files.search', { text: 'TODO', path: 'src' }, 'Searching src for “TODO”'],
  [
    'a command, cut at 50 characters',
    processTools({ approval: false }),
    'processes.run',
    { command: 'list', args: ['x'.repeat(60)], input: secret },
    `Running list ${'x'.repeat(45)}`,
  ],
  [
    'the web, without the query',
    httpTools(),
    'http.request',
    { url: `https://a.test/?key=${secret}` },
    'GET https://a.test/',
  ],
  ['a calculation', calculator, 'calculator', { expression: '1 + 1' }, 'Calculating 1 + 1'],
  ['a delegate', delegate({ to: [bob] }), 'delegate', { to: 'bob', task: 'Mend it' }, 'Asking bob: Mend it'],
  ['a question', askPerson, 'ask_person', { question: 'Why?' }, 'Asking: Why?'],
  ['control flow: an answer', complete, 'complete', { answer: secret }, 'Finishing'],
  ['control flow: a report', respond, 'respond', { summary: secret }, 'Reporting'],
  [
    'control flow: the end',
    endConversation(),
    'end_conversation',
    { response: secret },
    'Ending the conversation',
  ],
  [
    'control flow: a handoff',
    handoffTool({ bob: '' }),
    'handoff',
    { to: 'bob', message: secret },
    'Handing over to bob',
  ],
  [
    'a tool of another server',
    { name: 'mcp__shop', tools: [storing('order')] },
    'mcp__shop.order',
    { password: secret },
    'Using order',
  ],
  ['an unknown tool', storing('store'), 'store', { password: secret }, 'Using store'],
];

test.each(words)(
  '[FIND-35] [TENEX-38] people are told of %s in its own words, and of no secret',
  async (_, given, name, input, line) => {
    const environment = memoryEnvironment({
      files: { 'a.md': 'one', 'src/b.ts': 'x' },
      commands: { list: () => ({ exitCode: 0, stdout: '', stderr: '' }) },
      pages: { 'https://a.test/': 'hello' },
    });
    const model = scriptedModel([calls({ name, input }), 'done']);
    const one = agent({ name: 'a', tools: [given], model, environment });
    const person = { answer: () => 'because' };
    const { events } = await settled(start(one, 'go', { person }));
    const told = ofType(events, 'tool.started').map(({ description }) => description);
    expect(told).toEqual([line]);
    expect(told.join()).not.toContain(secret);
  },
);

test('[FIND-35] [TENEX-44] the next request has the text of a dual result and nothing of its value; the reducer has both', async () => {
  const weather = tool({
    name: 'weather',
    description: 'Weather.',
    input: z.object({}),
    execute: () => dual({ text: 'sunny', value: { celsius: 21 } }),
  });
  const reduced: (readonly ToolResult[])[] = [];
  const model = scriptedModel([calls({ name: 'weather', input: {} }), 'done']);
  const one = agent({
    name: 'a',
    tools: [weather],
    model,
    reduce: ({ state, results }) => {
      reduced.push(results);
      return state;
    },
  });
  await settled(start(one, 'go'));
  expect(model.requests[1]?.messages.at(-1)).toEqual({
    role: 'tool',
    callId: expect.any(String) as string,
    tool: 'weather',
    text: 'sunny',
  });
  expect(JSON.stringify(model.requests)).not.toContain('celsius');
  expect(reduced[0]).toMatchObject([{ ok: true, text: 'sunny', value: { celsius: 21 } }]);
});

test('[FIND-35] [TENEX-41] a result on record that has neither a value nor an error cannot be read back', async () => {
  const store = new PlainStore();
  const one = () =>
    agent({
      name: 'a',
      tools: [storing('store')],
      decide: ({ step }) =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'store', input: { password: 'x' } }] }
          : { kind: 'answer', answer: 'done' },
    });
  const run = await one().run('go', { store, runId: 'r' });
  expect(run.records[0]?.results).toMatchObject([
    { ok: true, value: 'stored', durationMs: expect.any(Number) },
  ]);
  const { records } = await recordsIn(store, 'r');
  const without = (field: 'value' | 'ok' | 'text') =>
    records.map(
      (record) =>
        JSON.parse(JSON.stringify(record), (key, value: unknown) => {
          if (typeof value !== 'object' || value === null || !('callId' in value) || !('durationMs' in value))
            return value;
          const { [field]: _, ...rest } = value as Record<string, unknown>;
          return key === 'result' ? rest : value;
        }) as (typeof records)[number],
    );
  expect((await replay(one(), 'r', { store: PlainStore.with('r', records) })).result?.output).toBe('done');
  for (const field of ['value', 'ok', 'text'] as const)
    await expect(replay(one(), 'r', { store: PlainStore.with('r', without(field)) })).rejects.toMatchObject({
      code: 'journal.diverged',
    });
});
