// A chat with an agent that lives in this component: all of it comes from one hook.
import { useState } from 'react';
import { useAgent } from 'troupe/react';
import { gardener } from './gardener.ts';

const PHASES = ['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CHECK_STOP'];

export const Chat = () => {
  const {
    status,
    phase,
    text,
    isStreaming,
    messages,
    requests,
    totals,
    error,
    send,
    stop,
    pause,
    resume,
    approve,
    deny,
  } = useAgent(gardener);
  const [draft, setDraft] = useState('How is the garden?');
  const isUnderWay = status === 'running' || status === 'paused';
  return (
    <section className="chat">
      <header>
        <h1>The gardener</h1>
        <ol className="phases">
          {PHASES.map((name) => (
            <li key={name} className={isUnderWay && name === phase ? 'active' : ''}>
              {name}
            </li>
          ))}
        </ol>
      </header>
      <ul className="messages">
        {messages.map((message) => (
          <li key={message.id} className={message.role}>
            {message.text !== '' && <p>{message.text}</p>}
            {message.calls.map((call) => (
              <p key={call.callId} className={`call ${call.state}`}>
                <b>{call.activity ?? call.tool}</b> <span>{call.text ?? call.state}</span>
              </p>
            ))}
          </li>
        ))}
        {isStreaming && (
          <li className="assistant streaming">
            <p>{text}</p>
          </li>
        )}
      </ul>
      {requests.map(
        (request) =>
          request.kind !== 'question' && (
            <div key={request.id} className="request" role="alertdialog" aria-label={request.description}>
              <span>{request.description}?</span>
              <button onClick={() => approve(request.id)}>Yes</button>
              <button onClick={() => deny(request.id, 'not today')}>No</button>
            </div>
          ),
      )}
      {error !== undefined && <p className="error">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (send(draft)) setDraft('');
        }}
      >
        <input aria-label="Message" value={draft} onChange={({ target }) => setDraft(target.value)} />
        <button disabled={draft === ''}>Send</button>
        <button
          type="button"
          disabled={!isUnderWay}
          onClick={() => (status === 'paused' ? resume() : pause())}
        >
          {status === 'paused' ? 'Go on' : 'Pause'}
        </button>
        <button type="button" disabled={!isUnderWay} onClick={() => stop('the user said so')}>
          Stop
        </button>
      </form>
      <footer>
        <output className="status">{status}</output> · {totals.steps} steps ·{' '}
        {totals.inputTokens + totals.outputTokens} tokens
      </footer>
    </section>
  );
};
