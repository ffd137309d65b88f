import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { textCalls } from '../../src/actors/strategies/text-calls.ts';
import { fallback } from '../../src/actors/strategies/fallback.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { jsonParser } from '../../src/models/parsers/json-parser.ts';
import { reactParser } from '../../src/models/parsers/react-parser.ts';
import { withTextTools } from '../../src/models/parsers/with-text-tools.ts';
import { xmlParser } from '../../src/models/parsers/xml-parser.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { echo, phasesOf, settled, start } from '../support/runs.ts';
import { strategic } from './strategic.ts';

const wanted = [{ name: 'echo', input: { text: 'a' } }];

describe.each([
  { parser: reactParser, final: 'Final Answer: done' },
  { parser: jsonParser, final: '{"answer": "done"}' },
  { parser: xmlParser, final: '<answer>done</answer>' },
])('a model taught $parser.name', ({ parser, final }) => {
  test('[QITOS-16] makes the run that a model with calls of its own makes', async () => {
    const native = scriptedModel([calls(...wanted), 'done']);
    const text = scriptedModel([parser.write(wanted), final]);
    const runs = await Promise.all(
      [native, withTextTools(text, parser)].map((model) =>
        agent({ name: 'a', model, tools: [echo] }).run('go'),
      ),
    );
    const [first, second] = runs.map(({ events, output, records }) => ({
      phases: phasesOf(events),
      output,
      results: records.map(({ results }) => results.map(({ text: said, callId }) => [callId, said])),
    }));
    expect(second).toEqual(first);
  });

  test('is told of tools in words, of results in its own format, and of nothing that it does not know', async () => {
    const model = scriptedModel([parser.write(wanted), final]);
    await agent({
      name: 'a',
      instructions: 'Be brief.',
      model: withTextTools(model, parser),
      tools: [echo],
    }).run('go');
    const [one, two] = model.requests;
    expect(one?.tools).toEqual([]);
    expect(one?.instructions.startsWith('Be brief.\n\nTools:\n- echo: ')).toBe(true);
    expect(two?.instructions).toBe(one?.instructions);
    expect(two?.messages.slice(1)).toEqual([
      { role: 'assistant', text: parser.write(wanted) },
      { role: 'user', text: parser.result('echo', 'a', false) },
    ]);
  });

  test('gives a structured answer, mended where it has to be', async () => {
    const answer = parser === jsonParser ? `{"answer": {"mark": 3,}}` : final.replace('done', '{mark: 3,}');
    const model = scriptedModel([answer]);
    const grader = agent({
      name: 'a',
      model: withTextTools(model, parser),
      output: z.object({ mark: z.number() }),
    });
    expect((await grader.run('go')).output).toEqual({ mark: 3 });
    expect(model.requests[0]?.output).toBeUndefined();
    expect(model.requests[0]?.instructions).toContain('"mark"');
  });
});

describe('a reply that cannot be read', () => {
  const lost = 'Thought: I wonder.';

  test('[QITOS-11] is told to the model, which may mend it', async () => {
    const model = scriptedModel([lost, 'Final Answer: done']);
    const { output, records } = await strategic(textCalls('react'), model, { tools: [echo] }).run('go');
    expect(output).toBe('done');
    expect(records).toHaveLength(2);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      from: 'runtime',
      text: expect.stringContaining('there is neither an Action nor a Final Answer'),
    });
  });

  test('three times in a row fails the run, whatever came before', async () => {
    const model = scriptedModel([lost, reactParser.write(wanted), lost, lost, lost]);
    const { error } = await settled(start(strategic(textCalls('react'), model, { tools: [echo] }), 'go'));
    expect(error).toMatchObject({
      code: 'model.malformed',
      message: expect.stringContaining('3 times in a row'),
    });
    model.assertConsumed();
  });

  test('a call that was cut off is answered and never executed', async () => {
    const model = scriptedModel([
      { text: 'Action: echo\nAction Input: {"text": "delete every', finish: 'length' },
      'Final Answer: done',
    ]);
    const { records } = await strategic(textCalls('react'), model, { tools: [echo] }).run('go');
    expect(records[0]?.results).toMatchObject([{ ok: false, kind: 'validation' }]);
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('Observation: echo failed: ');
  });

  test('[KAIZEN-22] falls back to the next format, and every error is kept', async () => {
    const model = scriptedModel(['{"a": 1}', reactParser.write(wanted), '{"b": 2}', lost]);
    const both = fallback(textCalls('json', { patience: 1 }), textCalls('react', { patience: 1 }));
    const { error, records } = await settled(start(strategic(both, model, { tools: [echo] }), 'go'));
    expect(records[0]?.results).toMatchObject([{ ok: true, text: 'a' }]);
    expect(error).toMatchObject({
      code: 'model.malformed',
      details: {
        errors: [
          { message: expect.stringContaining('neither "calls" nor "answer"') },
          { message: expect.stringContaining('neither an Action nor a Final Answer') },
        ],
      },
    });
  });

  test("trouble that passes by itself is the runtime's to wait for, no reason to fall back", async () => {
    const busy = new TroupeError('model.rate-limited', 'Cannot answer now', {
      retryable: 'yes',
      retryAfterMs: 0,
    });
    const model = scriptedModel([busy, 'Final Answer: done']);
    const both = fallback(textCalls('react'), textCalls('xml'));
    expect((await strategic(both, model).run('go')).output).toBe('done');
    expect(model.requests[1]?.instructions).toBe(model.requests[0]?.instructions);
  });
});
