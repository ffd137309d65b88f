// An agent in a component, under StrictMode, whose model and tool do what a test says, and which counts what is done.
import { useActor } from '@xstate/react';
import * as React from 'react';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import { agent, tool } from 'troupe';
import { modelAnswer } from 'troupe/models';
import { useAgent, useRun } from 'troupe/react';
import { z } from 'zod';

const counts = { runs: 0, asked: 0, called: 0, aborted: 0, mounted: 0 };
let open: () => void = () => undefined;
let gate = new Promise<void>((resolve) => (open = resolve));

const fetch = tool({
  name: 'fetch',
  description: 'Fetches.',
  input: z.object({}),
  idempotent: true,
  execute: async (_, { signal }) => {
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
    answer: ({ messages }) => {
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
  const { status, phase, text, output, messages, send, stop, error } = useAgent(probe, { input });
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
        {kind.startsWith('http') && <Elsewhere source={kind} />}
      </Hideable>
    </>
  );
};

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
      root.render(
        <StrictMode>
          <App kind={kind} input={input} />
        </StrictMode>,
      );
    },
    unmount: () => {
      flushSync(() => {
        root?.unmount();
      });
    },
  },
});
