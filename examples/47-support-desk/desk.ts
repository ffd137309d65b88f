// The desk: a clerk who looks orders up and pays money back, which a colleague has to release.
import { agent, tool } from 'troupe';
import { modelAnswer, type Model } from 'troupe/models';
import { z } from 'zod';

const orders = new Map([
  [17, { item: 'Kettle "Aurora"', euros: 39, deliveredDaysAgo: 5 }],
  [18, { item: 'Toaster "Duo"', euros: 54, deliveredDaysAgo: 3 }],
]);

const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number.',
  safety: 'read',
  input: z.object({ order: z.number() }),
  describe: ({ order }) => `Looking up order ${order}`,
  execute: ({ order }) => orders.get(order) ?? 'There is no such order.',
});

const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  safety: 'danger', // a person has to approve it
  input: z.object({ order: z.number(), euros: z.number().max(100) }),
  describe: ({ order, euros }) => `Refund €${euros} for order ${order}`,
  execute: ({ order, euros }) => `Paid back ${euros} euros for order ${order}.`,
});

const THANKS =
  'Good news: your refund has been released, and the money is on its way. It takes two to three working days until you see it ' +
  'on your account. You do not have to send anything back, the old one may go to the recycling point near you. I am sorry for ' +
  'the trouble, and I hope that the next one keeps you company for many years. Is there anything else that I can do for you?';

/** Says a text word by word, as a model does. */
const say = async (text: string, ms: number, delta: (text: string) => void, signal?: AbortSignal) => {
  for (const word of text.split(/(?<= )/)) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    signal?.throwIfAborted();
    delta(word);
  }
  return text;
};

// Stands in for a model, without a key: it reads the conversation, and says what is next.
const model: Model = {
  provider: 'example',
  id: 'stand-in',
  isLanguageModel: false,
  answer: async ({ messages }, { delta, signal }) => {
    const said = [...messages];
    const asked = said.findLastIndex(({ role }) => role === 'user');
    const results = said.slice(asked).filter(({ role }) => role === 'tool');
    const speak = (text: string, ms = 25) =>
      say(text, ms, (word) => delta({ type: 'text', text: word }), signal);
    const order = Number(/\d+/.exec(said[asked]?.text ?? '')?.[0] ?? Number.NaN);
    const found = orders.get(order);
    if (Number.isNaN(order))
      return modelAnswer({ text: await speak('Which order is it? I need its number.') });
    if (results.length === 0)
      return modelAnswer({
        text: await speak('I am sorry to hear that. Let me look at your order.'),
        calls: [{ id: 'find', name: 'find_order', input: { order } }],
      });
    if (found === undefined) return modelAnswer({ text: await speak(`I find no order ${order}.`) });
    if (results.length === 1)
      return modelAnswer({
        text: await speak(
          `The ${found.item} came ${found.deliveredDaysAgo} days ago, so you get your money back. I ask a colleague to release it.`,
        ),
        calls: [{ id: 'refund', name: 'refund', input: { order, euros: found.euros } }],
      });
    const isPaid = results.at(-1)?.text.startsWith('Paid') === true;
    return modelAnswer({
      text: isPaid
        ? await speak(THANKS, 60)
        : await speak(
            'A colleague looked at it, and could not release the refund. They will call you today.',
          ),
    });
  },
};

export const clerk = agent({
  name: 'clerk',
  instructions: 'Help with orders. Ask for what you do not know.',
  tools: [findOrder, refund],
  model,
});
