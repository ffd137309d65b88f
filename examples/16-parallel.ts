// In parallel: one member over a list, several on one question until enough have answered, and a race for the first.
//
//   npx tsx examples/16-parallel.ts
//
// When not to use it: one task that must be split first (supervisorWorker), or whose parts depend on each other (pipeline).
// Its chart: docs/diagrams/parallel.mmd, and docs/diagrams/race.mmd
import assert from 'node:assert/strict';
import { agent, answer } from 'troupe';
import { parallel, race } from 'troupe/patterns';

// 1. One member, and every item of a list. The replies are in the order of the items.
const counter = agent({
  name: 'counter',
  description: 'Counts words.',
  decide: ({ input }) => {
    const text = typeof input === 'string' ? input.trim() : '';
    if (text === '') throw new Error('there is nothing to count');
    return answer(String(text.split(/\s+/).length));
  },
});
const pages = parallel({
  name: 'pages',
  each: counter,
  concurrency: 2, // at the same time
  aggregator: (replies) => ({
    words: replies.reduce(
      (sum, { status, output }) => (status === 'completed' ? sum + Number(output) : sum),
      0,
    ),
    unread: replies.filter(({ status }) => status !== 'completed').length,
  }),
});
const { output: counted } = await pages.run(['The moon pulls the sea.', '', 'Twice a day.']);
console.log('1.', counted); // a page that failed is reported, and takes nothing from the others
assert.deepEqual(counted, { words: 8, unread: 1 });

// 2. Several members, one question. Two answers are enough: the third member is cancelled, and its reply says so.
const says = (name: string, text: string) =>
  agent({ name, description: `Reads the ${name}.`, decide: () => answer(text) });
const never = agent({
  name: 'satellite',
  description: 'Out of sight at the moment.',
  decide: ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('cancelled'));
      });
    }),
});
const sensors = parallel({
  name: 'sensors',
  members: { buoy: says('buoy', '18 °C'), harbour: says('harbour', '19 °C'), satellite: never },
  quorum: 2,
});
const { output: measured } = await sensors.run('How warm is the sea?');
for (const { member, status, output } of measured ?? []) console.log('2.', member, status, output ?? '');
assert.deepEqual(
  measured?.map(({ status }) => status),
  ['completed', 'completed', 'aborted'],
);

// 3. A race: the first good answer. The next runner starts only if one is slow or bad, so most runs cost one call.
const guess = race({
  name: 'guess',
  members: {
    small: says('small', 'I do not know.'),
    large: says('large', 'Lima.'),
    largest: says('largest', 'Lima, Peru.'),
  },
  hedgeAfterMs: 5_000,
  accept: (said) => !said.startsWith('I do not know'),
});
const { output: capital, state } = await guess.run('What is the capital of Peru?');
console.log('3.', capital, state);
assert.equal(capital, 'Lima.');
assert.equal(state.winner, 'large');
assert.deepEqual(
  state.losers.map(({ member }) => member),
  ['small'],
);
