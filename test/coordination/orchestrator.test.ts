import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { mayFollow, phaseProblems, workPhases } from '../../src/patterns/state/work-phases.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { orchestrator, pipeline } from '../../src/patterns/index.ts';
import type { OrchestratorSetup } from '../../src/patterns/orchestrator.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { ofType, settled, start } from '../support/runs.ts';

const route = (agents: readonly string[], phase?: string, message?: string): string =>
  JSON.stringify({ agents, phase, reason: 'it is time', message });

/** Says its name; all that it was shown goes into `told`. */
const says = (name: string, told: string[] = []): Agent<string, string> =>
  agent({
    name,
    description: `It is ${name}.`,
    decide: ({ transcript }) => {
      told.push(
        `${name}: ${transcript
          .toArray()
          .map(({ text }) => text)
          .join('\n')}`,
      );
      return { kind: 'answer', answer: `${name} is done` };
    },
  });
const fails = (name: string): Agent<string, string> =>
  agent({
    name,
    decide: () => {
      throw new Error(`${name} is ill`);
    },
  });

describe('[TENEX-69] phases', () => {
  const names = Object.keys(workPhases);
  const allowed = new Set(
    [
      'chat→execute chat→plan chat→brainstorm brainstorm→chat brainstorm→plan brainstorm→execute plan→execute',
      'execute→verification execute→chat verification→chores verification→execute verification→chat chores→reflection reflection→chat',
    ].flatMap((line) => line.split(' ')),
  );

  test.each(names.flatMap((from) => names.map((to) => [from, to] as const)))('%s → %s', (from, to) => {
    expect(mayFollow(workPhases, from, to)).toBe(from === to || allowed.has(`${from}→${to}`));
  });

  test('there are seven, and a map that leads nowhere says so', () => {
    expect(names).toHaveLength(7);
    expect(mayFollow(workPhases, 'chat', 'lunch')).toBe(false);
    expect(mayFollow(workPhases, 'lunch', 'lunch')).toBe(false);
    expect(phaseProblems({ a: ['b'] })).toEqual(["'a' leads to 'b', which is no phase"]);
    expect(phaseProblems({})).toEqual(['it has no phase']);
  });
});

describe('an orchestrator', () => {
  const run = async (
    script: readonly ScriptedReply[],
    members: OrchestratorSetup['members'],
    more: Partial<OrchestratorSetup> = {},
  ) => {
    const model = scriptedModel(script);
    const subject = orchestrator({ name: 'house', members, orchestrator: { model }, ...more });
    return { model, result: await settled(start(subject, 'mend it')) };
  };

  test('[TENEX-64] decides by JSON, in a fence or not; its own words are never the answer, and it alone ends the conversation', async () => {
    const told: string[] = [];
    const { result, model } = await run(
      [`\`\`\`json\n${route(['planner'], 'plan')}\n\`\`\``, route(['executor'], 'execute'), route(['END'])],
      { planner: says('planner', told), executor: says('executor', told) },
    );
    expect(result).toMatchObject({ status: 'completed', output: 'executor is done' });
    expect(told.map((line) => line.split(':')[0])).toEqual(['planner', 'executor']);
    expect(model.requests[0]?.settings?.temperature).toBe(0.3);
    expect(JSON.parse(model.requests[2]?.messages.at(-1)?.text ?? '')).toMatchObject({
      routing_history: [
        { phase: 'plan' },
        {
          phase: 'execute',
          reason: 'it is time',
          completions: [{ agent: 'executor', message: 'executor is done' }],
        },
      ],
    });
  });

  test('[TENEX-65] targets go in order, and one that fails stops nobody else', async () => {
    const { result } = await run([route(['ann', 'bob', 'cid']), route(['END'])], {
      ann: says('ann'),
      bob: fails('bob'),
      cid: says('cid'),
    });
    expect(result.output).toBe('cid is done');
    expect(result.state.turns[0]?.completions.map(({ member: who, status }) => [who, status])).toEqual([
      ['ann', 'completed'],
      ['bob', 'failed'],
      ['cid', 'completed'],
    ]);
  });

  test('[TENEX-66] [TENEX-47] END ends the conversation, and nobody who is named after it is asked', async () => {
    const told: string[] = [];
    const { result } = await run([route(['ann', 'END', 'bob'])], {
      ann: says('ann', told),
      bob: says('bob', told),
    });
    expect(result).toMatchObject({ status: 'completed', output: 'ann is done' });
    expect(told).toHaveLength(1);
  });

  test('ended before anybody has answered, there is nothing to give out', async () => {
    const { result } = await run([route(['END'])], { ann: says('ann') });
    expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'rule', rule: 'orchestrator' } });
  });

  test('[TENEX-67] who names nobody that there is, is told once who there is; then the run fails, and says so', async () => {
    const members = { ann: says('ann') };
    const { model, result } = await run([route(['carl']), route(['ann', 'END'])], members);
    expect(result.output).toBe('ann is done');
    expect(model.requests[1]?.messages.at(-1)?.text).toContain(
      "nobody called 'carl'. The agents are: ann, or END.",
    );
    const twice = await run([route(['carl']), route(['carl'])], members);
    expect(twice.result).toMatchObject({ status: 'failed', error: { code: 'routing.refused' } });
    // One without a schema of its own says what it likes.
    const boss = agent({ name: 'boss', model: scriptedModel([route([]), 'no idea']) });
    const vague = await run([], members, { orchestrator: boss });
    expect(vague.result.error?.message).toContain('That was no decision');
  });

  test('[TENEX-69] a phase that may not follow is refused, told once, and then the end', async () => {
    const members = { ann: says('ann') };
    const { model, result } = await run(
      [route(['ann'], 'reflection'), route(['ann', 'END'], 'plan')],
      members,
    );
    expect(result.state.phase).toBe('plan');
    expect(model.requests[1]?.messages.at(-1)?.text).toContain("'reflection' may not follow 'chat'");
    const twice = await run([route(['ann'], 'chores'), route(['ann'], 'chores')], members);
    expect(twice.result.error?.code).toBe('routing.refused');
  });

  test('[TENEX-70] every decision is on record, a handoff within a phase too, which does not begin the phase anew', async () => {
    const { result } = await run([route(['ann'], 'plan'), route(['bob']), route(['ann', 'END'], 'execute')], {
      ann: says('ann'),
      bob: says('bob'),
    });
    expect(
      result.state.transitions.map(({ from, to, members }) => `${from}→${to} ${members.join()}`),
    ).toEqual(['chat→plan ann', 'plan→plan bob', 'plan→execute ann']);
    expect(result.state.transitions.every(({ at, reason }) => at > 0 && reason === 'it is time')).toBe(true);
    expect(result.state.phaseStartedAt).toBe(result.state.transitions[2]?.at);
  });

  test('[TENEX-71] on the path of quality work may go back to be done again, and how often is counted', async () => {
    const both = { ann: says('ann'), bob: says('bob') };
    const path = ['execute', 'verification', 'execute', 'verification', 'chores', 'reflection'];
    const { result } = await run([...path.map((phase) => route(['ann'], phase)), route(['END'])], both);
    expect(result.status).toBe('completed');
    expect(result.state.rework).toBe(1);
    expect(result.state.turns.map(({ phase }) => phase)).toEqual(path);
  });

  test('[TENEX-68] a turn is closed when everybody who was named has completed it, whoever was done first, each once', async () => {
    const slow = agent({
      name: 'slow',
      decide: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { kind: 'answer', answer: 'slow is done' };
      },
    });
    const { result } = await run(
      [route(['slow', 'ann', 'slow']), route(['END'])],
      { slow, ann: says('ann') },
      { targets: 'together' },
    );
    expect(result.state.turns[0]?.completions.map(({ member: who }) => who)).toEqual(['slow', 'ann']);
    expect(ofType(result.events, 'member.ended').filter(({ member }) => member === 'slow')).toHaveLength(1);
  });

  test('[TENEX-74] what is handed over stands in the receiver’s prompt once, with what was done before', async () => {
    const told: string[] = [];
    await run([route(['ann']), route(['bob', 'END'], 'plan', 'mind the gap')], {
      ann: says('ann', told),
      bob: says('bob', told),
    });
    expect(told[1]?.split('mind the gap')).toHaveLength(2);
    expect(told[1]).toContain('Phase: plan. It is your turn: it is time');
    expect(told[1]?.split('ann is done')).toHaveLength(2);
    expect(told[0]).not.toContain('is done');
  });
});

describe('[TENEX-73] who may change things', () => {
  const write = tool({
    name: 'write',
    description: 'Writes.',
    input: z.object({}),
    safety: 'write',
    execute: () => '',
  });
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    safety: 'read',
    execute: () => '',
  });
  const make = (planner: Agent<string, unknown>, mayChange: readonly string[] | undefined) =>
    orchestrator({
      name: 'house',
      members: { planner, executor: agent({ name: 'executor', tools: [write] }) },
      orchestrator: {},
      mayChange,
    });

  test('a planner that has a tool which writes is refused, however deep it lies', () => {
    const planner = agent({ name: 'planner', tools: [look, write] });
    expect(() => make(planner, ['executor'])).toThrowError(
      "'planner' may change nothing (mayChange), and has tools that do: found 'write'",
    );
    const hidden = pipeline({ name: 'planner', stages: [planner] });
    expect(() => make(hidden, ['executor'])).toThrowError('write');
    expect(make(planner, undefined).name).toBe('house');
    expect(make(agent({ name: 'planner', tools: [look] }), ['executor']).name).toBe('house');
  });
});

test.each([
  [{ members: {} }, 'it needs members'],
  [{ members: { END: agent({ name: 'ann' }) } }, "none of them called 'orchestrator' or 'END'"],
  [{ phases: { a: ['b'] } }, "'a' leads to 'b', which is no phase"],
  [{ start: 'lunch' }, 'its start is not one of chat, '],
  [{ maxRounds: 0 }, 'maxRounds'],
])('what cannot be orchestrated is refused: %j', (change, message) => {
  expect(() =>
    orchestrator({ name: 'house', members: { ann: agent({ name: 'ann' }) }, orchestrator: {}, ...change }),
  ).toThrowError(message);
});
