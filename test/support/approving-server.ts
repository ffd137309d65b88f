import { judgingProvider, type MockProvider, type Reply } from './mock-provider.ts';

/** A request for approval, as the Responses API makes it. */
export const request = (id: string, input: object = { name: 'old' }): object => ({
  type: 'mcp_approval_request',
  id,
  server_label: 'git',
  name: 'delete_repo',
  arguments: JSON.stringify(input),
});

/** Words of the model. */
export const say = (text: string): object => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

const asking: readonly object[] = [
  {
    type: 'mcp_list_tools',
    id: 'mcpl_1',
    server_label: 'git',
    tools: [{ name: 'delete_repo', input_schema: {} }],
  },
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
  request('mcpr_1'),
];

interface SeenItem {
  readonly type?: string;
  readonly id?: string;
  readonly approval_request_id?: string;
  readonly approve?: boolean;
  readonly reason?: string;
}

const reply = (output: readonly object[]): Reply => ({
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({
      id: 'resp_1',
      object: 'response',
      model: 'gpt-5.5',
      status: 'completed',
      output,
      usage: { input_tokens: 3, output_tokens: 2 },
    }),
  ],
});

/**
 * A Responses API with a remote MCP server: it asks for approval first, refuses a conversation in which a request has no answer, as the real one
 * does, and then makes the call or says why it was denied.
 */
export const approvingServer = (first: readonly object[] = asking): Promise<MockProvider> =>
  judgingProvider(({ body }, index) => {
    if (index === 0) return reply(first);
    const input = body['input'] as readonly SeenItem[];
    const responses = input.filter(({ type }) => type === 'mcp_approval_response');
    const open = input.find(
      ({ type, id }) =>
        type === 'mcp_approval_request' && !responses.some((each) => each.approval_request_id === id),
    );
    const [answered] = responses;
    if (open !== undefined || answered === undefined) {
      const message = `Approval requests do not have an approval: ${open?.id ?? 'none'}`;
      return { status: 400, pieces: [JSON.stringify({ error: { message, type: 'invalid_request_error' } })] };
    }
    if (answered.approve !== true) return reply([say(`denied: ${answered.reason}`)]);
    const call = {
      type: 'mcp_call',
      id: 'mcp_1',
      status: 'completed',
      server_label: 'git',
      name: 'delete_repo',
    };
    return reply([
      {
        ...call,
        output: 'ok',
        arguments: '{"name":"old"}',
        approval_request_id: answered.approval_request_id,
      },
      say('approved'),
    ]);
  });
