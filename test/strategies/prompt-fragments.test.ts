import { describe, expect, test } from 'vitest';
import {
  composePrompt,
  composeStep,
  instructionsFragment,
  promptFragments,
  promptOrder,
} from '../../src/actors/deciding/prompt-fragments.ts';
import type { PromptFacts, PromptFragment, StepFacts } from '../../src/contracts/agents/prompt.ts';

const facts: PromptFacts = {
  agent: 'clerk',
  description: 'Does things.',
  tools: [{ name: 'add', description: 'Adds.', parameters: {} }],
  members: [{ name: 'coder', description: 'Codes.' }],
};

const tally = {
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  retries: 0,
  startedAt: 0,
  now: 0,
};
const at = (step: number): StepFacts => ({ ...facts, step, phase: null, state: {}, tally });

const own: PromptFragment = {
  name: 'lessons',
  priority: promptOrder.lessons,
  text: ({ agent }) => `Lessons of ${agent}`,
};
const late: PromptFragment = {
  name: 'hurry',
  priority: 1,
  each: 'step',
  text: ({ step }) => (step > 1 ? `Step ${step}` : undefined),
};

describe('a system prompt', () => {
  test('[TENEX-07] holds instructions, project, agents, tools, then what is added, in that order', () => {
    const shuffled = [
      own,
      promptFragments.tools,
      late,
      promptFragments.agents,
      promptFragments.project('A shop.'),
      instructionsFragment('Be brief.'),
    ];
    expect(composePrompt(shuffled, facts)).toBe(
      'Be brief.\n\n# Project\nA shop.\n\n# Agents\n- coder: Codes.\n\n# Tools\n- add\n\nLessons of clerk',
    );
  });

  test('leaves out what has nothing to say', () => {
    expect(
      composePrompt([promptFragments.agents, promptFragments.tools], { ...facts, tools: [], members: [] }),
    ).toBe('');
    expect(composePrompt([instructionsFragment('  ')], facts)).toBe('');
  });

  test('of one name the later stands, and of one priority the order given', () => {
    const one = (name: string, text: string): PromptFragment => ({ name, priority: 1, text });
    expect(composePrompt([one('a', '1'), one('b', '2'), one('a', '3')], facts)).toBe('2\n\n3');
  });

  test('[TENEX-U10] is the same bytes in every step; what changes is said apart', () => {
    const fragments = [instructionsFragment('Be brief.'), own, late];
    const prompts = [0, 1, 2, 3].map((step) => composePrompt(fragments, at(step)));
    expect(new Set(prompts).size).toBe(1);
    expect([0, 1, 2, 3].map((step) => composeStep(fragments, at(step)))).toEqual([
      '',
      '',
      'Step 2',
      'Step 3',
    ]);
  });

  test('a fragment that throws says which', () => {
    const broken: PromptFragment = {
      name: 'broken',
      priority: 1,
      text: () => {
        throw new Error('no file');
      },
    };
    expect(() => composePrompt([broken], facts)).toThrow(
      "Cannot compose the prompt of 'clerk' as its fragment 'broken' threw: no file",
    );
  });
});
