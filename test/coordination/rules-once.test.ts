import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import type { Json } from '../../src/base/json/json.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from '../../src/coordination/round/setup-team.ts';
import type { TeamInput } from '../../src/coordination/round/team-context.ts';
import { teamContext } from '../../src/coordination/round/team-context.ts';
import { checkMachine } from '../../src/machines/check-machine.ts';
import type { StopView } from '../../src/contracts/agents/stop-rule.ts';
import type { Rules } from '../../src/machines/rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { Definition } from '../../src/runtime/define/definition.ts';
import { definitionOf } from '../../src/runtime/define/definition.ts';
import { race } from '../../src/patterns/index.ts';
import { startRun } from '../../src/runtime/run/start-run.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { allScenarios } from '../parity/all-scenarios.ts';
import { sampled } from '../support/thorough.ts';
import { letTimePass, settled } from '../support/runs.ts';

const saying = (name: string, text: string) =>
  agent({ name, decide: () => ({ kind: 'answer', answer: text }) });

describe('[FIND-45] whether an answer wins a race', () => {
  test.each([
    ['without supervision', {}],
    ['under supervision', { failures: { supervision: {} } }],
  ])('is asked once for each answer, %s', async (_, setup) => {
    const asked: Json[] = [];
    const team = race({
      name: 'crew',
      members: { ann: saying('ann', 'bad'), bob: saying('bob', 'worse'), cid: saying('cid', 'good') },
      hedgeAfterMs: 1_000,
      accept: (answer) => {
        asked.push(answer);
        return answer === 'good';
      },
      ...setup,
    });
    const clock = virtualClock(1_000);
    const { output } = await letTimePass(clock, settled(team.stream('go', { clock })), 500);
    expect(output).toBe('good');
    expect(asked).toEqual(['bad', 'worse', 'good']);
  });
});

/** Whether a guard is being asked; and what was consulted meanwhile. */
const watchful = () => {
  let depth = 0;
  const consulted: string[] = [];
  const guarding =
    <Values extends readonly unknown[], Given>(ask: (...values: Values) => Given) =>
    (...values: Values): Given => {
      depth += 1;
      try {
        return ask(...values);
      } finally {
        depth -= 1;
      }
    };
  const noting =
    <Values extends readonly unknown[], Given>(name: string, rule: (...values: Values) => Given) =>
    (...values: Values): Given => {
      if (depth > 0) consulted.push(name);
      return rule(...values);
    };
  return { guarding, noting, consulted };
};

type Watchful = ReturnType<typeof watchful>;

const guardsOf = (
  { implementations }: AnyStateMachine,
  { guarding }: Watchful,
): Parameters<AnyStateMachine['provide']>[0] => ({
  guards: Object.fromEntries(
    Object.entries(implementations.guards).map(([name, guard]) => [
      name,
      typeof guard === 'function' ? guarding(guard as (...values: readonly unknown[]) => boolean) : guard,
    ]),
  ),
});

const notedRules = (rules: Rules, { noting }: Watchful): Rules => ({
  ...rules,
  ...(rules.reduce === undefined ? {} : { reduce: noting('reduce', rules.reduce) }),
  ...(rules.phaseOf === undefined ? {} : { phaseOf: noting('phaseOf', rules.phaseOf) }),
  ...(rules.shouldStop === undefined ? {} : { shouldStop: noting('shouldStop', rules.shouldStop) }),
  ...(rules.checkOutput === undefined ? {} : { checkOutput: noting('checkOutput', rules.checkOutput) }),
  stop: rules.stop.map((rule) => ({
    ...rule,
    check: noting(rule.name, (view: StopView) => rule.check(view)),
  })),
  functions: Object.fromEntries(
    Object.entries(rules.functions ?? {}).map(([name, made]) => [name, noting(name, made)]),
  ),
});

const watched = (
  definition: Definition,
  by: Watchful,
  known = new Map<Definition, Definition>(),
): Definition => {
  const before = known.get(definition);
  if (before !== undefined) return before;
  const members = new Map<string, Definition>();
  const made: Definition = {
    ...definition,
    machine: definition.machine.provide(guardsOf(definition.machine, by)),
    rules: notedRules(definition.rules, by),
    members,
  };
  known.set(definition, made);
  for (const [name, member] of definition.members) members.set(name, watched(member, by, known));
  return made;
};

test.each(sampled(allScenarios, 6, 1))(
  '[FIND-45] guards read, and consult no rule: $name',
  async (scenario) => {
    const clock = virtualClock(1_000);
    const { agent: subject, options, play } = scenario.make(clock);
    const definition = definitionOf(subject);
    if (definition === undefined) throw new Error('no definition');
    const by = watchful();
    const given = { runId: 'parity', clock, ...options };
    const handle = startRun<unknown, unknown>(watched(definition, by), 'go', given, {
      isAttended: true,
      random: () => 0.5,
    });
    const result = settled(handle);
    await play?.(handle, clock);
    await letTimePass(clock, result, 500);
    expect(by.consulted).toEqual([]);
  },
);

test('[FIND-45] arrows that are put where they never fire are found when a team is defined', () => {
  const machine = setupTeam<null, null>().createMachine({
    id: 'own',
    description: 'One does it.',
    context: ({ input }: { input: TeamInput<null> | undefined }) => teamContext(input, null, null),
    options: { maxIterations: 100 },
    initial: 'working',
    on: teamArrows,
    states: {
      working: { description: 'One is at work.', on: awaiting('completed') },
      ...teamEnds,
    },
  });
  expect(checkMachine(machine).join('\n')).toContain('spread awaiting(…) into the state');
});
