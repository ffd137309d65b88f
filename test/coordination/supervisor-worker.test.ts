import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { never, ofType, quiet, settled, start } from '../support/runs.ts';

type Member = Agent<string, string>;

const plan = (
  assignments: readonly (readonly [worker: string, task: string])[],
  answer: string | null = null,
): string => JSON.stringify({ assignments: assignments.map(([worker, task]) => ({ worker, task })), answer });

describe('who does what is the supervisor’s to say, however many', () => {
  const desk = (script: readonly ScriptedReply[], options: object = {}) => {
    const supervisor = scriptedModel(script);
    const peak = { now: 0, most: 0 };
    const worker = (name: string): Member =>
      agent({
        name,
        description: `Knows ${name}.`,
        decide: async ({ input }) => {
          peak.now += 1;
          peak.most = Math.max(peak.most, peak.now);
          await quiet();
          peak.now -= 1;
          return { kind: 'answer', answer: `${name} did ${JSON.stringify(input)}` };
        },
      });
    const workers = { ann: worker('ann'), bob: worker('bob') };
    return {
      supervisor,
      peak,
      team: supervisorWorker({ name: 'desk', supervisor: { model: supervisor }, workers, ...options }),
    };
  };
  const numbered = (count: number) =>
    plan(Array.from({ length: count }, (_, index) => [index % 2 === 0 ? 'ann' : 'bob', `task ${index}`]));

  test('an answer at once: no worker is engaged', async () => {
    const { team } = desk([plan([], 'I know that')]);
    const result = await settled(start(team, 'go'));
    expect(result.output).toBe('I know that');
    expect(ofType(result.events, 'team.planned')).toEqual([]);
  });

  test('nothing assigned and no answer: it stops and says so', async () => {
    const { team } = desk([plan([])]);
    expect(await settled(start(team, 'go'))).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'assignments' },
    });
  });

  test('work for workers only that there are not: it stops and names them', async () => {
    const { team } = desk([
      plan([['zed', 'this']]),
      plan([
        ['zed', 'this'],
        ['zed', 'that'],
      ]),
    ]);
    const { status, stopReason } = await settled(start(team, 'go'));
    expect(status).toBe('stopped');
    expect(stopReason).toMatchObject({
      detail: 'the supervisor assigned only to unknown workers: zed',
    });
  });

  test.each([1, 2, 7])(
    '%i assignments: every one is done once, at most so many at a time, replies in order',
    async (count) => {
      const { supervisor, team, peak } = desk([numbered(count), plan([], 'done')], { concurrency: 3 });
      const result = await settled(start(team, 'go'));
      expect(result.output).toBe('done');
      expect(peak.most).toBe(Math.min(count, 3));
      expect(ofType(result.events, 'team.planned').map(({ assignments }) => assignments.length)).toEqual([
        count,
      ]);
      const told = supervisor.requests[1]?.messages[0]?.text ?? '';
      const order = [...told.matchAll(/did "task (\d+)"/g)].map(([, index]) => Number(index));
      expect(order).toEqual(Array.from({ length: count }, (_, index) => index));
    },
  );

  test('the supervisor is told who there is, and what they are good for', async () => {
    const { supervisor, team } = desk([plan([], 'x')]);
    await settled(start(team, 'How do tides work?'));
    const text = supervisor.requests[0]?.messages[0]?.text;
    expect(text).toContain('Request: How do tides work?');
    expect(text).toContain('- ann: Knows ann.');
  });

  test('an unknown worker is pointed out once, with the names that there are', async () => {
    const { supervisor, team } = desk([plan([['nobody', 'x']]), numbered(1), plan([], 'done')]);
    const result = await settled(start(team, 'go'));
    expect(result.output).toBe('done');
    expect(supervisor.requests[1]?.messages[0]?.text).toContain(
      "no worker called 'nobody'. The workers are: ann, bob.",
    );
  });

  test('one that is named again is a lost reply; the others do their part', async () => {
    const mixed = plan([
      ['nobody', 'x'],
      ['ann', 'task 1'],
    ]);
    const { supervisor, team } = desk([mixed, mixed, plan([], 'done')]);
    expect((await settled(start(team, 'go'))).output).toBe('done');
    const text = supervisor.requests[2]?.messages[0]?.text;
    expect(text).toContain("(failed: there is no worker 'nobody')");
    expect(text).not.toMatch(/ $/m);
    expect(text).toContain('ann did');
  });

  test('a plan that is too long is cut, and the supervisor is told', async () => {
    const { supervisor, team } = desk([numbered(5), plan([], 'done')], { maxAssignments: 3 });
    const result = await settled(start(team, 'go'));
    expect(
      ofType(result.events, 'member.engaged').filter(({ path }) => !path.startsWith('desk/supervisor-')),
    ).toHaveLength(3);
    expect(supervisor.requests[1]?.messages[0]?.text).toContain('Only the first 3 of 5 assignments');
  });

  test('a message to the team is put to the supervisor with its next question', async () => {
    const { supervisor, team } = desk([numbered(1), plan([], 'done')]);
    const handle = start(team, 'go');
    await quiet();
    handle.send('and be brief');
    await settled(handle);
    expect(supervisor.requests[1]?.messages[0]?.text).toContain('Message from person: and be brief');
  });

  test('past its rounds it asks once more, for the answer', async () => {
    const { supervisor, team } = desk([numbered(1), plan([], 'in the end')], { maxRounds: 1 });
    expect((await settled(start(team, 'go'))).output).toBe('in the end');
    expect(supervisor.requests[1]?.messages[0]?.text).toContain('There are no more rounds');
  });

  describe('$name', () => {
    test('once its budget has stopped a worker, nobody starts any more, and who is at work is stopped', async () => {
      const team = supervisorWorker({
        name: 'desk',
        supervisor: { model: scriptedModel([numbered(5)]) },
        workers: {
          ann: agent({ name: 'ann', decide: () => answer('seen') }),
          bob: agent({ name: 'bob', decide: () => never() }),
        },
        result: 'replies',
        concurrency: 2,
        limits: { budget: { steps: 3 } },
      });
      const result = await settled(start(team, 'go'));
      expect(result.stopReason).toMatchObject({ kind: 'budget', path: 'desk' });
      expect(result.candidate).toMatchObject([
        { member: 'ann', status: 'completed' },
        { member: 'bob', status: 'stopped', error: "budget: 'desk' has used 3 of its 3 steps" },
        { member: 'ann', status: 'stopped', error: "budget: 'desk' has used 3 of its 3 steps" },
        { member: 'bob', task: 'task 3', status: 'stopped', error: 'it was never begun' },
        { member: 'ann', task: 'task 4', status: 'stopped', error: 'it was never begun' },
      ]);
    });

    test('a worker’s own budget is its own affair: it is a reply like any other', async () => {
      const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => '' });
      const decide = () => act({ name: 'look', input: {} });
      const ann = agent({ name: 'ann', tools: [look], decide, limits: { budget: { steps: 2 } } });
      const team = supervisorWorker({
        name: 'desk',
        supervisor: { model: scriptedModel([plan([['ann', 'x']]), plan([], 'done')]) },
        workers: { ann },
        limits: { budget: { steps: 50 } },
      });
      expect((await settled(start(team, 'go'))).output).toBe('done');
    });
  });

  test('a supervisor that fails is the end of the team, with its error', async () => {
    const { team } = desk([new Error('dead')]);
    await expect(team.run('go')).rejects.toMatchObject({ code: 'model.failed', path: 'desk/supervisor-1' });
  });
});
