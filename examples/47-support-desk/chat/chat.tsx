// The same desk by `useChat` of the AI SDK: a page that knows nothing of troupe.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart, getToolName } from 'ai';
import { useEffect, useState } from 'react';
import { Bubble, Composer, Conversation, Frame, show, Step } from '../shell.tsx';

const transport = new DefaultChatTransport({ api: '/chat' });

const states: Readonly<Record<string, string>> = {
  'input-streaming': 'requested',
  'input-available': 'running',
  'approval-requested': 'waiting',
  'approval-responded': 'running',
  'output-available': 'succeeded',
  'output-error': 'failed',
  'output-denied': 'denied',
};

/** What was said before the answer was dropped, with what the user has written since. */
const keptUntil = <Message extends { readonly id: string }>(
  kept: Message[],
  messages: Message[],
): Message[] => [...kept, ...messages.filter(({ id }) => !kept.some((message) => message.id === id))];

const Chat = () => {
  const [id] = useState(() => `chat-${crypto.randomUUID()}`);
  const { messages, sendMessage, setMessages, resumeStream, status } = useChat({ id, transport });
  // A connection that broke is an error to `useChat`: the message is asked for again, as a whole, until it comes.
  const [tries, setTries] = useState(0);
  const [kept, setKept] = useState(messages);
  useEffect(() => {
    if (status === 'ready') setTries(0);
    if (status !== 'error') return undefined;
    const timer = setTimeout(
      () => {
        setTries(tries + 1);
        // What was said is shown meanwhile.
        if (messages.at(-1)?.role === 'assistant') setKept(messages);
        setMessages((known) => known.slice(0, known.findLastIndex(({ role }) => role === 'user') + 1));
        void resumeStream();
      },
      Math.min(250 * 2 ** tries, 2_000),
    );
    return () => clearTimeout(timer);
  }, [status, tries, messages, setMessages, resumeStream]);
  const isAway = status === 'error' || (status === 'submitted' && tries > 0);
  const shown = isAway && messages.at(-1)?.role !== 'assistant' ? keptUntil(kept, messages) : messages;
  const parts = shown.flatMap(({ parts: all }) => all);
  const isWaiting = parts.some((part) => isToolUIPart(part) && part.state === 'approval-requested');
  return (
    <Frame title="Kettle & Co." about="We are here to help" isAway={isAway}>
      <Conversation>
        {shown.length === 0 && <Bubble from="desk">Hello! What can I do for you?</Bubble>}
        {shown.map((message) => (
          <div key={message.id} className="turn">
            {message.parts.map((part, index) => {
              if (part.type === 'text' && part.text !== '')
                return (
                  <Bubble key={index} from={message.role} isStreaming={part.state === 'streaming'}>
                    {part.text}
                  </Bubble>
                );
              if (!isToolUIPart(part)) return null;
              const what = getToolName(part) === 'refund' ? 'Refund' : 'Looking up your order';
              return <Step key={index} what={what} state={states[part.state] ?? part.state} />;
            })}
          </div>
        ))}
        {isWaiting && <p className="notice">A colleague looks at your refund.</p>}
      </Conversation>
      <Composer onSend={(text) => void sendMessage({ text })} />
    </Frame>
  );
};

show(<Chat />);
