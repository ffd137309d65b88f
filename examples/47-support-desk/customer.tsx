// The customer's page: `useAgent` with an agent of the server. Closing the page leaves the run alone, and a server that comes back is found again.
import { connect } from 'troupe/client';
import { useAgent } from 'troupe/react';
import type { service } from './server.ts';
import { Bubble, Composer, Conversation, Frame, show, Step } from './shell.tsx';

const desk = connect<typeof service>('/desk', {
  headers: { authorization: 'Bearer customer' },
  maxRetryMs: 2_000,
});
const clerk = desk.agent('clerk');

const Customer = () => {
  const { messages, text, isStreaming, requests, error, connection, send } = useAgent(clerk);
  return (
    <Frame title="Kettle & Co." about="We are here to help" isAway={connection === 'waiting'}>
      <Conversation>
        {messages.length === 0 && <Bubble from="desk">Hello! What can I do for you?</Bubble>}
        {messages.map((message) => (
          <div key={message.id} className="turn">
            {message.text !== '' && <Bubble from={message.role}>{message.text}</Bubble>}
            {message.calls.map((call) => (
              <Step key={call.callId} what={call.activity ?? call.tool} state={call.state} />
            ))}
          </div>
        ))}
        {isStreaming && (
          <Bubble from="desk" isStreaming>
            {text}
          </Bubble>
        )}
        {requests.length > 0 && (
          <p className="notice">A colleague looks at your refund. You may close this page meanwhile.</p>
        )}
        {error !== undefined && (
          <p className="notice problem" role="alert">
            {error.message}
          </p>
        )}
      </Conversation>
      <Composer onSend={send} />
    </Frame>
  );
};

show(<Customer />);
