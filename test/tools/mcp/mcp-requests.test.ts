import { inputRequired } from '@modelcontextprotocol/server';
import type { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { agent, answerRequest, openRequests } from '../../../src/index.ts';
import type { RunResult } from '../../../src/contracts/runs/run-result.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import type { McpServerOptions } from '../../../src/mcp/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { greeting, handWritten, served } from './servers.ts';

type Form = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

const booking = {
  type: 'object',
  properties: {
    seats: { type: 'integer', minimum: 1, title: 'Seats' },
    class: { type: 'string', enum: ['first', 'second'] },
    note: { type: 'string' },
  },
  required: ['seats', 'class'],
} satisfies Form;

/** A server whose tool needs something of its caller before it answers. */
const withNeed =
  (request: NonNullable<Parameters<typeof inputRequired>[0]['inputRequests']>) =>
  (server: McpServer): void => {
    server.registerTool('book', { description: 'Books.' }, ({ mcpReq: { inputResponses } }) =>
      inputResponses === undefined
        ? inputRequired({ inputRequests: request })
        : { content: [{ type: 'text', text: JSON.stringify(inputResponses) }] },
    );
  };

const textsOf = ({ events }: RunResult<unknown>) =>
  events.flatMap((event) => (event.type === 'tool.finished' ? [event.text] : []));

const booker = (server: McpServerOptions, replies: Parameters<typeof scriptedModel>[0] = []) =>
  agent({
    name: 'host',
    tools: [mcpServer(server)],
    model: scriptedModel([calls({ name: 'srv.book', input: {} }), ...replies, 'Done.']),
  });

const form = withNeed({
  where: inputRequired.elicit({ message: 'Which seats?', requestedSchema: booking }),
});

const seats = withNeed({
  where: inputRequired.elicit({
    message: 'Seats?',
    requestedSchema: { type: 'object', properties: { seats: booking.properties.seats } },
  }),
});

test('what a server asks is a question for each field in the inbox, by the name of the server', async () => {
  const asked: string[] = [];
  const answers = ['none', '2', 'first', ''];
  const answer = (question: string) => {
    asked.push(question);
    return answers[asked.length - 1] ?? 'decline';
  };
  const result = await booker(served(form)).run('go', { person: { answer } });
  expect(textsOf(result)[0]).toContain('"content":{"seats":2,"class":"first"}');
  expect(asked).toEqual([
    "The MCP server 'srv' asks: Which seats? Seats. Answer 'decline' to refuse.",
    expect.stringMatching(/asks: Which seats\? \(.*\) Seats\./),
    expect.stringMatching(/class\. One of: first, second\./),
    expect.stringMatching(/note\. Answer 'decline' to refuse, or nothing to leave it out/),
  ]);
});

test('what a server asks on behalf of a stored run is in its inbox, and answered from there', async () => {
  const store = memoryStore();
  const running = booker(served(seats)).run('go', { store, runId: 'r' });
  const isAsking = {
    kind: 'question',
    question: expect.stringContaining("The MCP server 'srv' asks: Seats?"),
  };
  await expect.poll(() => openRequests(store)).toMatchObject([isAsking]);
  const [{ id } = { id: '' }] = await openRequests(store);
  await answerRequest(store, 'r', { id, text: '2' });
  expect(textsOf(await running)[0]).toContain('"action":"accept","content":{"seats":2}');
  expect(await openRequests(store)).toEqual([]);
});

test.each([
  { what: 'declines', person: { answer: () => 'decline' }, action: 'decline' },
  { what: 'is not there', person: undefined, action: 'cancel' },
])('a person who $what gives the server nothing', async ({ person, action }) => {
  const result = await booker(served(form)).run('go', { person });
  expect(textsOf(result)[0]).toContain(`"action":"${action}"`);
});

/** A form whose fields have defaults, one of which the server itself would not take, and choices with words for them. */
const order = {
  type: 'object',
  properties: {
    seats: { type: 'integer', minimum: 1, default: 2 },
    window: { type: 'boolean', default: false },
    class: {
      type: 'string',
      oneOf: [
        { const: '1', title: 'First' },
        { const: '2', title: 'Second' },
      ],
      default: '2',
    },
    meals: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'veg', title: 'Vegetarian' },
          { const: 'fish', title: 'Fish' },
        ],
      },
    },
    pet: { type: 'string', enum: ['p1', 'p2'], enumNames: ['Cat', 'Dog'] },
    note: { type: 'string', maxLength: 3, default: 'far too long' },
  },
  required: ['seats', 'class'],
} satisfies Form;

test('a field that nobody fills in has its default, and a choice is named by its value or its words', async () => {
  const asked: string[] = [];
  const answers = ['', '', 'first', 'Fish, veg', 'p2', ''];
  const answer = (question: string) => {
    asked.push(question);
    return answers[asked.length - 1] ?? 'decline';
  };
  const server = withNeed({
    order: inputRequired.elicit({ message: 'What?', requestedSchema: order }),
  });
  const result = await booker(served(server)).run('go', { person: { answer } });
  expect(textsOf(result)[0]).toContain(
    '"content":{"seats":2,"window":false,"class":"1","meals":["fish","veg"],"pet":"p2"}',
  );
  expect(asked).toEqual([
    expect.stringMatching(/seats\. Answer 'decline' to refuse, or nothing for 2\.$/),
    expect.stringMatching(/nothing for false\.$/),
    expect.stringMatching(/One of: 1 \(First\), 2 \(Second\)\. .* nothing for "2"\.$/),
    expect.stringMatching(/One of: veg \(Vegetarian\), fish \(Fish\)\./),
    expect.stringMatching(/One of: p1 \(Cat\), p2 \(Dog\)\./),
    expect.stringMatching(/nothing to leave it out\.$/),
  ]);
});

test('the time of a call does not pass while a person thinks', async () => {
  const answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    return '2';
  };
  const result = await booker(served(seats, { timeoutMs: 50 })).run('go', { person: { answer } });
  expect(textsOf(result)[0]).toContain('"seats":2');
});

const sampling = withNeed({
  thought: inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say a word.' } }],
    systemPrompt: 'Be short.',
    maxTokens: 20,
  }),
});

test('sampling asks the model of the agent, by a child of the run, and only where it is allowed', async () => {
  const result = await booker(served(sampling, { sampling: true }), ['Bergen']).run('go');
  expect(textsOf(result)[0]).toContain('"text":"Bergen"');
  expect(result.events.some(({ agent: name }) => name === 'sampler')).toBe(true);
  // It counts for the run: the call, the question, the answer.
  expect(result.totals.modelCalls).toBe(3);
  const refused = await booker(served(sampling)).run('go');
  expect(refused.events.some(({ agent: name }) => name === 'sampler')).toBe(false);
  expect(refused.output).toBe('Done.');
});

test('resources and prompts are read by tools, where the server has them and the agent may', async () => {
  const server = served(
    (made) => {
      made.registerResource('readme', 'docs://readme', { description: 'Read it.' }, () => ({
        contents: [{ uri: 'docs://readme', text: 'Turn it on.' }],
      }));
      made.registerPrompt('greet', { description: 'Greets.' }, () => ({
        messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }],
      }));
    },
    { prompts: true },
  );
  const reader = agent({
    name: 'host',
    tools: [mcpServer(server)],
    model: scriptedModel([
      calls({ name: 'srv.list_resources', input: {} }),
      calls({ name: 'srv.read_resource', input: { uri: 'docs://readme' } }),
      calls({ name: 'srv.list_prompts', input: {} }),
      calls({ name: 'srv.get_prompt', input: { name: 'greet' } }),
      'Done.',
    ]),
  });
  expect(textsOf(await reader.run('go'))).toEqual([
    'docs://readme · readme · Read it.',
    'Resource docs://readme:\nTurn it on.',
    'greet() · Greets.',
    'Say hello.',
  ]);
});

test.each([
  {
    protocol: '2026',
    server: () =>
      served((made) => {
        made.registerResource('readme', 'docs://readme', { description: 'Read it.' }, () => ({
          contents: [],
        }));
        made.server.removeRequestHandler('resources/templates/list');
      }),
  },
  {
    protocol: '2025',
    server: () =>
      handWritten({
        initialize: { ...greeting.initialize, capabilities: { resources: {} } },
        'resources/list': {
          resources: [{ uri: 'docs://readme', name: 'readme', description: 'Read it.' }],
        },
      }),
  },
])('resources are listed where a server of $protocol knows no templates', async ({ server }) => {
  const reader = agent({
    name: 'host',
    tools: [mcpServer(server())],
    model: scriptedModel([calls({ name: 'srv.list_resources', input: {} }), 'Done.']),
  });
  expect(textsOf(await reader.run('go'))).toEqual(['docs://readme · readme · Read it.']);
});

test('a server that cannot be reached is unavailable, with what the network says', async () => {
  const fetch = () =>
    Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }));
  const host = booker({ name: 'desk', url: 'https://desk.test/mcp', fetch, attempts: 1 }, ['Done.']);
  await expect(host.run('Book.')).rejects.toThrow(/it cannot be reached: connect ECONNREFUSED$/);
});

const withForecast = (server: McpServer): void => {
  server.registerTool('forecast', { description: 'Forecasts.' }, () => ({ content: [] }));
};

test('a tool in `only` that the server does not have is refused, with the nearest one', async () => {
  const host = booker(served(withForecast, { only: ['forcast'] }), ['Done.']);
  await expect(host.run('Rain?')).rejects.toThrow(
    "as `only` names the tool 'forcast', which it does not have: did you mean 'forecast'?",
  );
});

test('the tools of a deferred server are found by find_tools, and not sent before', async () => {
  const server = served(withForecast, { deferred: true });
  const model = scriptedModel([calls({ name: 'find_tools', input: { query: 'forecast' } }), 'Done.']);
  await agent({ name: 'host', tools: [mcpServer(server)], model }).run('Rain?');
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ['find_tools'],
    expect.arrayContaining([`${server.name}.forecast`]),
  ]);
});
