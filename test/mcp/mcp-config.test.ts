import { describe, expect, test } from 'vitest';
import { mcpServers } from '../../src/mcp/mcp-servers.ts';
import type { McpServerOptions } from '../../src/tools/mcp/mcp-options.ts';
import { serversIn } from '../../src/tools/mcp/mcp-config.ts';

/** All options of a server that is a program, but those that are functions. */
type OfProgram = Required<Omit<McpServerOptions, 'name' | 'url' | 'headers' | 'auth' | 'fetch' | 'onStatus'>>;

const variables = { TOKEN: 'abc', EMPTY: '' };
const one = (server: unknown): unknown => serversIn({ mcpServers: { one: server } }, variables)[0];

describe('a configuration of MCP servers', () => {
  test('has programs and addresses, in the forms that other programs read', () => {
    const config = {
      mcpServers: {
        files: {
          command: 'npx',
          args: ['-y', 'files', '${ROOT:-/tmp}'],
          env: { KEY: '${TOKEN}', ALSO: '$TOKEN', NOT: 'a$TOKEN' },
          type: 'stdio',
        },
        'the desk': {
          type: 'http',
          url: 'https://desk.example/mcp',
          headers: { authorization: 'Bearer ${env:TOKEN}' },
        },
        gemini: { httpUrl: 'https://a.example/mcp', includeTools: ['read'], trust: true },
      },
    };
    expect(serversIn(config, variables)).toEqual([
      {
        name: 'files',
        command: 'npx',
        args: ['-y', 'files', '/tmp'],
        env: { KEY: 'abc', ALSO: 'abc', NOT: 'a$TOKEN' },
      },
      { name: 'the_desk', url: 'https://desk.example/mcp', headers: { authorization: 'Bearer abc' } },
      { name: 'gemini', url: 'https://a.example/mcp', only: ['read'] },
    ]);
  });

  test('may be that of VS Code, and have options of ours', () => {
    const server = { command: 'files', approval: ['write'], timeoutMs: 5_000, gallery: 'x' };
    expect(serversIn({ servers: { files: server }, inputs: [] }, {})).toEqual([
      { name: 'files', command: 'files', approval: ['write'], timeoutMs: 5_000 },
    ]);
  });

  test('may have each option of ours that JSON can say', () => {
    const options: OfProgram = {
      command: 'files',
      args: ['-v'],
      env: { KEY: 'a' },
      cwd: '/tmp',
      only: ['read', 'write'],
      deferred: true,
      safety: { write: 'danger' },
      approval: ['write'],
      approved: { read: 'f00' },
      onChange: 'ask',
      timeoutMs: 1,
      taskTimeoutMs: 2,
      connectTimeoutMs: 3,
      attempts: 4,
      optional: true,
      elicitation: false,
      sampling: true,
      resources: false,
      prompts: true,
    };
    expect(one(options)).toEqual({ name: 'one', ...options });
  });

  test('has the inputs of VS Code by variables of their names', () => {
    const config = {
      servers: { files: { command: 'x', env: { KEY: '${input:api-key}', ROOT: '${input:root:-/tmp}' } } },
      inputs: [{ type: 'promptString', id: 'api-key', password: true }],
    };
    expect(serversIn(config, { 'input:api-key': 'abc' })).toMatchObject([
      { env: { KEY: 'abc', ROOT: '/tmp' } },
    ]);
  });

  test('leaves out the servers that are disabled', () => {
    expect(one({ command: 'x', disabled: true })).toBeUndefined();
    expect(one({ command: 'x', enabled: false })).toBeUndefined();
  });

  test.each([
    [{ command: 'x', args: ['${MISSING}'] }, /'one' .* \$\{MISSING\} has no value: set MISSING/],
    [{ command: 'x', env: { A: '${EMPTY}' } }, /\$\{EMPTY\} has no value/],
    [{ command: 'x', env: { A: '${__proto__}' } }, /has no value/],
    [{ command: 'x', env: { A: '$NOPE' } }, /\$\{NOPE\} has no value/],
    [{ command: 'x', approvel: true }, /`approvel` is unknown: did you mean `approval`\?/],
    [{ command: 'x', tools: ['read'] }, /`tools` cannot be held/],
    [{ command: 'x', args: ['${command:pick}'] }, /\$\{command:pick\} has no value: write its value/],
    [
      { command: 'x', args: ['${input:api-key}'] },
      /\$\{input:api-key\} has no value: nobody is asked for inputs here\. Give it by `variables: .* 'input:api-key': value/,
    ],
    [{ command: 'x', args: ['${env:input:key}'] }, /\$\{env:input:key\} has no value: write its value/],
    [{ type: 'sse', url: 'https://a.example/sse' }, /old transport `sse`/],
    [{ command: 'x', excludeTools: ['wipe'] }, /`excludeTools` cannot be held: name the tools .* by `only`/],
    ['npx files', /not an object with a `command` or a `url`/],
  ])('refuses %j', (server, message) => {
    expect(() => one(server)).toThrow(expect.objectContaining({ code: 'tool.invalid' }));
    expect(() => one(server)).toThrow(message);
  });

  test.each([undefined, null, 'mcp.json', [], {}, { mcpServers: [] }])('is not %j', (config) => {
    expect(() => mcpServers(config)).toThrow(/neither `mcpServers` nor `servers`/);
  });

  test('drops no server silently: not by a second list, nor by a name that two come to', () => {
    const x = { command: 'x' };
    expect(() => serversIn({ mcpServers: { a: x }, servers: { b: x } }, {})).toThrow(
      /both `mcpServers` and `servers`/,
    );
    expect(() => serversIn({ mcpServers: { 'a b': x, a_b: x } }, {})).toThrow(
      /'a b' comes to the same name, 'a_b'/,
    );
  });

  test('has its servers checked as those of code', () => {
    expect(mcpServers({ mcpServers: { a: { command: 'x' } } }).map(({ name }) => name)).toEqual(['a']);
    expect(() => mcpServers({ mcpServers: { a: { command: 'x', url: 'https://a.example' } } })).toThrow(
      /a command and a url/,
    );
    expect(() => mcpServers({ mcpServers: { a: { command: 5 } } })).toThrow(/'a'/);
  });
});
