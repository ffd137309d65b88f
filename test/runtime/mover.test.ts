import type { InspectionEvent } from 'xstate';
import { raise } from 'xstate';
import { describe, expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import { setupTeam, teamArrows, teamEnds } from '../../src/coordination/round/setup-team.ts';
import type { TeamInput } from '../../src/coordination/round/team-context.ts';
import { teamContext, teamOutcome } from '../../src/coordination/round/team-context.ts';
import { recorder } from '../../src/inspect/recording/recorder.ts';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import { TableSnapshot } from '../../src/machines/table/table-snapshot.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { inertScope } from '../../src/runtime/turn/quiet-scope.ts';
import { moverOf, snapshotAt } from '../../src/runtime/turn/mover.ts';
import { team } from '../../src/runtime/define/team.ts';
import { firstTurn, turn } from '../../src/runtime/turn/turn.ts';
import { agentInput } from '../machines/agent-walks.ts';

const ann = agent({ name: 'ann', decide: () => answer('42') });

const REASON = "in the state 'asking', the action 'again' is 'xstate.raise'";

type Nothing = Record<string, never>;

/** A pattern that tells itself something, which the table does not know. */
const raising = setupTeam<Nothing, Nothing>()
  .extend({
    actions: {
      again: raise({ type: 'abort', at: 0, reason: 'it said so itself' }),
    },
  })
  .createMachine({
    id: 'raising',
    description: 'It calls itself off.',
    context: ({ input }: { input: TeamInput<Nothing> | undefined }) => teamContext(input, {}, {}),
    output: teamOutcome,
    options: { maxIterations: 100 },
    initial: 'asking',
    on: teamArrows,
    states: {
      asking: {
        id: 'asking',
        description: 'It says it.',
        entry: 'again',
        on: { 'answered.member': [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }] },
      },
      ...teamEnds,
    },
  });

describe('a machine that uses what the table does not know', () => {
  const raised = team<string, string>({ name: 'raised', machine: raising, members: { ann }, options: {} });

  test('is moved by XState, to the same end', async () => {
    const mover = moverOf(raising);
    expect(mover.movedBy).toEqual({ by: 'xstate', reason: REASON });
    expect(await raised.run('go')).toMatchObject({
      status: 'aborted',
      stopReason: { kind: 'aborted', reason: 'it said so itself' },
    });
  });

  test('shows its microsteps to a recorder all the same', async () => {
    const record = recorder();
    await raised.run('go', { inspect: record });
    const moved = [...record.recording.from()].filter((line) => line.includes('"kind":"moved"'));
    expect(moved.filter((line) => line.includes('"arrows":["raising'))).not.toEqual([]);
    expect(moved.at(-1)).toContain('aborted');
  });

  test('says so in its diagram, and others say nothing', () => {
    expect(raised.diagram()).toContain(`%% Moved by XState, not by a table: ${REASON}\n`);
    expect(ann.diagram()).not.toContain('Moved by');
  });
});

describe('who moves a machine', () => {
  const chart = { machine: agentMachine, rules: { stop: [] } };
  const abort = { type: 'abort', at: 2, reason: 'enough' } as const;

  test('is its table, unless somebody wants to see each step', () => {
    expect(moverOf(agentMachine).movedBy).toEqual({ by: 'table' });
    expect(moverOf(agentMachine, inertScope()).movedBy).toEqual({
      by: 'xstate',
      reason: 'its run is inspected',
    });
  });

  test.each([
    ['its table', undefined],
    ['XState', inertScope()],
  ])('moves it to its end: %s', (_name, inspected) => {
    const { record } = firstTurn(chart, agentInput(), 1, inspected);
    expect(record.position instanceof TableSnapshot).toBe(inspected === undefined);
    const next = turn(chart, record, abort);
    expect(next.record.mover).toBe(record.mover);
    expect(next.record.position instanceof TableSnapshot).toBe(inspected === undefined);
    expect(next.record.snapshot?.matches('aborted')).toBe(true);
    expect(next.record.output).toMatchObject({ status: 'aborted' });
  });

  test('cannot be another from one turn to the next', () => {
    const table = moverOf(agentMachine);
    const xstate = moverOf(agentMachine, inertScope());
    const byTable = table.initial(agentInput());
    const byXState = xstate.initial(agentInput());
    expect(() => xstate.next(byTable, abort)).toThrow(
      "Cannot move 'agent' as its position was made by another",
    );
    expect(() => table.next(byXState, abort)).toThrow(
      "Cannot move 'agent' as its position was made by another",
    );
    expect(JSON.stringify(snapshotAt(byTable))).toBe(JSON.stringify(snapshotAt(byXState)));
  });
});

test('a run that is inspected shows its microsteps, and ends as one that is not', async () => {
  const seen: InspectionEvent[] = [];
  const inspected = await ann.run('go', { inspect: (event) => void seen.push(event) });
  expect(seen.filter(({ type }) => type === '@xstate.microstep').length).toBeGreaterThan(3);
  expect(inspected.output).toBe((await ann.run('go')).output);
});
