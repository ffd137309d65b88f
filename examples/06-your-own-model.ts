// A model is one method. Here is a custom one that streams, as a fallback for one that is always down.
//
//   npx tsx examples/06-your-own-model.ts
import assert from 'node:assert/strict';
import { agent, ofType, text$, TroupeError } from 'troupe';
import { modelAnswer, type Model } from 'troupe/models';

// It makes one attempt and reports truthfully: retries, waits, time-outs and fallback are the runtime's.
const parrot: Model = {
  provider: 'example',
  id: 'parrot',
  isLanguageModel: false, // said in the first event of the run
  async answer({ messages }, { delta, signal }) {
    const words = `You said: ${messages.at(-1)?.text}`.match(/\S+\s*/g) ?? [];
    for (const text of words) {
      await Promise.resolve(); // a real one waits for its server here, and gives its fetch this signal
      signal.throwIfAborted();
      delta({ type: 'text', text });
    }
    return modelAnswer({ text: words.join(''), usage: { input: 5, output: words.length } });
  },
};

// The code says what went wrong, `retryable` whether the same model is retried: pass `{ retryable: 'yes' }` as third argument to retry
// `model.unavailable`. Without it the next model is asked.
const outOfMoney: Model = {
  provider: 'example',
  id: 'out-of-money',
  answer: () => {
    throw new TroupeError('model.quota', 'Cannot answer as the account is empty: 0 euros');
  },
};

// A list is a chain of fallbacks.
const echo = agent({ name: 'echo', model: [outOfMoney, parrot] });

const handle = echo.stream('hello there');
const shown: string[] = [];
text$(handle.events$).subscribe(({ text }) => shown.push(text));
handle.events$.pipe(ofType('model.fell-back')).subscribe(({ from, to, error }) => {
  console.log(`fell back: ${from} → ${to} (${error.code})`);
});
const { output, totals } = await handle.result;
console.log('streamed: ', shown);
console.log('answer:   ', output);

assert.equal(output, 'You said: hello there');
assert.deepEqual(shown.slice(0, 2), ['You ', 'You said: ']);
assert.equal(totals.outputTokens, 4);
