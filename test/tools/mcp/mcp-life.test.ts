import { expect, test } from 'vitest';
import { agent } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { greeting, handWritten } from './servers.ts';

test('a connection that fails in passing backs off, is ready, is lost within a call, and is made again by the next', async () => {
  let greeted = 0;
  let called = 0;
  const seen: string[] = [];
  const server = handWritten(
    {
      ...greeting,
      initialize: () => {
        greeted += 1;
        return greeted === 1 ? new Response('later', { status: 503 }) : greeting.initialize;
      },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      'tools/call': () => {
        called += 1;
        return called === 1
          ? new Response('who are you?', { status: 404 })
          : { content: [{ type: 'text', text: 'heard' }] };
      },
    },
    { attempts: 2, onStatus: (status, name) => seen.push(`${name} ${status}`) },
  );
  const call = calls({ name: 'srv.echo', input: {} });
  const host = agent({
    name: 'host',
    tools: [mcpServer(server)],
    model: scriptedModel([call, call, 'Done.']),
  });
  const { records } = await host.run('go');
  const results = records.flatMap((record) => record.results);
  expect(results).toMatchObject([
    { ok: false, error: { code: 'mcp.lost' } },
    { ok: true, text: 'heard' },
  ]);
  expect(seen.map((each) => each.replace('srv ', ''))).toEqual([
    'connecting',
    'lost',
    'backing-off',
    'connecting',
    'ready',
    'lost',
    'connecting',
    'ready',
    'closed',
  ]);
});
