import { describe, expect, test } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { handoffTool } from '../../src/tools/built-in/delegation/handoff.ts';
import { ofType, start } from '../support/runs.ts';

const giving = (to: string, message?: string) =>
  calls({ name: 'handoff', input: { to, ...(message === undefined ? {} : { message }) } });

const member = (name: string, others: readonly string[], ...script: readonly ScriptedReply[]) => {
  const model = scriptedModel(script, name);
  const tools = [handoffTool(Object.fromEntries(others.map((other) => [other, ''])))];
  return { model, agent: agent({ name, model, tools }) };
};

const engagedIn = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'member.engaged').map(({ member: name }) => name);

describe('[QITOS-92] a handoff within a team', () => {
  test('in a pipeline: another stage does the work of the one who hands over, and the line goes on', async () => {
    const first = member('first', ['second'], giving('second', 'it is all Greek to me'));
    const second = member('second', ['first'], 'translated', 'polished');
    const line = pipeline({ name: 'line', stages: [first.agent, second.agent] });
    const result = await start(line, 'Translate.').result;
    expect(result).toMatchObject({ status: 'completed', output: 'polished' });
    expect(engagedIn(result.events)).toEqual(['first', 'second', 'second']);
    expect(second.model.requests[0]?.messages.at(-1)?.text).toBe(
      'Translate.\n\n(Handed over by first: it is all Greek to me)',
    );
    expect(second.model.requests[1]?.messages.at(-1)?.text).toBe('translated');
    expect(result.totals.modelCalls).toBe(3);
  });

  test('among workers: the supervisor hears from who did it; the others are not disturbed', async () => {
    const plan = {
      assignments: [
        { worker: 'ada', task: 'sum' },
        { worker: 'bob', task: 'draw' },
      ],
      answer: null,
    };
    const ada = member('ada', ['bob'], giving('bob'));
    const bob = member('bob', ['ada'], 'did it', 'did it');
    const supervisor = scriptedModel([
      JSON.stringify(plan),
      JSON.stringify({ assignments: [], answer: 'all done' }),
    ]);
    const desk = supervisorWorker({
      name: 'desk',
      supervisor: { model: supervisor },
      workers: { ada: ada.agent, bob: bob.agent },
    });
    const result = await start(desk, 'go').result;
    expect(result.output).toBe('all done');
    expect(supervisor.requests[1]?.messages.at(-1)?.text).toContain(
      '[bob] sum\n\n(Handed over by ada)\ndid it',
    );
  });

  test('back to somebody who had it is refused: the reply stands as it is', async () => {
    const first = member('first', ['second'], giving('second'));
    const second = member('second', ['first'], giving('first', 'your turn'));
    const line = pipeline({ name: 'line', stages: [first.agent, second.agent] });
    const result = await start(line, 'go').result;
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'handedOff', to: 'first', message: 'your turn' },
    });
    expect(engagedIn(result.events)).toEqual(['first', 'second']);
  });

  test('to somebody who is not of the team ends the part as it did before', async () => {
    const first = member('first', ['nobody'], giving('nobody'));
    const line = pipeline({ name: 'line', stages: [first.agent] });
    expect((await start(line, 'go').result).stopReason).toEqual({
      kind: 'handedOff',
      to: 'nobody',
    });
  });

  test('goes on ten times at most', async () => {
    const names = Array.from({ length: 13 }, (_, index) => `m${index}`);
    const members = names.map((name, index) => member(name, ['x', `m${index + 1}`], giving(`m${index + 1}`)));
    const [head, ...rest] = members.map((each) => each.agent);
    if (head === undefined) throw new Error('there is nobody');
    const end = agent({ name: 'end', model: scriptedModel([]) });
    const line = pipeline({ name: 'line', stages: [head, ...rest, end] });
    const result = await start(line, 'go').result;
    expect(engagedIn(result.events)).toEqual(names.slice(0, 11));
    expect(result.stopReason).toMatchObject({ kind: 'handedOff', to: 'm11' });
  });
});
