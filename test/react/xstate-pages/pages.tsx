// What the pages of @xstate/react's documentation do, done with an agent, under StrictMode.
import {
  createActorContext,
  shallowEqual,
  useActor,
  useActorRef,
  useMachine,
  useSelector,
} from '@xstate/react';
import { StrictMode, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { agent, eventsOf, tool } from 'troupe';
import { modelAnswer } from 'troupe/models';
import { assign, setup } from 'xstate';
import type { ActorRefFrom } from 'xstate';
import { z } from 'zod';

const counts = { runs: 0, asked: 0, called: 0, renders: 0, seen: 0 };
let open: () => void = () => undefined;
let gate = new Promise<void>((resolve) => (open = resolve));

const fetch = tool({
  name: 'fetch',
  description: 'Fetches.',
  input: z.object({}),
  idempotent: true,
  execute: async () => {
    counts.called += 1;
    await gate;
    return 'fetched';
  },
});

const clerk = agent({
  name: 'clerk',
  tools: [fetch],
  model: {
    provider: 'test',
    id: 'clerk',
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

const Shown = ({ state, answer }: { readonly state: string; readonly answer?: ReactNode }) => (
  <section>
    <p className="state">{state}</p>
    <p className="answer">{answer}</p>
  </section>
);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A snapshot for each update, and commands by `send`. */
const ByUseActor = () => {
  const [snapshot, send] = useActor(clerk.logic, { input: 'begin' });
  return (
    <>
      <Shown
        state={`${textOf(snapshot.value)}${snapshot.hasTag('paused') ? ' paused' : ''}`}
        answer={snapshot.output?.output}
      />
      <button disabled={!snapshot.can({ type: 'pause' })} onClick={() => send({ type: 'pause' })}>
        pause
      </button>
      <button disabled={!snapshot.can({ type: 'resume' })} onClick={() => send({ type: 'resume' })}>
        resume
      </button>
    </>
  );
};

/** The component that has the actor is not rendered again; the one that selects is, when what it selects changes. */
const ByUseActorRef = () => {
  const actor = useActorRef(clerk.logic, { input: 'begin' }, () => {
    counts.seen += 1;
  });
  const [said, say] = useState('');
  useEffect(() => {
    // What it listens to is set once, at the end.
    const subscription = eventsOf(actor).subscribe((event) => {
      if (event.type === 'run.ended') say(event.type);
    });
    return () => {
      subscription.unsubscribe();
    };
  }, [actor]);
  counts.renders += 1;
  return (
    <>
      <Selected actor={actor} />
      <p className="said">{said}</p>
    </>
  );
};

type ClerkRef = ActorRefFrom<typeof clerk.logic>;

const Selected = ({ actor }: { readonly actor: ClerkRef }) => {
  const state = useSelector(actor, (snapshot) => textOf(snapshot.value));
  const answer = useSelector(actor, (snapshot) => snapshot.output?.output);
  return <Shown state={state} answer={answer} />;
};

/** Objects that are selected are compared by what is in them. */
const ByShallowEqual = () => {
  const actor = useActorRef(clerk.logic, { input: 'begin' });
  const { state, step } = useSelector(
    actor,
    ({ value, context }) => ({ state: textOf(value), step: context.step }),
    shallowEqual,
  );
  counts.renders += 1;
  return <Shown state={state} answer={`step ${step}`} />;
};

const Clerk = createActorContext(clerk.logic);

const InContext = () => {
  const actor = Clerk.useActorRef();
  const state = Clerk.useSelector((snapshot) => textOf(snapshot.value));
  const answer = Clerk.useSelector((snapshot) => snapshot.output?.output);
  return (
    <>
      <Shown state={state} answer={answer} />
      <button onClick={() => actor.send({ type: 'abort', reason: 'enough' })}>abort</button>
    </>
  );
};

const ByContext = () => (
  <Clerk.Provider options={{ input: 'begin' }}>
    <InContext />
  </Clerk.Provider>
);

const desk = setup({
  types: { context: {} as { answer: string }, children: {} as { clerk: 'clerk' } },
  actors: { clerk: clerk.logic },
}).createMachine({
  context: { answer: '' },
  initial: 'idle',
  states: {
    idle: { on: { ASK: 'asking' } },
    asking: {
      invoke: {
        id: 'clerk',
        src: 'clerk',
        input: 'begin',
        onDone: {
          target: 'answered',
          actions: assign({ answer: ({ event }) => event.output.output ?? event.output.status }),
        },
      },
      on: { LEAVE: 'idle' },
    },
    answered: {},
  },
});

/** An app's machine that invokes the agent; the logic is given anew with each render, as an inline option is. */
const ByUseMachine = () => {
  const [snapshot, send] = useMachine(
    desk.provide({ actors: { clerk: clerk.logicWith({ context: { tenant: 'acme' } }) } }),
  );
  const child = snapshot.children['clerk'];
  return (
    <>
      <Shown state={textOf(snapshot.value)} answer={snapshot.context.answer} />
      {child !== undefined && <Child actor={child} />}
      <button onClick={() => send({ type: 'ASK' })}>ask</button>
      <button onClick={() => send({ type: 'LEAVE' })}>leave</button>
    </>
  );
};

const Child = ({ actor }: { readonly actor: ClerkRef }) => {
  const state = useSelector(actor, (snapshot) => textOf(snapshot.value));
  return <p className="child">{state}</p>;
};

const pages: Readonly<Record<string, () => ReactNode>> = {
  useActor: ByUseActor,
  useActorRef: ByUseActorRef,
  shallowEqual: ByShallowEqual,
  createActorContext: ByContext,
  useMachine: ByUseMachine,
};

const root = createRoot(document.getElementById('app') ?? document.body);
Object.assign(globalThis, {
  probe: {
    counts,
    open: () => {
      open();
      gate = new Promise((resolve) => (open = resolve));
    },
    mount: (name: string) => {
      const Page = pages[name] ?? (() => null);
      root.render(
        <StrictMode>
          <Page />
        </StrictMode>,
      );
    },
  },
});
