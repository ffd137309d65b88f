// Two tabs: React hides the inactive one, keeping its state, with its agent idle.
import { Activity, useState } from 'react';
import { Chat } from './chat.tsx';

export const App = () => {
  const [tab, setTab] = useState<'chat' | 'about'>('chat');
  return (
    <main>
      <nav>
        <button aria-pressed={tab === 'chat'} onClick={() => setTab('chat')}>
          Chat
        </button>
        <button aria-pressed={tab === 'about'} onClick={() => setTab('about')}>
          About
        </button>
      </nav>
      <Activity mode={tab === 'chat' ? 'visible' : 'hidden'}>
        <Chat />
      </Activity>
      {tab === 'about' && <p className="about">The gardener waits until you are back.</p>}
    </main>
  );
};
