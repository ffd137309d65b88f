import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json/json.ts';
import { decisionOf, insightsIn } from '../../src/patterns/state/board-reading.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { blackboard } from '../../src/patterns/index.ts';
import type { BlackboardSetup } from '../../src/patterns/blackboard.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, ofType, phasesOf, settled, start } from '../support/runs.ts';
import { turnsOf } from './turns.ts';

/** An agent, and what it was asked. */
const asked = (name: string, ...script: readonly ScriptedReply[]) => {
  const model = scriptedModel(script, name);
  const questions = (): readonly string[] => model.requests.map(({ messages }) => messages[0]?.text ?? '');
  return { agent: agent({ name, failures: { retry: { attempts: 1 } }, model }), questions };
};

const says = (name: string, ...script: readonly ScriptedReply[]) => asked(name, ...script).agent;

const found = (content: string, importance: number, ...tags: readonly string[]) => ({
  content,
  importance,
  tags: [...tags],
});

const list = (...insights: readonly object[]): string => JSON.stringify({ insights });

const dead = new Error('dead');

const desk = (given: Omit<BlackboardSetup, 'name'>, clock = virtualClock(1_000)) =>
  letTimePass(clock, settled(start(blackboard({ name: 'desk', ...given }), 'Why?', { clock })), 1_000);

test('[KAIZEN-44] the controller says who is next until the board is complete, and each reads what the others wrote', async () => {
  const sea = asked('sea', list(found('whales sing', 0.4, 'sound'), found('they dive', 0.8)));
  const sky = asked('sky', 'Birds sing, too.');
  const boss = asked(
    'boss',
    'sea: what about whales?',
    '```json\n{"complete": false, "next": "Sky"}\n```',
    'complete: all sing',
  );
  const result = await desk({ specialists: { sea: sea.agent, sky: sky.agent }, controller: boss.agent });
  expect(result).toMatchObject({
    status: 'completed',
    output: {
      converged: true,
      rounds: 2,
      answer: 'all sing',
      insights: [
        { agent: 'sea', content: 'they dive', importance: 0.8 },
        { agent: 'sky', content: 'Birds sing, too.', importance: 0.5, segment: 'finding', at: 1_000 },
        { agent: 'sea', content: 'whales sing', importance: 0.4, tags: ['sound'] },
      ],
    },
    state: { missing: [], gone: 0 },
  });
  expect(turnsOf(result, 'desk')).toEqual(['controller', 'sea', 'controller', 'sky', 'controller']);
  expect(phasesOf(result.events, 'desk')).toEqual([
    'reading',
    'choosing',
    'contributing',
    'noting',
    'reading',
    'choosing',
    'contributing',
    'noting',
    'reading',
    'choosing',
    'completed',
  ]);
  expect(sea.questions()[0]).toContain('Find out: what about whales?');
  expect(sea.questions()[0]).toContain('nothing on the board');
  expect(sky.questions()[0]).toContain('they dive');
  expect(sky.questions()[0]).not.toContain('Find out');
  expect(boss.questions()[2]).toContain('3 insights by sea, sky');
  expect(ofType(result.events, 'insight.shared').map(({ member, content }) => [member, content])).toEqual([
    ['sea', 'whales sing'],
    ['sea', 'they dive'],
    ['sky', 'Birds sing, too.'],
  ]);
});

test('[KAIZEN-44] after so many rounds it ends with the board, and a flag', async () => {
  const boss = asked('boss', ...Array.from({ length: 9 }, () => 'sea'));
  const sea = says('sea', ...Array.from({ length: 9 }, (_, index) => `fact ${index}`));
  const result = await desk({ specialists: { sea }, controller: boss.agent });
  expect(result).toMatchObject({
    status: 'stopped',
    stopReason: { kind: 'maxRounds', limit: 5 },
    candidate: { converged: false, rounds: 5, answer: null },
  });
  expect(turnsOf(result, 'desk').filter((name) => name === 'sea')).toHaveLength(5);
  expect(boss.questions().at(-1)).toContain('Nobody may be consulted any more');
  expect(boss.questions()).toHaveLength(6);
  expect((result.candidate as { insights: unknown[] }).insights).toHaveLength(5);
});

test('[KAIZEN-44] after the last iteration it can still be complete', async () => {
  const controller = says('boss', 'sea', 'done');
  const result = await desk({ specialists: { sea: says('sea', 'a') }, controller, maxRounds: 1 });
  expect(result).toMatchObject({ status: 'completed', output: { converged: true, rounds: 1 } });
});

test.each([
  ['it fails', [dead], 'failed: '],
  ['it decides nothing twice', ['hm', 'the moon'], 'decided nothing: the moon'],
] as const)(
  '[KAIZEN-44] without a controller it stops, and the board is left: %s',
  async (_, said, detail) => {
    const controller = says('boss', 'sea', ...said);
    const result = await desk({ specialists: { sea: says('sea', 'a') }, controller });
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'controller', detail: expect.stringContaining(detail) },
      candidate: { converged: false, insights: [{ content: 'a' }] },
    });
  },
);

test('[KAIZEN-44] a controller that names somebody who is not there is told so, once', async () => {
  const boss = asked('boss', 'moon', 'sea', 'done');
  const result = await desk({ specialists: { sea: says('sea', 'a') }, controller: boss.agent });
  expect(result.status).toBe('completed');
  expect(boss.questions().map((question) => question.includes('that there is not'))).toEqual([
    false,
    true,
    false,
  ]);
});

test('a specialist that fails or says nothing adds nothing, and the controller is told', async () => {
  const boss = asked('boss', 'sea', 'sky', 'sky', 'done');
  const specialists = { sea: says('sea', dead), sky: says('sky', list(), 'b') };
  const result = await desk({ specialists, controller: boss.agent });
  expect(result).toMatchObject({
    status: 'completed',
    output: { insights: [{ content: 'b' }] },
    state: { missing: [{ member: 'sea' }, { member: 'sky', reason: 'it said nothing' }] },
  });
  expect(boss.questions()[1]).toContain('sea was consulted for nothing');
});

test('of nothing at all nothing is complete, but for an answer', async () => {
  const specialists = { sea: says('sea', dead) };
  const nothing = await desk({ specialists, controller: says('boss', 'sea', 'done') });
  expect(nothing).toMatchObject({ status: 'stopped', stopReason: { kind: 'rule', rule: 'insights' } });
  const known = await desk({ specialists, controller: says('boss', 'complete: I know it') });
  expect(known).toMatchObject({ status: 'completed', output: { answer: 'I know it', insights: [] } });
});

test('[KAIZEN-49] who reads what of the board is filtered, the controller as well', async () => {
  const sea = asked('sea', list(found('a secret', 0.9, 'own'), found('a trifle', 0.1, 'open')), 'more');
  const sky = asked('sky', 'blue');
  const boss = asked('boss', 'sea', 'sky', 'sea', 'done');
  await desk({
    specialists: {
      sea: { agent: sea.agent, reads: { notBy: 'sea' } },
      sky: { agent: sky.agent, reads: { tags: ['open'], tagMode: 'all' } },
    },
    controller: boss.agent,
    reads: { minImportance: 0.5, limit: 1 },
  });
  expect(sky.questions()[0]).toContain('a trifle');
  expect(sky.questions()[0]).not.toContain('a secret');
  expect(sea.questions()[1]).toContain('blue');
  expect(sea.questions()[1]).not.toMatch(/a secret|a trifle/);
  expect(boss.questions()[2]).toContain('1 of 3 insights');
  expect(boss.questions()[2]).toContain('a secret');
  expect(boss.questions()[2]).not.toMatch(/a trifle|blue/);
});

test('[KAIZEN-50] one too many, and the least important goes', async () => {
  const sea = says('sea', list(found('great', 0.9), found('small', 0.1), found('fair', 0.5)), 'as fair');
  const result = await desk({
    specialists: { sea },
    controller: says('boss', 'sea', 'sea', 'done'),
    size: 2,
  });
  expect(result).toMatchObject({
    output: { insights: [{ content: 'great' }, { content: 'as fair' }] },
    state: { gone: 2 },
  });
});

test('[KAIZEN-50] past its time an insight is on the board no more', async () => {
  const clock = virtualClock(1_000);
  const slow: ScriptedReply = () =>
    new Promise((resolve) => {
      clock.setTimeout(() => {
        resolve('sky');
      }, 60_000);
    });
  const sky = asked('sky', 'new');
  const result = await desk(
    {
      specialists: { sea: says('sea', list(found('old', 1))), sky: sky.agent },
      controller: says('boss', 'sea', slow, 'done'),
      maxAgeMs: 50_000,
    },
    clock,
  );
  expect(sky.questions()[0]).toContain('nothing on the board');
  expect(result).toMatchObject({ output: { insights: [{ content: 'new' }] }, state: { gone: 1 } });
});

test('[D11] two runs of one team know nothing of each other’s board', async () => {
  const sea = agent({ name: 'sea', model: scriptedModel(['vote: yes', 'vote: no'], 'sea') });
  const controller = says('boss', 'sea', 'done', 'sea', 'done');
  const team = blackboard({ name: 'desk', specialists: { sea }, controller });
  const contents: unknown[] = [];
  for (const runId of ['one', 'two']) {
    const clock = virtualClock(1_000);
    const result = await letTimePass(clock, settled(start(team, 'Why?', { clock, runId })));
    contents.push(result.output?.insights.map(({ content }) => content));
  }
  expect(contents).toEqual([['vote: yes'], ['vote: no']]);
});

test('what is said to the team meanwhile is said to the controller', async () => {
  const boss = asked('boss', 'sea', 'done');
  const clock = virtualClock(1_000);
  const team = blackboard({ name: 'desk', specialists: { sea: says('sea', 'a') }, controller: boss.agent });
  const handle = start(team, 'Why?', { clock });
  handle.send('hurry');
  await letTimePass(clock, settled(handle));
  expect(boss.questions().join('\n')).toContain('hurry');
});

describe('[KAIZEN-44] a decision is read leniently', () => {
  test.each<[Json, object | undefined]>([
    [
      { complete: true, next: 'sea', answer: ' 42 ' },
      { complete: true, answer: '42' },
    ],
    [
      { complete: false, next: 'sea', task: 'dive' },
      { complete: false, next: 'sea', task: 'dive' },
    ],
    ['Well: {"complete": "true"}', { complete: true, answer: null }],
    ['**Sea**', { complete: false, next: 'sea', task: null }],
    ['sea.', { complete: false, next: 'sea', task: null }],
    ['done', { complete: true, answer: null }],
    [
      { complete: false, next: 'up_high' },
      { complete: false, next: 'up_high', task: null },
    ],
    ['`up_high`', { complete: false, next: 'up_high', task: null }],
    // Two names that are alike have to be written as they are.
    ['ICE', undefined],
    [{ next: 'Ice' }, { complete: false, next: 'Ice', task: null }],
    ['sea is not what I want', undefined],
    ['', undefined],
    [{ complete: false }, undefined],
    [7, undefined],
    [null, undefined],
  ])('%j', (said, expected) => {
    expect(decisionOf(said, ['sea', 'up_high', 'ice', 'Ice'])).toEqual(expected);
  });

  test('a specialist may be called as the word for the end is', () => {
    expect(decisionOf('done', ['done'])).toEqual({ complete: false, next: 'done', task: null });
  });
});

describe('[KAIZEN-49] what a specialist says is read as insights', () => {
  const read = (said: Json) => insightsIn(said, { agent: 'sea', at: 7 });
  const plain = { agent: 'sea', at: 7, tags: [], importance: 0.5, segment: 'finding' };

  test.each<[Json, readonly object[]]>([
    ['It is wet.', [{ ...plain, content: 'It is wet.' }]],
    [{ depth: 3 }, [{ ...plain, content: '{"depth":3}' }]],
    ['{"vote": 7}', [{ ...plain, content: '{"vote": 7}' }]],
    [
      ['a', { content: 'b', importance: 2 }],
      [
        { ...plain, content: 'a' },
        { ...plain, content: 'b', importance: 1 },
      ],
    ],
    [
      {
        insights: [
          { content: 'c', tags: ['x', 1], segment: 'depths', importance: '0.7', metadata: { source: 's' } },
        ],
      },
      [
        {
          ...plain,
          content: 'c',
          tags: ['x'],
          segment: 'depths',
          importance: 0.7,
          metadata: { source: 's' },
        },
      ],
    ],
    [[1, 2], [{ ...plain, content: '[1,2]' }]],
    [{ insights: [] }, []],
    ['  ', []],
    [null, []],
  ])('%j', (said, expected) => {
    expect(read(said)).toEqual(expected);
  });
});

describe('what cannot be meant is refused where it is defined', () => {
  const controller = { model: scriptedModel([]) };
  const specialists = { sea: says('sea') };

  test.each<[string, Partial<BlackboardSetup>, string]>([
    ['nobody', { specialists: {} }, 'needs specialists'],
    ['a second controller', { specialists: { controller: says('sea') } }, "called 'controller'"],
    ['no iteration', { maxRounds: 0 }, 'maxRounds'],
    ['no room', { size: 0 }, 'size'],
    ['no time', { maxAgeMs: 0 }, 'maxAgeMs'],
    ['nothing to read', { reads: { limit: 0 } }, 'reads.limit'],
    ['an age of nothing', { reads: { maxAgeMs: 0 } }, 'reads.maxAgeMs'],
    ['too important', { reads: { minImportance: 2 } }, 'reads.minImportance'],
    ['no number', { reads: { minImportance: Number.NaN } }, 'reads.minImportance'],
    ['a mode', { reads: { tagMode: 'some' as never } }, 'reads.tagMode'],
    ['a stranger', { specialists: { sea: { agent: says('sea'), reads: { notBy: 'sky' } } } }, 'reads.notBy'],
    ['no agent', { specialists: { sea: 7 as never } }, "'sea' was not made by agent()"],
    ['nothing', { specialists: { sea: null as never } }, "'sea' was not made by agent()"],
  ])('%s', (_, given, message) => {
    expect(() => blackboard({ name: 'desk', specialists, controller, ...given })).toThrow(
      expect.objectContaining({ code: 'team.invalid', message: expect.stringContaining(message) }),
    );
  });

  test('what is left out of what is read filters nothing', async () => {
    const reads = { limit: undefined, tags: undefined, minImportance: undefined, maxAgeMs: undefined };
    const team = blackboard({
      name: 'desk',
      specialists: { sea: { agent: says('sea', 'a'), reads } },
      controller: says('boss', 'sea', 'done'),
      reads,
    });
    expect(await team.run('Why?')).toMatchObject({ output: { insights: [{ content: 'a' }] } });
  });
});
