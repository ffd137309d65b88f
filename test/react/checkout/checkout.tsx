// A checkout whose machine invokes an agent, and goes on with it when its page is loaded again in the midst of the payment.
import { useMachine, useSelector } from '@xstate/react';
import { StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { agent, tool } from 'troupe';
import { modelAnswer } from 'troupe/models';
import type { ActorRefFrom, Snapshot } from 'xstate';
import { assign, setup } from 'xstate';
import { z } from 'zod';

let open: () => void = () => undefined;
const gate = new Promise<void>((resolve) => (open = resolve));

/** The bank is elsewhere, and knows each payment by its key. */
const read = (name: string): string[] => JSON.parse(localStorage.getItem(name) ?? '[]') as string[];
const note = (name: string, line: string): void => {
  localStorage.setItem(name, JSON.stringify([...read(name), line]));
};

const charge = tool({
  name: 'charge',
  description: 'Charges a card.',
  input: z.object({ amount: z.number() }),
  idempotent: true,
  describe: ({ amount }) => `Charging $${amount}`,
  execute: async ({ amount }, { key }) => {
    note('asked', key);
    if (!read('charged').includes(key)) note('charged', key);
    await gate;
    return `$${amount} charged`;
  },
});

const cashier = agent({
  name: 'cashier',
  tools: [charge],
  model: {
    provider: 'test',
    id: 'cashier',
    isLanguageModel: false,
    answer: ({ messages }) => {
      note('thought', String(messages.length));
      const last = messages.at(-1);
      return last?.role === 'tool'
        ? modelAnswer({ text: `Thank you: ${last.text}.` })
        : modelAnswer({ calls: [{ id: 'c', name: 'charge', input: { amount: 42 } }] });
    },
  },
});

const checkout = setup({
  types: { context: {} as { receipt: string }, children: {} as { cashier: 'cashier' } },
  actors: { cashier: cashier.logic },
}).createMachine({
  context: { receipt: '' },
  initial: 'cart',
  states: {
    cart: { on: { PAY: 'paying' } },
    paying: {
      invoke: {
        id: 'cashier',
        src: 'cashier',
        input: 'Charge the cart.',
        onDone: {
          target: 'paid',
          actions: assign({ receipt: ({ event }) => event.output.output ?? event.output.status }),
        },
      },
    },
    paid: {},
  },
});

const kept = localStorage.getItem('checkout');
const snapshot = kept === null ? undefined : (JSON.parse(kept) as Snapshot<unknown>);

/** Saves a checkout after each change, its agent's too: a page that crashes, or that a phone discards, says no goodbye. */
const saveEachChange = (actor: ActorRefFrom<typeof checkout>): (() => void) => {
  let isDue = false;
  const save = (): void => {
    isDue = false;
    localStorage.setItem('checkout', JSON.stringify(actor.getPersistedSnapshot()));
  };
  const following = actor.system.inspect(({ type }) => {
    if (type !== '@xstate.snapshot' || isDue) return;
    isDue = true;
    queueMicrotask(save);
  });
  return () => {
    following.unsubscribe();
  };
};

const Checkout = () => {
  const [state, send, actor] = useMachine(checkout, snapshot === undefined ? {} : { snapshot });
  useEffect(() => saveEachChange(actor), [actor]);
  const child = state.children['cashier'];
  return (
    <main style={{ font: '16px system-ui', margin: '3rem auto', maxWidth: '24rem' }}>
      <h1>Checkout</h1>
      <p className="state">{state.value}</p>
      {child !== undefined && <Cashier actor={child} />}
      <p className="receipt">{state.context.receipt}</p>
      {state.matches('cart') && <button onClick={() => send({ type: 'PAY' })}>Pay $42</button>}
    </main>
  );
};

const Cashier = ({ actor }: { readonly actor: ActorRefFrom<typeof cashier.logic> }) => (
  <p className="cashier">{useSelector(actor, ({ value }) => JSON.stringify(value))}</p>
);

createRoot(document.getElementById('app') ?? document.body).render(
  <StrictMode>
    <Checkout />
  </StrictMode>,
);
Object.assign(globalThis, { probe: { open, read } });
