import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agent, createGlobalEngine } from '../../../src/index.ts';
import { serve } from '../../../src/runtime/serve/index.ts';
import { sqliteStore } from '../../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';

/** A painter that has its client pick two colours, by what was said so far: any process continues it. */
const painter = agent({
  name: 'painter',
  model: {
    ...scriptedModel([]),
    answer: (request, call) => {
      const picked = request.messages.toArray().filter(({ role }) => role === 'tool');
      const said =
        picked.length < 2
          ? calls({ name: 'pick', input: { of: picked.length === 0 ? 'car' : 'bike' } })
          : `${picked.map(({ text }) => text).join(' and ')} it is.`;
      return scriptedModel([said]).answer(request, call);
    },
  },
});

const service = serve(createGlobalEngine(), {
  agents: { painter },
  openai: true,
  store: sqliteStore(process.argv[2] ?? ''),
});
const server = createServer(service.listener).listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
