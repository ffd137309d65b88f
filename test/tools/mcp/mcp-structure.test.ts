import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { RunResult } from '../../../src/contracts/runs/run-result.ts';
import { agent } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { mcpTools } from '../../../src/tools/mcp/mcp-tools.ts';
import { base64, png } from '../../content/pictures.ts';
import { greeting, handWritten } from './servers.ts';

const outputSchema = {
  type: 'object',
  properties: { celsius: { type: 'number' } },
  required: ['celsius'],
} as const;

/** The result of a call of a tool with that schema, which answers so. */
const answered = async (answer: object, schema: object | undefined = outputSchema) => {
  const tools = [{ name: 'measure', inputSchema: { type: 'object' }, outputSchema: schema }];
  const server = handWritten({ ...greeting, 'tools/list': { tools }, 'tools/call': answer });
  const host = agent({
    name: 'host',
    tools: [mcpServer(server)],
    model: scriptedModel([calls({ name: 'srv.measure', input: {} }), 'Done.']),
  });
  const { records }: RunResult<unknown> = await host.run('go');
  return records[0]?.results[0];
};

const text = (said: string) => [{ type: 'text', text: said }];
const structuredContent = { celsius: 21 };

test.each([
  { what: 'no text, as JSON', content: [], shown: '{"celsius":21}' },
  { what: 'a text', content: text('It is mild.'), shown: 'It is mild.' },
])('a structured result is data for the program, and what the model reads is, of $what', async (given) => {
  const { content, shown } = given;
  const result = await answered({ content, structuredContent });
  expect(result).toMatchObject({ ok: true, value: structuredContent, text: shown });
  expect(await answered({ content, structuredContent }, undefined)).toMatchObject({
    value: structuredContent,
  });
});

test.each([
  {
    what: 'a field of another type',
    answer: { content: [], structuredContent: { celsius: 'mild' } },
    says: /celsius: /,
  },
  { what: 'a missing field', answer: { content: [], structuredContent: {} }, says: /celsius/ },
  { what: 'a text alone', answer: { content: text('21') }, says: /it has no structured content/ },
])(
  'a result with $what is not what the server declared: its call fails by mcp.protocol',
  async ({ answer, says }) => {
    expect(await answered(answer)).toMatchObject({
      ok: false,
      error: { code: 'mcp.protocol', message: expect.stringMatching(says), retryable: 'no' },
    });
  },
);

test('a result that says that the call failed is quoted, and not held against the schema', async () => {
  const failed = { content: text('The probe is broken.'), structuredContent: { code: 7 }, isError: true };
  const error = { code: 'tool.failed', retryable: 'no' };
  expect(await answered(failed)).toMatchObject({ ok: false, text: 'The probe is broken.', error });
  const pictured = [...failed.content, { type: 'image', data: base64(png()), mimeType: 'image/png' }];
  expect(await answered({ ...failed, content: pictured })).toMatchObject({
    ok: false,
    text: 'The probe is broken.\n\n[image image/png]',
  });
  expect(await answered({ content: [], isError: true })).toMatchObject({
    text: expect.stringMatching(/measure failed/),
  });
});

const caller = {
  heldFor: () => undefined,
  asksAbout: () => false,
  call: () => Promise.resolve(undefined),
};

test('a program knows the schema of a structured result; of a tool that is held, and of a broken schema, it knows none', () => {
  const shown = (schema: McpTool['outputSchema'], held?: string) => {
    const definition: McpTool = {
      name: 'measure',
      inputSchema: { type: 'object' },
      ...(schema === undefined ? {} : { outputSchema: schema }),
    };
    const options = { name: 'srv', command: 'x' };
    return mcpTools([definition], options, { ...caller, heldFor: () => held }).tools[0]?.outputSchema;
  };
  const schema: McpTool['outputSchema'] = { type: 'object', properties: { celsius: { type: 'number' } } };
  expect(shown(schema)).toEqual(schema);
  expect(shown(undefined)).toBeUndefined();
  expect(shown(schema, 'its definition changed')).toBeUndefined();
  const broken: McpTool['outputSchema'] = { type: 'object', properties: { celsius: { $ref: '#/nowhere' } } };
  expect(shown(broken)).toBeUndefined();
});

test.each<{
  readonly hints: McpTool['annotations'];
  readonly is: {
    readonly safety: string;
    readonly idempotent: boolean;
    readonly asks: boolean;
    readonly attempts: number;
  };
}>([
  { hints: undefined, is: { safety: 'write', idempotent: false, asks: false, attempts: 1 } },
  {
    hints: { title: 'Put', openWorldHint: false },
    is: { safety: 'write', idempotent: false, asks: false, attempts: 1 },
  },
  { hints: { readOnlyHint: true }, is: { safety: 'read', idempotent: true, asks: false, attempts: 3 } },
  {
    hints: { readOnlyHint: false, destructiveHint: false },
    is: { safety: 'write', idempotent: false, asks: false, attempts: 1 },
  },
  { hints: { idempotentHint: true }, is: { safety: 'write', idempotent: true, asks: false, attempts: 3 } },
  { hints: { destructiveHint: true }, is: { safety: 'danger', idempotent: false, asks: true, attempts: 1 } },
  // Of two hints that contradict each other, the one that is more careful counts.
  {
    hints: { readOnlyHint: true, destructiveHint: true },
    is: { safety: 'danger', idempotent: false, asks: true, attempts: 1 },
  },
])('a tool with the hints $hints is $is', ({ hints, is }) => {
  const definition: McpTool = {
    name: 'put',
    inputSchema: { type: 'object' },
    ...(hints === undefined ? {} : { annotations: hints }),
  };
  const [made] = mcpTools([definition], { name: 'srv', command: 'x' }, caller).tools;
  expect({
    safety: made?.safety,
    idempotent: made?.idempotent,
    asks: made?.needsApproval({}),
    attempts: made?.retry.attempts,
  }).toEqual(is);
});
