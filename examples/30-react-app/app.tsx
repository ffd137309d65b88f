/** The app: an agent as an actor of a component. Its phases, its calls and its answer are seen as they happen. */
import { useActor } from '@xstate/react';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { agent, eventsOf, modelAnswer, tool } from 'troupe';
import type { LiveEvent, Model } from 'troupe';
import { z } from 'zod';

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

// Stands in for a model behind an address of your own, which keeps the key.
const model: Model = {
  provider: 'app',
  id: 'stand-in',
  isLanguageModel: false,
  answer: async ({ messages }) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const sum = [...messages].findLast(({ role }) => role === 'tool')?.text;
    if (sum !== undefined) return modelAnswer({ text: `It is ${sum}.` });
    return modelAnswer({ calls: [{ id: 'c', name: 'add', input: { a: 19, b: 23 } }] });
  },
};

const mathematician = agent({ name: 'mathematician', tools: [add], model });

const PHASES = ['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CHECK_STOP'];

const Question = ({ text }: { readonly text: string }) => {
  const [snapshot, , actor] = useActor(mathematician.logic, { input: text });
  const [events, setEvents] = useState<readonly LiveEvent[]>([]);
  useEffect(() => {
    // From the first event on, however late this is subscribed; under StrictMode it is twice.
    setEvents([]);
    const subscription = eventsOf(actor).subscribe((event) => {
      setEvents((before) => [...before, event]);
    });
    return () => {
      subscription.unsubscribe();
    };
  }, [actor]);
  const phase = events.flatMap((event) => (event.type === 'phase.entered' ? event.phase : [])).at(-1);
  return (
    <main>
      <h1>{text}</h1>
      <ol className="phases">
        {PHASES.map((name) => (
          <li key={name} className={name === phase ? 'active' : ''}>
            {name}
          </li>
        ))}
      </ol>
      <ul className="calls">
        {events.map((event) =>
          event.type === 'tool.finished' ? (
            <li key={event.callId}>
              {event.tool}: {event.text}
            </li>
          ) : null,
        )}
      </ul>
      <p className="answer">{snapshot.status === 'done' ? snapshot.output.output : 'Thinking …'}</p>
    </main>
  );
};

const place = document.getElementById('app');
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <Question text="What is 19 + 23?" />
    </StrictMode>,
  );
