import { expect, test } from 'vitest';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { reactParser } from '../../src/models/parsers/react-parser.ts';
import { withTextTools } from '../../src/models/parsers/with-text-tools.ts';
import { withThinking } from '../../src/models/thinking/with-thinking.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { echo, ofType, settled, start } from '../support/runs.ts';

/** Streams a text in pieces of so many characters. */
const streaming = (text: string, size: number): Model => ({
  provider: 'test',
  id: 'streaming',
  answer: async (_, call) => {
    for (let at = 0; at < text.length; at += size) {
      await Promise.resolve();
      call.delta({ type: 'text', text: text.slice(at, at + size) });
    }
    return modelAnswer({ text });
  },
});

test.each([1, 3, 7, 1_000])(
  '[TENEX-25] thoughts streamed in pieces of %i are told apart from the answer as they come',
  async (size) => {
    const said = '<thinking>first <think>deep</think> then</thinking>Yes, <think>hm</think>indeed.';
    const one = agent({ name: 'a', model: withThinking(streaming(said, size)) });
    const handle = start(one, 'go');
    const streamed = { text: '', reasoning: '' };
    handle.events$.subscribe((event) => {
      if (event.type === 'model.delta' && event.delta.type !== 'progress' && 'text' in event.delta)
        streamed[event.delta.type === 'text' ? 'text' : 'reasoning'] += event.delta.text;
    });
    const { output, events } = await settled(handle);
    expect(output).toBe('Yes, indeed.');
    expect(ofType(events, 'model.answered')).toMatchObject([
      { text: 'Yes, indeed.', reasoning: 'first deep then\n\nhm' },
    ]);
    expect(streamed).toEqual({ text: 'Yes, indeed.', reasoning: 'first deep thenhm' });
  },
);

test('[TENEX-Q06] a thought that is cut off is no answer: the model is asked again', async () => {
  const model = scriptedModel(['<thinking>I wonder whether', '<thinking>so</thinking>Yes.']);
  const { output } = await settled(start(agent({ name: 'a', model: withThinking(model) }), 'go'));
  expect(output).toBe('Yes.');
  expect(model.requests).toHaveLength(2);
});

test('calls in words may be thought about first', async () => {
  const model = scriptedModel([
    '<think>Action: nothing[b]</think>Action: echo[a]',
    '<think>enough</think>Final Answer: done',
  ]);
  const clerk = agent({ name: 'a', model: withTextTools(withThinking(model), reactParser), tools: [echo] });
  const { output, records } = await settled(start(clerk, 'go'));
  expect(output).toBe('done');
  expect(records[0]?.results).toMatchObject([{ ok: true, text: 'a' }]);
});
