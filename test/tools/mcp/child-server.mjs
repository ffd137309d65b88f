// A server over standard input and output, of the protocol of 2025-11-25, without any package. Its mode is its first argument.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = 'plain', path = ''] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

if (mode === 'html') process.stdout.write('<!doctype html><title>Not here</title>\n');
if (mode === 'exits') {
  process.stderr.write('no licence found\n');
  process.exit(3);
}
const started = mode === 'leaves' ? spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }) : undefined;

const tools = [
  {
    name: 'echo',
    description: 'Repeats a text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { idempotentHint: true },
  },
  { name: 'env', description: 'Its variables.', inputSchema: { type: 'object' } },
  { name: 'pids', description: 'Its processes.', inputSchema: { type: 'object' } },
];

const call = (id, { name, arguments: given, _meta }) => {
  if (name === 'env')
    return send({ id, result: { content: [{ type: 'text', text: Object.keys(process.env).join(' ') }] } });
  if (name === 'pids')
    return send({ id, result: { content: [{ type: 'text', text: `${process.pid} ${started?.pid}` }] } });
  if (mode === 'refuses') {
    process.stderr.write('listening as ever\n');
    return send({ id, error: { code: -32602, message: 'no such order' } });
  }
  if (mode === 'at-once') {
    // All of it in one piece, so that a client reads it at once.
    const said = [1, 2].map((progress) => ({
      method: 'notifications/progress',
      params: { progressToken: _meta.progressToken, progress, total: 2 },
    }));
    const messages = [...said, { id, result: { content: [{ type: 'text', text: 'both done' }] } }];
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    return process.stdout.write(lines.join(''));
  }
  if (mode === 'hangs') return undefined;
  if (mode === 'floods') return process.stdout.write('x'.repeat(11_000_000));
  if (mode === 'dies-once' && !existsSync(path)) {
    writeFileSync(path, 'died');
    process.exit(9);
  }
  if (mode === 'dies') process.exit(9);
  return send({ id, result: { content: [{ type: 'text', text: `heard ${given.text}` }] } });
};

let isOpen = false;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (mode === 'html') process.exit(0);
  if (method === 'initialize') {
    isOpen = true;
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'child', version: '1' },
      },
    });
  } else if (mode === 'strict' && !isOpen) process.exit(1);
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') call(id, params);
  else send({ id, error: { code: -32601, message: 'no such method' } });
});
