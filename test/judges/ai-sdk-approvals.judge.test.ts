import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { agent, replay } from '../../src/index.ts';
import { aiSdk, type AiSdkOptions } from '../../src/models/ai-sdk/ai-sdk.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { approvingServer } from '../support/approving-server.ts';
import { quiet, settled, start } from '../support/runs.ts';

const mcp = { id: 'openai.mcp', name: 'mcp', args: { serverLabel: 'git', serverUrl: 'https://git.example' } };

const stored: AiSdkOptions = { stream: false, providerOptions: { openai: { store: true } } };

const clerkAt = (url: string, options: AiSdkOptions = stored) =>
  agent({
    name: 'clerk',
    model: aiSdk(createOpenAI({ apiKey: 'sk-mock', baseURL: url }).responses('gpt-5.5'), options),
    settings: { providerTools: { openai: [mcp] } },
  });

describe('a request of OpenAI for approval, read by the genuine package of the AI SDK', () => {
  it('is put to a person with its arguments, and answered in the next request', async () => {
    await using provider = await approvingServer();
    const store = memoryStore();
    const clerk = clerkAt(provider.url);
    const handle = start(clerk, 'Delete it.', { store, runId: 'r' });
    do await quiet();
    while (handle.requests.length === 0);
    const [asked] = handle.requests;
    expect(asked).toMatchObject({
      kind: 'approval',
      tool: 'approve_provider_call',
      input: { server: 'git', tool: 'delete_repo', input: { name: 'old' } },
    });
    handle.approve(asked?.id ?? '');
    const { output, events, error } = await settled(handle);
    expect(error).toBeUndefined();
    expect(output).toBe('approved');
    expect(provider.requests[1]?.body['input']).toContainEqual({
      type: 'mcp_approval_response',
      approval_request_id: 'mcpr_1',
      approve: true,
    });
    const again = await replay(clerk, 'r', { store });
    expect(again.events.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    expect(provider.requests).toHaveLength(2);
  });

  it('is denied where nobody approves it', async () => {
    await using provider = await approvingServer();
    expect((await clerkAt(provider.url).run('Delete it.')).output).toContain('denied');
  });

  it('fails with advice where the provider is asked to store nothing, as its package could not answer', async () => {
    await using provider = await approvingServer();
    await expect(clerkAt(provider.url, { stream: false }).run('Delete it.')).rejects.toMatchObject({
      code: 'model.bad-request',
      message: expect.stringContaining('store: true') as string,
    });
    expect(provider.requests).toHaveLength(1);
  });
});
