import { expect, it } from 'vitest';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import { ask, streamed } from '../support/ask-model.ts';
import { describeWithFixtures } from '../support/fixtures.ts';
import { mockProvider } from '../support/mock-provider.ts';
import { modelFor, recordedStreams, wireEvents } from '../support/provider-streams.ts';
import { genuineModel } from './ai-sdk-models.ts';

const summary = ({ text, reasoning, calls, finish, usage }: ModelAnswer): object => ({
  text,
  reasoning,
  calls: calls.map(({ name, input, problem }) => ({ name, input, problem })),
  finish,
  usage,
});

describeWithFixtures('recorded streams, read by genuine packages of the AI SDK', 'provider-streams', () => {
  const whole = recordedStreams().filter(({ verdict }) => verdict === 'ok');

  it.each(whole)('$file comes to the same answer as with the adapter of our own', async (recorded) => {
    const pieces = [wireEvents(recorded).join('')];
    await using provider = await mockProvider({ pieces }, { pieces });
    const own = await ask(modelFor(recorded.kind, provider)).answer;
    const { answer, deltas } = ask(aiSdk(genuineModel(recorded, provider.url)));
    expect(summary(await answer)).toEqual(summary(own));
    expect(streamed(deltas, 'text')).toBe(own.text);
  });
});
