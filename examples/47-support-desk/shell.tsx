// What the pages share: a frame, a conversation, and a place to write.
import { StrictMode, useEffect, useRef, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import './style.css';

export const show = (page: ReactNode): void => {
  const place = document.getElementById('app');
  if (place !== null) createRoot(place).render(<StrictMode>{page}</StrictMode>);
};

export const Frame = ({
  title,
  about,
  isAway,
  children,
}: {
  readonly title: string;
  readonly about: string;
  /** The server cannot be reached at the moment. */
  readonly isAway: boolean;
  readonly children: ReactNode;
}) => (
  <>
    <header className="bar">
      <span className="brand" aria-hidden="true">
        K
      </span>
      <div>
        <h1>{title}</h1>
        <p>{about}</p>
      </div>
      <p className={isAway ? 'link away' : 'link'} role="status">
        {isAway ? 'Reconnecting…' : 'Online'}
      </p>
    </header>
    <main>{children}</main>
  </>
);

/** A conversation, which keeps its newest message in sight. */
export const Conversation = ({ children }: { readonly children: ReactNode }) => {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  });
  return (
    <div className="conversation" role="log" aria-label="Conversation">
      {children}
      <div ref={end} />
    </div>
  );
};

export const Bubble = ({
  from,
  isStreaming = false,
  children,
}: {
  readonly from: string;
  readonly isStreaming?: boolean;
  readonly children: ReactNode;
}) => (
  <div className={`bubble ${from === 'user' ? 'mine' : 'theirs'}${isStreaming ? ' streaming' : ''}`}>
    <span className="unseen">{from === 'user' ? 'You: ' : 'Desk: '}</span>
    {children}
  </div>
);

const steps: Readonly<Record<string, string>> = {
  requested: 'is next',
  waiting: 'waits for a colleague',
  running: 'under way',
  succeeded: 'done',
  failed: 'did not work',
  denied: 'not released',
};

/** What the desk does, in a line. */
export const Step = ({ what, state }: { readonly what: string; readonly state: string }) => (
  <p className={`step ${state}`}>
    <span className="dot" aria-hidden="true" />
    {what} <em>{steps[state] ?? state}</em>
  </p>
);

export const Composer = ({ onSend }: { readonly onSend: (text: string) => void }) => {
  const [draft, setDraft] = useState('');
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() === '') return;
        onSend(draft);
        setDraft('');
      }}
    >
      <input
        aria-label="Message"
        placeholder="Write a message, with the number of your order…"
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
      />
      <button className="primary">Send</button>
    </form>
  );
};
