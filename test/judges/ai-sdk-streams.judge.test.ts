import { describe, expect, it } from 'vitest';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import { ask, streamed } from '../support/ask-model.ts';
import { describeWithFixtures } from '../support/fixtures.ts';
import { mockProvider } from '../support/mock-provider.ts';
import { modelFor, recordedStreams, wireEvents } from '../support/provider-streams.ts';
import { genuineModel, readableBy, specificationVersions } from './ai-sdk-models.ts';

const summary = ({ text, reasoning, calls, finish, usage }: ModelAnswer): object => ({
  text,
  reasoning,
  calls: calls.map(({ name, input, problem }) => ({ name, input, problem })),
  finish,
  // Their packages count what was not counted as 0, and keep xAI's price to themselves where OpenAI's reads it.
  usage: {
    ...usage,
    cached: usage.cached || undefined,
    reasoning: usage.reasoning || undefined,
    billedUsd: undefined,
  },
});

describeWithFixtures('recorded streams, read by genuine packages of the AI SDK', 'provider-streams', () => {
  const whole = recordedStreams().filter(({ verdict }) => verdict === 'ok');

  describe.each(specificationVersions)('of version %s', (version) => {
    const readable = whole.filter(readableBy(version));
    it.each(readable)('$file comes to the same answer as with the adapter of our own', async (recorded) => {
      const pieces = [wireEvents(recorded).join('')];
      await using provider = await mockProvider({ pieces }, { pieces });
      const own = await ask(modelFor(recorded.kind, provider)).answer;
      const genuine = genuineModel(recorded, provider.url, version);
      expect(genuine.specificationVersion).toBe(version);
      const { answer, deltas } = ask(aiSdk(genuine));
      expect(summary(await answer)).toEqual(summary(own));
      expect(streamed(deltas, 'text')).toBe(own.text);
      expect(provider.requests).toHaveLength(2);
    });
  });
});
