import { expect, test } from 'vitest';
import { agent } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { greeting, handWritten } from './servers.ts';

const plain = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** What a run has of a server that lists its tools so: the number that its model is sent, and those that are left out. */
const listedBy = async (list: unknown) => {
  const model = scriptedModel(['Done.']);
  const server = mcpServer(handWritten({ ...greeting, 'tools/list': list }));
  const { events } = await agent({ name: 'host', tools: [server], model }).run('go');
  const opened = events.find((event) => event.type === 'toolset.opened');
  return { sent: model.requests[0]?.tools.length, refused: opened?.refused };
};

test('a server that floods with tools, or with a schema, has the run begin with 500 others', async () => {
  const large = { ...plain('large'), inputSchema: { type: 'object', title: 'x'.repeat(100_001) } };
  const tools = [large, ...Array.from({ length: 501 }, (_, at) => plain(`tool_${at}`))];
  expect(await listedBy({ tools })).toEqual({
    sent: 499,
    refused: {
      large: expect.stringContaining('more than 100000 characters'),
      tool_499: 'the server has more than 500 tools',
      tool_500: 'the server has more than 500 tools',
    },
  });
});

test('a server whose list of tools has no end is asked for 64 pages, and the run says so', async () => {
  let pages = 0;
  const endless = () => {
    pages += 1;
    return { tools: [plain(`tool_${pages}`)], nextCursor: `page ${pages}` };
  };
  await expect(listedBy(endless)).rejects.toMatchObject({ code: 'tool.setup' });
  expect(pages).toBe(64);
});
