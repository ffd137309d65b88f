// Steps with side effects, each with a compensation: when one fails, the steps before it are undone in reverse order.
//
//   npx tsx examples/23-saga.ts
//
// When not to use it: steps that only read (a pipeline is simpler), or all or nothing: that is a transaction.
// Its chart: docs/diagrams/saga.mmd
import assert from 'node:assert/strict';
import { agent, answer, TroupeError } from 'troupe';
import { saga } from 'troupe/patterns';

const booked = new Set<string>();
const books = (what: string) =>
  agent({
    name: `book-${what}`,
    decide: () => {
      booked.add(what);
      return answer(`${what} booked`);
    },
  });
// It gets the step, its output and the reason, as JSON. It may be repeated after a crash, which does no harm here.
const cancels = (what: string) =>
  agent({
    name: `cancel-${what}`,
    decide: ({ input }) => {
      console.log('cancelling:', input);
      booked.delete(what);
      return answer(`${what} cancelled`);
    },
  });
const soldOut = agent({
  name: 'book-car',
  decide: () => {
    throw new TroupeError('tool.failed', 'Cannot book a car as all are out: 0 left');
  },
});

const trip = saga({
  name: 'trip',
  steps: {
    flight: { does: books('flight'), undoes: cancels('flight') },
    insurance: { does: books('insurance') }, // nothing undoes it: it is kept, and said to be
    hotel: { does: books('hotel'), undoes: cancels('hotel') },
    car: { does: soldOut },
  },
});

// It ends like the failed step. A run that fails rejects, with its result on the error.
type Ended = Awaited<ReturnType<typeof trip.run>>;
const { status, error, state } = await trip
  .run('Lima, in May')
  .catch((thrown: { readonly result: Ended }) => thrown.result);
console.log(`${status}: ${error?.message}`);
for (const { step, fate } of state.steps) console.log(`${step}: ${fate}`);

assert.deepEqual(
  state.steps.map(({ step, fate }) => `${step} ${fate}`),
  ['flight undone', 'insurance kept', 'hotel undone'],
);
assert.deepEqual([...booked], ['insurance']);
