import { describe, expect, test } from 'vitest';
import { personInTheLoop, reviewOf } from '../../src/actors/strategies/person-in-the-loop.ts';
import { act, answer, handoff, wait } from '../../src/contracts/agents/decision.ts';
import type { TakenDecision } from '../../src/contracts/agents/decision.ts';
import { HistoryView, emptyHistory } from '../../src/base/collections/history.ts';
import type { DecisionDesk } from '../../src/contracts/agents/strategy.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';

const add = act({ name: 'add', input: { a: 1 } });
const keep = { kind: 'keep' };
const replace = (decision: TakenDecision) => ({ kind: 'replace', decision });
const refuse = (reason: string) => ({ kind: 'refuse', reason });

describe('a person in the loop', () => {
  test.each<[reply: string, decision: TakenDecision, review: object]>([
    ['yes', add, keep],
    [' OK. ', answer('x'), keep],
    ['no', add, refuse('a person said no')],
    ['No: too dear', add, refuse('too dear')],
    ['', add, refuse('a person said nothing')],
    ['perhaps', add, refuse('perhaps')],
    ['{"a": 2}', add, replace(act({ name: 'add', input: { a: 2 } }))],
    ['{"kind": "answer", "answer": 3}', add, replace(answer(3))],
    ['{"a": 2}', act({ name: 'add', input: {} }, { name: 'add', input: {} }), refuse('{"a": 2}')],
    ['better words', answer('words'), replace(answer('better words'))],
    ['42', answer('41'), replace(answer('42'))],
    ['{"mark": 2}', answer({ mark: 1 }), replace(answer({ mark: 2 }))],
    ['nobody', handoff('coder'), refuse('nobody')],
  ])('[KAIZEN-22] %j of %j', (reply, decision, review) => {
    expect(reviewOf(reply, decision)).toEqual(review);
  });

  test('[KAIZEN-22] is asked about the kinds of decisions that matter, and about no other', async () => {
    const asked: string[] = [];
    const desk: DecisionDesk = {
      view: {
        input: 'go',
        state: {},
        step: 0,
        transcript: new HistoryView(emptyHistory<Turn>()),
        observation: undefined,
        results: [],
        tally: {
          modelCalls: 0,
          toolCalls: 0,
          inputTokens: 0,
          outputTokens: 0,
          cachedTokens: 0,
          retries: 0,
          startedAt: 0,
          now: 0,
        },
        signal: new AbortController().signal,
      },
      ask: (question) => {
        asked.push(question);
        return Promise.resolve('yes');
      },
    };
    const { review } = personInTheLoop();
    for (const decision of [add, answer('x'), wait('rain')])
      expect(await review?.(decision, desk)).toEqual(keep);
    expect(asked).toEqual([
      'Use add {"a":1}? (yes, no: why, or another input)',
      'Answer "x"? (yes, no: why, or another answer)',
    ]);
    const nobody = { ...desk, ask: () => Promise.reject(new Error('nobody is there')) };
    await expect(review?.(add, nobody)).rejects.toThrow('nobody is there');
  });
});
