import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agent, createGlobalEngine } from 'troupe';
import { serve } from 'troupe/server';
import { sqliteStore } from 'troupe/stores';
import { calls, scriptedModel } from 'troupe/testing';

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
