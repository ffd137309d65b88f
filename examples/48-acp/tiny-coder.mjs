// A tiny coding agent that speaks the Agent Client Protocol: it reads a file, asks for permission, and writes the file.
import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream } from '@agentclientprotocol/sdk';

agent({ name: 'tiny-coder' })
  .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest('session/new', ({ params }) => ({ sessionId: params.cwd }))
  .onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
    const say = (text) =>
      client.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
      });
    const path = `${sessionId}/greeting.txt`;
    const { content } = await client.request('fs/read_text_file', { sessionId, path });
    const mended = content.replace('Helo', 'Hello');
    await say('There is a letter missing. ');
    const { outcome } = await client.request('session/request_permission', {
      sessionId,
      toolCall: {
        toolCallId: 'edit-1',
        title: 'Edit greeting.txt',
        kind: 'edit',
        content: [{ type: 'diff', path, oldText: content, newText: mended }],
      },
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    });
    if (outcome.optionId !== 'yes') {
      await say('I was not allowed to mend it.');
      return { stopReason: 'end_turn' };
    }
    await client.request('fs/write_text_file', { sessionId, path, content: mended });
    await say('It is mended.');
    return { stopReason: 'end_turn' };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
