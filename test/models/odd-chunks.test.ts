import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAnswer } from '../../src/actors/deciding/check-answer.ts';
import { toJson } from '../../src/base/json/json.ts';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { ask } from '../support/ask-model.ts';
import { event } from '../support/mock-provider.ts';
import { modelFor, streamFetch } from '../support/provider-streams.ts';
import { sized } from '../support/thorough.ts';

/** Anything that may stand in a place where something else belongs. */
const odd = fc.oneof(
  fc.constantFrom(null, '', 'null', 'stop', 0, -1, 1e21, true, [], {}, [null], '[DONE]', 'data: [DONE]\n\n'),
  fc.json({ maxDepth: 2 }).map((text): unknown => JSON.parse(text)),
);

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: odd });

const part = fc.record(
  {
    type: maybe(fc.constantFrom('text', 'thinking', 'reference')),
    text: maybe(fc.string()),
    thinking: maybe(fc.array(fc.record({ type: fc.constant('text'), text: fc.string() }), { maxLength: 2 })),
  },
  { requiredKeys: [] },
);

const call = fc.record(
  {
    index: maybe(fc.nat(2)),
    id: maybe(fc.constantFrom('a', 'b', '')),
    function: maybe(
      fc.record({ name: maybe(fc.constant('weather')), arguments: maybe(fc.json()) }, { requiredKeys: [] }),
    ),
    extra_content: odd,
  },
  { requiredKeys: [] },
);

const delta = fc.record(
  {
    role: maybe(fc.constant('assistant')),
    content: maybe(fc.oneof(fc.string(), fc.array(maybe(part), { maxLength: 3 }))),
    reasoning: maybe(fc.string()),
    reasoning_details: maybe(fc.array(maybe(part), { maxLength: 3 })),
    refusal: maybe(fc.constant(null)),
    tool_calls: maybe(fc.array(maybe(call), { maxLength: 3 })),
    anything: odd,
  },
  { requiredKeys: [] },
);

const chunk = fc.record(
  {
    id: maybe(fc.constant('c1')),
    choices: maybe(
      fc.array(
        maybe(
          fc.record(
            {
              index: maybe(fc.constant(0)),
              delta: maybe(delta),
              finish_reason: maybe(fc.constantFrom(null, 'stop', 'tool_calls', 'length', 'banana')),
              usage: odd,
            },
            { requiredKeys: [] },
          ),
        ),
        { maxLength: 2 },
      ),
    ),
    usage: maybe(fc.record({ prompt_tokens: odd, completion_tokens: odd })),
    error: fc.constantFrom(undefined, undefined, undefined, 'x', { message: 'x' }),
  },
  { requiredKeys: [] },
);

const isPlainAnswer = (found: unknown): boolean => {
  if (found instanceof Error) return false;
  const answer = checkAnswer(found as ModelAnswer, 'm');
  return isDeepStrictEqual(JSON.parse(JSON.stringify(answer)), JSON.parse(JSON.stringify(toJson(answer))));
};

test('[FIND-20] [FIND-21] [FIND-28] whatever stands in the chunks of a stream, it is an answer or a typed error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(maybe(chunk), { maxLength: 5 }), fc.boolean(), async (chunks, isDone) => {
      const pieces = chunks.map((each) => event({ ...Object(each) } as object));
      const fetch = streamFetch([...pieces, ...(isDone ? ['data: [DONE]\n\n'] : [])]);
      const found: unknown = await ask(modelFor('openai-chat', { fetch })).answer.catch(
        (error: unknown) => error,
      );
      // A typed error is one, and of an answer everything is fit for a context.
      const isFit = isTroupeError(found) ? found.code.startsWith('model.') : isPlainAnswer(found);
      expect(isFit, found instanceof Error ? found.stack : JSON.stringify(found)).toBe(true);
    }),
    { numRuns: sized(100, 300) },
  );
});

test('[FIND-30] whatever stands in a body that does not stream, it is an answer or a typed error', async () => {
  await fc.assert(
    fc.asyncProperty(maybe(chunk), async (body) => {
      const headers = { 'content-type': 'application/json' };
      const fetch: typeof globalThis.fetch = () =>
        Promise.resolve(new Response(JSON.stringify(body) ?? 'null', { headers }));
      for (const kind of ['openai-chat', 'openai-responses', 'anthropic'] as const) {
        const found: unknown = await ask(modelFor(kind, { fetch })).answer.catch((error: unknown) => error);
        const isFit = isTroupeError(found) || isPlainAnswer(found);
        expect(isFit, found instanceof Error ? found.stack : JSON.stringify(found)).toBe(true);
      }
    }),
    { numRuns: sized(70, 200) },
  );
});
