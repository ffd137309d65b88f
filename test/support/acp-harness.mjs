/**
 * A coding agent for tests, by the agent side of the protocol's own SDK. Its first argument names what it does with a prompt; the second, where
 * there is one, is a file where it notes what reaches it, a line for each; with the third, `loads`, it can load sessions.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';

const [does = 'answer', notes, mayLoad] = process.argv.slice(2);

const note = (what) => {
  if (notes !== undefined) appendFileSync(notes, `${JSON.stringify(what)}\n`);
};

const OPTIONS = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Allow always', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

let cancelled = () => undefined;
const untilCancelled = new Promise((resolve) => {
  cancelled = resolve;
});

const textOf = (prompt) =>
  prompt.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('|');

/** What each does with a prompt: `say`, `update` and `ask` speak to the client. */
const SCRIPTS = {
  answer: async ({ say, think }) => {
    await think('Hm.');
    await say('Hello, ');
    await say('world.');
    return 'end_turn';
  },
  echo: async ({ say, prompt }) => {
    await say(JSON.stringify(prompt));
    return 'end_turn';
  },
  forgets: async ({ say, prompt }) => {
    await say(`You said: ${textOf(prompt)}`);
    return 'end_turn';
  },
  said: async ({ say, prompt }) => {
    await say(`You said: ${textOf(prompt)}`);
    return 'end_turn';
  },
  json: async ({ say, prompt }) => {
    await say(textOf(prompt).includes('JSON Schema') ? '{"files": 3}' : 'no schema');
    return 'end_turn';
  },
  badJson: async ({ say, prompt }) => {
    await say(textOf(prompt).includes('does not fit') ? '{"files": 4}' : '{"files": "many"}');
    return 'end_turn';
  },
  works: async ({ say, update }) => {
    await say('I look.');
    await update({
      sessionUpdate: 'plan',
      entries: [{ content: 'Look', priority: 'high', status: 'in_progress' }],
    });
    await update({
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Read a.txt',
      kind: 'read',
      rawInput: { path: 'a.txt' },
    });
    await update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
    await say('I try.');
    await update({ sessionUpdate: 'tool_call', toolCallId: 'c2', title: 'Make', kind: 'execute' });
    await update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c2',
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: 'no rule' } }],
    });
    await say('Done.');
    return 'end_turn';
  },
  permission: async ({ say, request, update }) => {
    const toolCall = {
      toolCallId: 'c1',
      title: 'rm build',
      kind: 'execute',
      rawInput: { command: 'rm build' },
      locations: [{ path: `${process.cwd()}/build` }],
    };
    await update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
    const { outcome } = await request('session/request_permission', { toolCall, options: OPTIONS });
    await say(`outcome: ${outcome.optionId ?? outcome.outcome}`);
    return 'end_turn';
  },
  files: async ({ say, request }) => {
    const at = (path) => `${process.cwd()}/${path}`;
    const { content } = await request('fs/read_text_file', { path: at('a.txt'), line: 2, limit: 1 });
    await request('fs/write_text_file', { path: at('b/c.txt'), content: `${content}!` });
    await say(content);
    return 'end_turn';
  },
  escape: async ({ say, request }) => {
    const found = [];
    for (const path of ['/etc/hostname', `${process.cwd()}/../outside.txt`, `${process.cwd()}/link`])
      await request('fs/read_text_file', { path }).then(
        () => found.push(`read ${path}`),
        () => found.push('refused'),
      );
    await request('fs/write_text_file', { path: '/tmp/acp-outside.txt', content: 'x' }).then(
      () => found.push('written'),
      () => found.push('refused'),
    );
    await say(found.join('; '));
    return 'end_turn';
  },
  terminal: async ({ say, request }) => {
    const { terminalId } = await request('terminal/create', { command: 'echo', args: ['built'] });
    const exit = await request('terminal/wait_for_exit', { terminalId });
    const { output } = await request('terminal/output', { terminalId });
    await request('terminal/release', { terminalId });
    await say(`${output.trim()} ${exit.exitCode}`);
    return 'end_turn';
  },
  killsTerminal: async ({ say, request }) => {
    const { terminalId } = await request('terminal/create', { command: 'sleep', args: ['600'] });
    const { content } = await request('fs/read_text_file', { path: `${process.cwd()}/a.txt` });
    await request('terminal/kill', { terminalId });
    const exit = await request('terminal/wait_for_exit', { terminalId });
    await say(`${content.length > 0} ${exit.signal}`);
    return 'end_turn';
  },
  offered: async ({ say }) => {
    await say(JSON.stringify(offered));
    return 'end_turn';
  },
  environment: async ({ say }) => {
    await say(
      JSON.stringify({ key: process.env['ACP_TEST_API_KEY'], secret: process.env['ACP_TEST_SECRET'] }),
    );
    return 'end_turn';
  },
  usage: async ({ say, update }) => {
    await update({
      sessionUpdate: 'usage_update',
      used: 100,
      size: 1000,
      cost: { amount: 0.25, currency: 'USD' },
    });
    await say('Paid.');
    return 'end_turn';
  },
  refusal: async ({ say }) => {
    await say('I will not.');
    return 'refusal';
  },
  max_turn_requests: async ({ say }) => {
    await say('So far.');
    return 'max_turn_requests';
  },
  cancels: () => Promise.resolve('cancelled'),
  silentEnd: async ({ say, update }) => {
    await say('All is well.');
    await update({
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Look',
      kind: 'read',
      status: 'completed',
    });
    return 'end_turn';
  },
  crash: async ({ say }) => {
    await say('I am ');
    process.stderr.write('out of luck\n', () => process.exit(3));
    return untilCancelled;
  },
  fails: () => {
    throw RequestError.internalError(undefined, 'the model is down');
  },
  hangs: async ({ say }) => {
    await say('I wait.');
    await untilCancelled;
    await say(' Bye.');
    return 'cancelled';
  },
  ignoresCancel: async ({ say }) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
      detached: true,
      stdio: 'ignore',
    });
    note({ child: child.pid, own: process.pid });
    await say('I never end.');
    process.on('SIGTERM', () => undefined);
    return new Promise(() => undefined);
  },
  longLine: async () => {
    process.stdout.write('x'.repeat(11_000_000));
    return new Promise(() => undefined);
  },
  floods: async ({ say }) => {
    for (;;) await say('x'.repeat(10_000));
  },
  noise: async ({ say }) => {
    process.stdout.write('debug: hello\n{"not": "a message"}\n[]\n');
    await say('Still fine.');
    return 'end_turn';
  },
  garbage: async () => {
    for (let line = 0; line < 200; line += 1) process.stdout.write(`garbage ${line}\n`);
    return new Promise(() => undefined);
  },
  crashesOnce: async ({ say, prompt }) => {
    if (!textOf(prompt).includes('connection to you was lost')) {
      process.exit(9);
    }
    await say('Finished.');
    return 'end_turn';
  },
};

let offered;
const loads = mayLoad === 'loads';

agent({ name: 'harness' })
  .onRequest('initialize', ({ params }) => {
    offered = params.clientCapabilities;
    if (does === 'mute') return new Promise(() => undefined);
    return {
      protocolVersion: does === 'newer' ? 2 : 1,
      agentInfo: { name: 'harness', version: '1.0.0' },
      agentCapabilities: { loadSession: loads, promptCapabilities: { image: true, embeddedContext: true } },
      authMethods: [{ id: 'api-key', name: 'API key' }],
    };
  })
  .onRequest('authenticate', ({ params }) => {
    note({ authenticated: params.methodId });
    return {};
  })
  .onRequest('session/new', ({ params }) => {
    if (does === 'auth') throw RequestError.authRequired();
    note({ session: 'new', servers: params.mcpServers });
    return {
      sessionId: 'session-1',
      modes: {
        currentModeId: 'ask',
        availableModes: [
          { id: 'ask', name: 'Ask' },
          { id: 'code', name: 'Code' },
        ],
      },
    };
  })
  .onRequest('session/load', ({ params }) => {
    note({ session: 'load', id: params.sessionId });
    if (does === 'forgets') throw RequestError.sessionNotFound(params.sessionId);
    return {};
  })
  .onRequest('session/set_mode', ({ params }) => {
    note({ mode: params.modeId });
    return {};
  })
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client: peer }) => {
    const update = (what) => peer.notify('session/update', { sessionId, update: what });
    const chunk = (sessionUpdate) => (text) => update({ sessionUpdate, content: { type: 'text', text } });
    note({ prompted: textOf(prompt), pid: process.pid });
    const stopReason = await SCRIPTS[does]({
      prompt,
      update,
      say: chunk('agent_message_chunk'),
      think: chunk('agent_thought_chunk'),
      request: (method, params) => peer.request(method, { sessionId, ...params }),
    });
    return {
      stopReason,
      ...(does === 'usage'
        ? { usage: { inputTokens: 10, outputTokens: 7, cachedReadTokens: 5, totalTokens: 22 } }
        : {}),
    };
  })
  .onNotification('session/cancel', () => {
    note({ cancelled: true });
    cancelled();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
