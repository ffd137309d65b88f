import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/models/index.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { approvingServer, request, say } from '../support/approving-server.ts';
import { ofType, quiet, settled, start } from '../support/runs.ts';

const mcp = { type: 'mcp', server_label: 'git', server_url: 'https://git.example' };

const clerkAt = (url: string, more: Partial<Parameters<typeof agent>[0]> = {}): Agent<string, string> =>
  agent({
    name: 'clerk',
    model: openai('gpt-5.5', { apiKey: 'k', baseURL: url }),
    settings: { providerTools: { openai: [mcp] } },
    ...more,
  } as Parameters<typeof agent>[0]) as Agent<string, string>;

const yes = { person: { approve: () => true } };

describe('a request of OpenAI for the approval of a call of a remote MCP server', () => {
  it('is put to a person with its arguments, and answered in the next request', async () => {
    await using provider = await approvingServer();
    const handle = start(clerkAt(provider.url), 'Delete it.');
    do await quiet();
    while (handle.requests.length === 0);
    const [asked] = handle.requests;
    expect(asked).toMatchObject({
      kind: 'approval',
      agent: 'clerk',
      tool: 'approve_provider_call',
      input: { server: 'git', tool: 'delete_repo', input: { name: 'old' } },
      description: 'Letting the provider call delete_repo of git: {"name":"old"}',
    });
    handle.approve(asked?.id ?? '');
    const { status, output, events } = await settled(handle);
    expect([status, output]).toEqual(['completed', 'approved']);
    const [first, second] = ofType(events, 'model.answered');
    expect([first?.calls, second?.providerCalls]).toEqual([
      1,
      [{ tool: 'delete_repo', input: { name: 'old' } }],
    ]);
    // The request goes back as it came, with what was thought before it, and its answer after it.
    expect(provider.requests[1]?.body['input']).toEqual([
      { role: 'user', content: 'Delete it.' },
      expect.objectContaining({ type: 'mcp_list_tools' }),
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
      request('mcpr_1'),
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
    ]);
  });

  it.each<readonly [what: string, options: RunOptions, reason: string]>([
    ['a person denies it', { person: { approve: () => 'it is in use' } }, 'it is in use'],
    ['a person says no', { person: { approve: () => false } }, 'a person said no'],
    ['the strategy denies it', { safety: () => ({ verdict: 'deny', reason: 'read only' }) }, 'read only'],
  ])('is denied with the reason where %s', async (_, options, reason) => {
    await using provider = await approvingServer();
    const { output } = await settled(start(clerkAt(provider.url), 'Delete it.', options));
    expect(output).toBe(`denied: ${reason}`);
  });

  it('is denied where nobody is there to approve it', async () => {
    await using provider = await approvingServer();
    expect((await clerkAt(provider.url).run('Delete it.')).output).toBe(
      'denied: nobody is there to approve it',
    );
  });

  it('is judged by the strategy of the run as what cannot be undone', async () => {
    await using provider = await approvingServer();
    const judged: unknown[] = [];
    const safety: RunOptions['safety'] = ({ tool: name, facts, input }) => {
      judged.push([name, facts.safety, input]);
      return { verdict: 'allow' };
    };
    const { output } = await settled(start(clerkAt(provider.url), 'Delete it.', { ...yes, safety }));
    expect(output).toBe('approved');
    expect(judged).toEqual([
      ['approve_provider_call', 'danger', { server: 'git', tool: 'delete_repo', input: { name: 'old' } }],
    ]);
  });

  it('takes no other arguments', async () => {
    await using provider = await approvingServer();
    const handle = start(clerkAt(provider.url), 'Delete it.');
    do await quiet();
    while (handle.requests.length === 0);
    const id = handle.requests[0]?.id ?? '';
    const input = { server: 'git', tool: 'delete_repo', input: { name: 'new' } };
    expect(handle.approve(id, { input })).toBe(false);
    expect(handle.requests).toHaveLength(1);
    expect(handle.approve(id)).toBe(true);
    expect((await settled(handle)).output).toBe('approved');
  });

  it('stands beside calls of tools, each with its own answer', async () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}' };
    const second = request('mcpr_2', { name: 'older' });
    await using provider = await approvingServer([request('mcpr_1'), call, second]);
    const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'seen' });
    const person = { approve: ({ input }: { input: unknown }) => !JSON.stringify(input).includes('older') };
    await settled(start(clerkAt(provider.url, { tools: [look] }), 'Delete them.', { person }));
    expect(provider.requests[1]?.body['input']).toMatchObject([
      { role: 'user' },
      { id: 'mcpr_1' },
      { type: 'function_call', name: 'look' },
      { id: 'mcpr_2' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      { type: 'function_call_output', output: 'seen' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_2', approve: false },
    ]);
  });

  it('is not there for a server that never asks', async () => {
    await using provider = await approvingServer([
      {
        type: 'mcp_call',
        id: 'mcp_1',
        server_label: 'git',
        name: 'delete_repo',
        arguments: '{}',
        output: 'ok',
      },
      say('done'),
    ]);
    const never = { providerTools: { openai: [{ ...mcp, require_approval: 'never' }] } };
    const { output, events } = await settled(start(clerkAt(provider.url, { settings: never }), 'Delete it.'));
    expect(output).toBe('done');
    expect(ofType(events, 'tool.requested')).toEqual([]);
    expect(provider.requests).toHaveLength(1);
    expect(provider.requests[0]?.body['tools']).toEqual([{ ...mcp, require_approval: 'never' }]);
  });
});

it('a model that calls the tool of such requests itself asks nobody', async () => {
  const forged = calls({ name: 'approve_provider_call', input: { server: 'a', tool: 'b', input: {} } });
  const handle = start(agent({ name: 'clerk', model: scriptedModel([forged, 'Well.']) }), 'go', {
    person: {
      approve: () => {
        throw new Error('was asked');
      },
    },
  });
  const { output, records, events } = await settled(handle);
  expect(output).toBe('Well.');
  expect(ofType(events, 'tool.approval-requested')).toEqual([]);
  expect(records[0]?.results[0]).toMatchObject({ ok: false, kind: 'validation' });
});

it('a call of that name asks nobody, either, where its provider sends fields with it, as Google does', async () => {
  const signed = modelAnswer({
    calls: [
      {
        id: 'a',
        name: 'approve_provider_call',
        input: {},
        origin: { provider: 'example', id: 'a', model: 'one', fields: { extra_content: {} } },
      },
    ],
  });
  const answers = [signed, modelAnswer({ text: 'Well.' })];
  const model: Model = { provider: 'example', id: 'one', answer: () => answers.shift() ?? signed };
  const { events, output } = await settled(start(agent({ name: 'clerk', model }), 'go', yes));
  expect(output).toBe('Well.');
  expect(ofType(events, 'tool.approval-requested')).toEqual([]);
});

it('an agent cannot have a tool of that name', () => {
  const taken = tool({
    name: 'approve_provider_call',
    description: 'x',
    input: z.object({}),
    execute: () => 1,
  });
  expect(() => agent({ name: 'clerk', tools: [taken], model: scriptedModel(['x']) })).toThrow(
    /its name is that of the tool that approves calls of a provider/,
  );
});
