import { expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import { bestFit, fitOf } from '../../src/patterns/state/best-fit.ts';
import { saidJson } from '../../src/coordination/round/said-json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import type { SupervisorWorkerSetup } from '../../src/patterns/supervisor-worker.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { ofType, phasesOf, settled, start } from '../support/runs.ts';
import { turnsOf } from './turns.ts';

const plan = (
  assignments: readonly (readonly [worker: string | null, task: string])[],
  said: string | null = null,
): string =>
  JSON.stringify({ assignments: assignments.map(([worker, task]) => ({ worker, task })), answer: said });

const verdict = (accepted: boolean, reason = 'so'): string => JSON.stringify({ accepted, reason });

const does = (name: string, ...script: readonly ScriptedReply[]) =>
  agent({ name, description: `It is ${name}.`, model: scriptedModel(script, name) });

const dead = (name: string) => does(name, ...Array.from({ length: 9 }, () => new Error(`${name} is dead`)));

type Given = Omit<SupervisorWorkerSetup<'replies'>, 'name' | 'supervisor' | 'result'>;

const replies = (given: Given, ...script: readonly ScriptedReply[]) =>
  settled(
    start(
      supervisorWorker({
        name: 'desk',
        supervisor: { model: scriptedModel(script) },
        result: 'replies',
        ...given,
      }),
      'Build a shed.',
    ),
  );

test('[KAIZEN-38] rejected work is redone by whoever did it, with the reason, and all tasks are accounted for', async () => {
  const ann = scriptedModel(['a draft', 'a shed']);
  const result = await replies(
    {
      workers: { ann: agent({ name: 'ann', model: ann }), bob: does('bob', 'a door'), carl: dead('carl') },
      reviewer: { model: scriptedModel([verdict(false, 'no roof'), verdict(true), verdict(true, 'dry')]) },
      concurrency: 1,
    },
    plan([
      ['ann', 'shed'],
      ['bob', 'door'],
      ['carl', 'paint'],
    ]),
  );
  expect(turnsOf(result, 'desk').filter((name) => name !== 'supervisor')).toEqual([
    'ann',
    'bob',
    'carl',
    'reviewer',
    'reviewer',
    'ann',
    'reviewer',
  ]);
  expect(phasesOf(result.events, 'desk')).toEqual([
    'planning',
    'judging',
    'working',
    'collecting',
    'reviewing',
    'collecting',
    'reassigning',
    'working',
    'collecting',
    'reviewing',
    'collecting',
    'completed',
  ]);
  expect(ann.requests[1]?.messages.at(-1)?.text).toBe(
    'shed\n\nYour work was sent back: no roof\nIt was: a draft',
  );
  expect(result.output).toEqual([
    {
      member: 'ann',
      task: 'shed',
      status: 'completed',
      output: 'a shed',
      error: null,
      redone: 1,
      review: { accepted: true, reason: 'dry' },
    },
    {
      member: 'bob',
      task: 'door',
      status: 'completed',
      output: 'a door',
      error: null,
      review: { accepted: true, reason: 'so' },
    },
    expect.objectContaining({ member: 'carl', task: 'paint', status: 'failed' }),
  ]);
  expect(ofType(result.events, 'work.reviewed').map(({ member, accepted }) => [member, accepted])).toEqual([
    ['ann', false],
    ['bob', true],
    ['ann', true],
  ]);
});

test('work that is sent back again and again is kept in the end, and marked; the supervisor is told', async () => {
  const supervisor = scriptedModel([plan([['ann', 'shed']]), plan([], 'enough')]);
  const team = supervisorWorker({
    name: 'desk',
    supervisor: { model: supervisor },
    workers: { ann: does('ann', '1', '2', '3') },
    reviewer: { model: scriptedModel([verdict(false), verdict(false), verdict(false, 'still no roof')]) },
    maxRejections: 2,
  });
  const result = await settled(start(team, 'go'));
  expect(result.output).toBe('enough');
  expect(turnsOf(result, 'desk').filter((name) => name === 'ann')).toHaveLength(3);
  expect(supervisor.requests[1]?.messages.at(-1)?.text).toContain(
    '[ann] shed\n(not accepted: still no roof) 3',
  );
});

test('a reviewer that fails, or is not understood, rejects nothing, and the work says that nobody looked at it', async () => {
  const result = await replies(
    {
      workers: { ann: does('ann', 'a shed', 'a door') },
      reviewer: agent({ name: 'carl', model: scriptedModel([new Error('ill'), 'I like it']) }),
      concurrency: 1,
    },
    plan([
      ['ann', 'shed'],
      ['ann', 'door'],
    ]),
  );
  expect(result.output).toMatchObject([
    { status: 'completed', review: { accepted: null } },
    { status: 'completed', review: { accepted: null, reason: 'the review is not to be understood' } },
  ]);
  expect(ofType(result.events, 'work.reviewed')).toMatchObject([{ accepted: null }, { accepted: null }]);
});

test('the supervisor may be the reviewer: asked apart, with the same instructions and model', async () => {
  const supervisor = scriptedModel([plan([['ann', 'shed']]), verdict(true, 'good')]);
  const team = supervisorWorker({
    name: 'desk',
    supervisor: { model: supervisor, instructions: 'Be strict.' },
    workers: { ann: does('ann', 'a shed') },
    reviewer: 'supervisor',
    result: 'replies',
  });
  const result = await settled(start(team, 'go'));
  expect(result.output).toMatchObject([{ review: { accepted: true, reason: 'good' } }]);
  expect(supervisor.requests.map(({ instructions }) => instructions)).toEqual(['Be strict.', 'Be strict.']);
  expect(supervisor.requests[1]?.messages[0]?.text).toContain('Task: shed\n\nDone by ann: a shed');
});

test('[KAIZEN-39] what one fails at is reassigned to another, never to one who failed at it, and so often at most', async () => {
  const result = await replies(
    {
      workers: { ann: dead('ann'), bob: dead('bob'), carl: does('carl', 'done'), dora: does('dora', 'x') },
      maxAttempts: 3,
    },
    plan([['bob', 'paint']]),
  );
  expect(turnsOf(result, 'desk')).toEqual(['supervisor', 'bob', 'ann', 'carl']);
  expect(result.output).toMatchObject([
    { member: 'carl', task: 'paint', status: 'completed', output: 'done', before: ['bob', 'ann'] },
  ]);
  expect(ofType(result.events, 'work.reassigned').map(({ from, to }) => [from, to])).toEqual([
    ['bob', 'ann'],
    ['ann', 'carl'],
  ]);
  const once = await replies(
    { workers: { ann: dead('ann'), bob: dead('bob'), carl: does('carl') }, maxAttempts: 2 },
    plan([['bob', 'paint']]),
  );
  expect(once.output).toMatchObject([{ member: 'ann', status: 'failed', before: ['bob'] }]);
});

test('[KAIZEN-39] the twenty-first delegation of a run is refused, and everybody can see it', async () => {
  const tasks = (count: number) => plan(Array.from({ length: count }, (_, index) => ['ann', `t${index}`]));
  const supervisor = scriptedModel([tasks(12), tasks(9), tasks(1), plan([], 'never')]);
  const team = supervisorWorker({
    name: 'desk',
    supervisor: { model: supervisor },
    workers: { ann: agent({ name: 'ann', decide: () => answer('ok') }) },
    maxRounds: 9,
  });
  const result = await settled(start(team, 'go'));
  expect(turnsOf(result, 'desk').filter((name) => name === 'ann')).toHaveLength(20);
  expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'rule', rule: 'delegations' } });
  expect(result.candidate).toHaveLength(22);
  expect(ofType(result.events, 'work.refused').map(({ task }) => task)).toEqual(['t8', 't0']);
  expect(supervisor.requests[2]?.messages.at(-1)?.text).toContain('1 more were refused');
});

test('delegations that are spent are no reason not to answer; what is done again counts as well', async () => {
  const supervisor = scriptedModel([
    plan([['ann', 'shed']]),
    plan([['bob', 'door']]),
    plan([], 'from what there is'),
  ]);
  const team = supervisorWorker({
    name: 'desk',
    supervisor: { model: supervisor },
    workers: { ann: dead('ann'), bob: dead('bob'), carl: does('carl', 'x') },
    maxAttempts: 6,
    maxDelegations: 2,
  });
  const result = await settled(start(team, 'go'));
  expect(result.output).toBe('from what there is');
  expect(turnsOf(result, 'desk')).toEqual(['supervisor', 'ann', 'bob', 'supervisor', 'supervisor']);
  expect(ofType(result.events, 'work.refused')).toMatchObject([
    { member: 'carl', task: 'shed' },
    { member: 'bob', task: 'door' },
  ]);
});

test('[KAIZEN-40] a task for which nobody is named goes to whoever can do it; of equals to the one with the least to do', async () => {
  const names = ['ann', 'bob', 'carl'];
  const result = await replies(
    {
      workers: Object.fromEntries(
        names.map((name) => {
          const worker = agent({ name, decide: () => answer(name) });
          return [name, name === 'carl' ? { agent: worker, skills: ['contracts', 'law'] } : worker];
        }),
      ),
    },
    plan([
      [null, 'Check the contract.'],
      [null, 'Paint the door.'],
      ['', 'Paint the roof.'],
      [null, 'Paint the floor.'],
    ]),
  );
  expect(result.output).toMatchObject(
    ['carl', 'ann', 'bob', 'ann'].map((member) => ({ member, status: 'completed' })),
  );
});

test('[KAIZEN-40] a fit is the words that a task and a card share, those of skills more', () => {
  const ann = { name: 'ann', description: 'Writes poems about ships.', skills: [] };
  const bob = { name: 'bob', description: 'Helps.', skills: ['writing poems'] };
  expect(fitOf('A poem, please', ann)).toBe(1);
  expect(fitOf('A poem, please', bob)).toBe(3);
  expect(fitOf('the and of', bob)).toBe(0);
  expect(bestFit('A poem', [ann, bob])).toBe('bob');
  expect(bestFit('A ship', [bob, ann], { ann: 9 })).toBe('ann');
  expect(bestFit('?', [ann, bob], { ann: 1 })).toBe('bob');
  expect(bestFit('?', [])).toBeUndefined();
});

test.each([
  ['{"a":1}', { a: 1 }],
  ['Sure:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
  ['I say {"a":1}.', { a: 1 }],
  ['These: [1,2]', [1, 2]],
  ['plain', 'plain'],
  ['42', 42],
])('what is said in %j is %j', (text, said) => {
  expect(saidJson(text)).toEqual(said);
  expect(saidJson({ b: 2 })).toEqual({ b: 2 });
});

test.each([
  [{ workers: { reviewer: dead('reviewer') } }, 'reviewer'],
  [{ workers: { ann: dead('ann') }, maxAttempts: 0 }, 'maxAttempts'],
  [{ workers: { ann: dead('ann') }, maxRejections: -1 }, 'maxRejections'],
  [{ workers: { ann: dead('ann') }, maxDelegations: 0 }, 'maxDelegations'],
])('what cannot be meant is refused where it is defined: %#', (given, found) => {
  expect(() => supervisorWorker({ name: 'desk', supervisor: {}, ...given })).toThrow(
    expect.objectContaining({ code: 'team.invalid', message: expect.stringContaining(found) }),
  );
});
