import { describe, expect, it } from 'vitest';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import { ask, streamed } from '../support/ask-model.ts';
import { describeWithFixtures } from '../support/fixtures.ts';
import { mockProvider } from '../support/mock-provider.ts';
import { modelFor, recordedStreams, wireEvents } from '../support/provider-streams.ts';
import { genuineModel, specificationVersions } from './ai-sdk-models.ts';

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

/**
 * Streams that the package itself does not read, of which it leaves out the reasoning (`@ai-sdk/openai` knows no `reasoning_content`), or
 * of which it counts the compaction's tokens, which our own adapter does not.
 */
const READ_OTHERWISE =
  /anthropic-compaction|alibaba-reasoning|deepseek-reasoning|xai-text|github-copilot-id|openai-reasoning-enc|xai-web-search/;

/** What is younger than the package of version 2: calls by a program, a search for tools. */
const AFTER_V2 = /anthropic-programmatic|anthropic-tool-search/;

describeWithFixtures('recorded streams, read by genuine packages of the AI SDK', 'provider-streams', () => {
  const whole = recordedStreams().filter(
    ({ verdict, file }) => verdict === 'ok' && !READ_OTHERWISE.test(file),
  );

  describe.each(specificationVersions)('of version %s', (version) => {
    const readable = whole.filter(({ file }) => version !== 'v2' || !AFTER_V2.test(file));
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
