// An agent in a component, under StrictMode, whose model and tool do what a test says, and which counts what is done.
import { useActor } from '@xstate/react';
import * as React from 'react';
import { StrictMode, useState } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import { renderToString } from 'react-dom/server';
import { agent, tool } from 'troupe';
import { connect } from 'troupe/client';
import { modelAnswer } from 'troupe/models';
import { useAgent, useRun } from 'troupe/react';
import { z } from 'zod';

const counts = { runs: 0, asked: 0, called: 0, aborted: 0, mounted: 0 };
let open: () => void = () => undefined;
let gate = new Promise<void>((resolve) => (open = resolve));

/** What runs were given and made, by name, without keeping it. */
const made: { readonly what: string; readonly it: WeakRef<object> }[] = [];
const note = (what: string, it: object): void => {
  made.push({ what, it: new WeakRef(it) });
};

const fetch = tool({
  name: 'fetch',
  description: 'Fetches.',
  input: z.object({}),
  idempotent: true,
  execute: async (input, { signal }) => {
    note('input of a tool', input);
    note('signal', signal);
    counts.called += 1;
    signal.addEventListener('abort', () => (counts.aborted += 1));
    await gate;
    return 'fetched';
  },
});

const probe = agent({
  name: 'probe',
  tools: [fetch],
  model: {
    provider: 'test',
    id: 'probe',
    isLanguageModel: false,
    answer: (request) => {
      const { messages } = request;
      note('request of a model', request);
      note('messages', messages);
      counts.asked += 1;
      if (messages.length === 1) counts.runs += 1;
      const last = messages.at(-1);
      return last?.role === 'tool'
        ? modelAnswer({ text: `It is ${last.text}.` })
        : modelAnswer({ calls: [{ id: 'c', name: 'fetch', input: {} }] });
    },
  },
});

const Probe = ({ input }: { readonly input?: string | undefined }) => {
  const view = useAgent(probe, { input });
  const { status, phase, text, output, messages, send, stop, error } = view;
  note('view', view);
  note('progress', view.progress);
  return (
    <section>
      <p className="status">{status}</p>
      <p className="phase">{phase}</p>
      <p className="text">{output ?? text}</p>
      <p className="error">{error?.code}</p>
      <ol>
        {messages.map(({ id, text: said }) => (
          <li key={id}>{said}</li>
        ))}
      </ol>
      <button onClick={() => send('go')}>send</button>
      <button onClick={() => stop('enough')}>stop</button>
    </section>
  );
};

// As an app has it that knows XState: the agent's actor by XState's own hook.
const Actor = () => {
  const [snapshot] = useActor(probe.logic, { input: 'begin' });
  return (
    <section>
      <p className="phase">{JSON.stringify(snapshot.value)}</p>
      <p className="text">{snapshot.output?.output}</p>
    </section>
  );
};

const Elsewhere = ({ source }: { readonly source: Parameters<typeof useRun>[0] }) => {
  const { progress, connection } = useRun(source);
  return (
    <p className="elsewhere">
      {connection} {progress.status} {progress.text}
    </p>
  );
};

// An agent of a server: its client is made by each render, as an app may have it.
const Served = ({ url, input }: { readonly url: string; readonly input?: string | undefined }) => {
  const { status, text, connection, messages, send } = useAgent(
    connect(url, { retryMs: 1 }).agent('teller'),
    {
      input,
    },
  );
  return (
    <section className="served">
      <p className="status">{status}</p>
      <p className="connection">{connection}</p>
      <p className="text">{text}</p>
      <ol>
        {messages.map(({ id, text: said }) => (
          <li key={id}>{said}</li>
        ))}
      </ol>
      <button onClick={() => send('go')}>send</button>
    </section>
  );
};

// A run of the page itself, begun once for however many components show it.
let begun: ReturnType<typeof probe.stream> | undefined;
const here = () => (begun ??= probe.stream('begin'));

// React 18 cannot hide what is mounted: it shows it always.
const Hideable: (props: React.ActivityProps) => React.ReactNode =
  'Activity' in React ? React.Activity : ({ children }) => children;

const App = ({ kind, input }: { readonly kind: string; readonly input?: string | undefined }) => {
  const [isShown, setShown] = useState(true);
  return (
    <>
      <button onClick={() => setShown(!isShown)}>toggle</button>
      <Hideable mode={isShown ? 'visible' : 'hidden'}>
        {kind === 'agent' && <Probe input={input} />}
        {kind === 'actor' && <Actor />}
        {kind === 'handle' && <Elsewhere source={here()} />}
        {kind.startsWith('served:') && <Served url={kind.slice('served:'.length)} input={input} />}
        {kind.startsWith('http') && <Elsewhere source={kind} />}
      </Hideable>
    </>
  );
};

const page = (kind: string, input?: string) => (
  <StrictMode>
    <App kind={kind} input={input} />
  </StrictMode>
);

const place = document.getElementById('app') ?? document.body;
let root: ReturnType<typeof createRoot> | undefined;

Object.assign(globalThis, {
  probe: {
    counts,
    open: () => {
      open();
      gate = new Promise((resolve) => (open = resolve));
    },
    mount: (kind: string, input?: string) => {
      root = createRoot(place);
      root.render(page(kind, input));
    },
    /** Shows what a server has rendered, and goes on from that. */
    hydrate: (kind: string, input?: string) => {
      place.innerHTML = renderToString(page(kind, input));
      root = hydrateRoot(place, page(kind, input));
    },
    /** What there is still of what was made. */
    kept: () => [...new Set(made.flatMap(({ what, it }) => (it.deref() === undefined ? [] : [what])))],
    unmount: () => {
      flushSync(() => {
        root?.unmount();
      });
    },
  },
});
