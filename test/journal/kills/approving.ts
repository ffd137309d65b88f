/** A process whose provider asks for the approval of a call: it waits for a person until it is killed, or is resumed with the answer. */
import { setTimeout as wait } from 'node:timers/promises';
import { agent, answerRequest, openRequests, resume } from '../../../src/index.ts';
import { openai } from '../../../src/models/index.ts';
import { sqliteStore } from '../../../src/persistence/index.ts';

/** What such a process is told. */
interface Order {
  readonly file: string;
  readonly url: string;
  readonly answer?: { readonly yes: true } | { readonly yes: false; readonly reason: string };
}

// Only its parent gives it orders.
const { file, url, answer } = JSON.parse(process.argv[2] ?? '') as Order;
const store = sqliteStore(file);
const mcp = { type: 'mcp', server_label: 'git', server_url: 'https://git.example' };
const clerk = agent({
  name: 'clerk',
  model: openai('gpt-5.5', { apiKey: 'k', baseURL: url }),
  settings: { providerTools: { openai: [mcp] } },
});

if (answer === undefined) {
  void clerk.run('Delete it.', { store, runId: 'r' });
  while ((await openRequests(store)).length === 0) await wait(5);
  process.stdout.write('waiting\n');
  await wait(60_000);
} else {
  const [request] = await openRequests(store);
  await answerRequest(store, 'r', { id: request?.id ?? '', ...answer });
  const { status, output } = await (await resume(clerk, 'r', { store })).result;
  const description = request?.kind === 'approval' ? request.description : '';
  process.stdout.write(`${JSON.stringify({ status, output, description })}\n`);
  await store.close();
}
