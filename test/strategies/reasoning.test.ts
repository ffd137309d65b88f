import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chainOfThought } from '../../src/actors/strategies/chain-of-thought.ts';
import { parseReasoning, parseRouting } from '../../src/actors/strategies/reasoning.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { echo } from '../support/runs.ts';
import { strategic } from './strategic.ts';

const lines = `Situation: it rains
Options:
- stay
- go, with an umbrella
Decision: stay
Confidence: 0.8`;

const read = {
  parsed: true,
  situation: 'it rains',
  options: ['stay', 'go, with an umbrella'],
  decision: 'stay',
  confidence: 0.8,
};

describe('reasoning', () => {
  test.each([
    ['labelled lines', lines],
    ['bold labels', lines.replaceAll(/^(\w+):/gm, '**$1:**')],
    [
      'numbers for bullets and a percentage',
      lines.replace('- stay', '1. stay').replace('- go', '2) go').replace('0.8', '80%'),
    ],
    ['JSON', JSON.stringify({ ...read, parsed: undefined })],
    [
      'JSON in a fence',
      `So:\n\`\`\`json\n${JSON.stringify({ ...read, parsed: undefined }, null, 2)}\n\`\`\``,
    ],
  ])('[TENEX-26] is read from %s', (_, raw) => {
    expect(parseReasoning(raw)).toEqual({ ...read, raw });
  });

  test.each([
    ['', 'nothing'],
    ['I think it is fine.', 'words'],
    [lines.replace('Confidence: 0.8', ''), 'a part that is missing'],
    [lines.replace('0.8', '7'), 'a confidence past 1'],
    [lines.replace('0.8', 'high'), 'a confidence in words'],
    ['{"situation": "it ra', 'JSON that is cut off'],
  ])('[TENEX-26] %j is kept raw, as %s', (raw) => {
    expect(parseReasoning(raw)).toEqual({ parsed: false, raw });
  });

  test('[TENEX-26] a router has parts of its own', () => {
    const raw =
      'Analysis: a bug\nAgents: coder, tester\nMatch: coder\nPhase: execute\nDecision: route to coder';
    expect(parseRouting(raw)).toEqual({
      parsed: true,
      analysis: 'a bug',
      agents: ['coder', 'tester'],
      match: 'coder',
      phase: 'execute',
      decision: 'route to coder',
      raw,
    });
    expect(parseRouting(lines)).toEqual({ parsed: false, raw: lines });
  });

  test('never throws, whatever was thought', () => {
    const pieces = fc.constantFrom(
      'Situation:',
      'Options:',
      '\n',
      '- ',
      '1.',
      'Decision:',
      'Confidence:',
      '{',
      '"',
      '0.5',
      '%',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((found) => found.join(' ')),
        ),
        (raw) => {
          expect(parseReasoning(raw).raw).toBe(raw);
        },
      ),
    );
  });
});

describe('a chain of thought', () => {
  test('[KAIZEN-21] reasons first, without tools, and then acts with the reasoning in view', async () => {
    const model = scriptedModel([lines, calls({ name: 'echo', input: { text: 'a' } }), 'done']);
    const { output, records } = await strategic(chainOfThought(), model, { tools: [echo] }).run('go');
    expect(output).toBe('done');
    expect(records.map(({ decision }) => decision?.kind)).toEqual([undefined, 'act', 'answer']);
    const [first, second, third] = model.requests;
    expect(first?.toolChoice).toBe('none');
    expect(first?.messages.at(-1)?.text).toContain('Confidence: from 0 to 1');
    expect(second?.messages.slice(1).map(({ role, text }) => [role, text])).toEqual([
      ['assistant', lines],
      ['user', 'Now act on your decision, or give the answer.'],
    ]);
    expect(third?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'a' });
  });

  test('what a critic says is reasoned about anew', async () => {
    const model = scriptedModel([lines, 'first', lines, 'second']);
    const critics = [
      {
        name: 'once',
        critique: ({ rejections }: { rejections: number }) =>
          rejections === 0
            ? ({ verdict: 'revise', note: 'think again' } as const)
            : ({ verdict: 'accept' } as const),
      },
    ];
    const { output } = await strategic(chainOfThought(), model, { critics }).run('go');
    expect(output).toBe('second');
    expect(model.requests[2]?.messages.at(-1)?.text).toContain('Before you do anything, think.');
  });
});
