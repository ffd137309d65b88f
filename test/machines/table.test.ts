import { describe, expect, test } from 'vitest';
import type { AnyStateMachine, EventFromLogic } from 'xstate';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import { modelCallMachine } from '../../src/machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../../src/machines/tool-call/tool-call-machine.ts';
import type { Exploration } from '../../src/testing/explore.ts';
import { begin, move } from '../../src/testing/moves.ts';
import type { Position } from '../../src/testing/moves.ts';
import { movesOf } from '../../src/testing/table-moves.ts';
import { numbersFrom } from '../support/stored-runs.ts';
import { agentExplorations, modelExploration, toolExploration } from './explorations.ts';
import { isThorough, sized } from '../support/thorough.ts';
import type { Beside } from './side-by-side.ts';
import { beginBeside, moveBeside } from './side-by-side.ts';

const seed = Number(process.env['TROUPE_SEED'] ?? 20_261);
const WALKS = sized(200, 100_000);
const LONGEST = 40;

/** Walks every way that an exploration knows, by XState and by the table; gives the number of moves. */
const exploreBeside = <M extends AnyStateMachine>(machine: M, exploration: Exploration<M>): number => {
  const { input, rules, events, tell } = exploration;
  const seen = new Set<string>();
  const queue: Beside<M>[] = [];
  const visit = (found: Beside<M>): void => {
    const { value, context, status } = found.position;
    const place = `${JSON.stringify(value)} ${JSON.stringify(tell(context))}`;
    if (seen.has(place)) return;
    seen.add(place);
    if (status === 'active') queue.push(found);
  };
  visit(beginBeside(machine, input, rules));
  let moves = 0;
  for (const from of queue) {
    for (const { event } of events(from.position)) {
      visit(moveBeside(from, event));
      moves += 1;
    }
  }
  return moves;
};

/** What nobody waits for: late answers, wrong places, ports that were not asked, events that there are not. */
const STRAY = [
  { type: 'answered.wake', at: 5_000 },
  { type: 'answered.pause', at: 5_000 },
  { type: 'failed.model', at: 5_000, error: { code: 'internal', message: 'boom', retryable: 'no' } },
  { type: 'failed', at: 5_000, error: { code: 'internal', message: 'boom', retryable: 'no' } },
  { type: 'expired', at: 5_000, reason: { kind: 'maxTime', limitMs: 1 } },
  { type: 'abort', at: 5_000, reason: 'enough' },
  { type: 'message', at: 5_000, message: { from: 'bob', text: 'hi' } },
  { type: 'unheard.of', at: 5_000 },
  { type: 'unheard', at: 5_000 },
] as const;

/** Walks at random, by XState and by the table; gives the number of moves. */
const walkBeside = <M extends AnyStateMachine>(
  machine: M,
  { input, rules, events }: Exploration<M>,
  walks: number,
  random: (below: number) => number,
): number => {
  let moves = 0;
  for (let walk = 0; walk < walks; walk += 1) {
    let at = beginBeside(machine, input, rules);
    for (let step = 0; step < LONGEST && at.position.status === 'active'; step += 1) {
      const possible = events(at.position);
      const happening = random(8) === 0 ? undefined : possible[random(possible.length)];
      const event = happening?.event ?? STRAY[random(STRAY.length)];
      at = moveBeside(at, event as EventFromLogic<M>);
      moves += 1;
    }
  }
  return moves;
};

describe('the table means the same as XState', () => {
  // Elsewhere, and in the ordinary gate for all others, random walks compare them.
  test.each(isThorough ? agentExplorations : [])(
    'on all that can happen to an agent $kind',
    { timeout: 600_000 },
    ({ endless }) => {
      expect(exploreBeside(agentMachine, endless)).toBeGreaterThan(2_000);
    },
  );

  // The same with a count of steps beside it.
  test.each(isThorough ? agentExplorations : [])(
    'on all that can happen within three steps to an agent $kind',
    { timeout: 600_000 },
    ({ bounded }) => {
      expect(exploreBeside(agentMachine, bounded)).toBeGreaterThan(5_000);
    },
  );

  test('on all that can happen to a model call and to a tool call', () => {
    expect(exploreBeside(modelCallMachine, modelExploration)).toBeGreaterThan(30);
    expect(exploreBeside(toolCallMachine, toolExploration)).toBeGreaterThan(30);
  });

  test(`on ${WALKS} random walks of the three machines (seed ${seed})`, { timeout: 600_000 }, () => {
    const random = numbersFrom(seed);
    const kinds = agentExplorations.flatMap(({ bounded, endless }) => [bounded, endless]);
    const share = WALKS / (kinds.length + 2);
    const moves = kinds.map((kind) => walkBeside(agentMachine, kind, share, random));
    moves.push(walkBeside(modelCallMachine, modelExploration, share, random));
    moves.push(walkBeside(toolCallMachine, toolExploration, share, random));
    expect(Math.min(...moves)).toBeGreaterThan(share);
  });

  test.each(agentExplorations)(
    'and an explorer is shown the same positions of an agent $kind, arrows included',
    ({ endless: { input, rules, events } }) => {
      const random = numbersFrom(seed);
      const moves = movesOf(agentMachine);
      for (let walk = 0; walk < sized(4, 40); walk += 1) {
        let byXState = begin(agentMachine, input, rules);
        let byTable = moves.begin(input, rules);
        expect(shownOf(byTable)).toEqual(shownOf(byXState));
        for (let step = 0; step < LONGEST && byXState.status === 'active'; step += 1) {
          const possible = events(byTable);
          const event = possible[random(possible.length)]?.event ?? STRAY[0];
          byXState = move(byXState, event);
          byTable = moves.move(byTable, event);
          expect(shownOf(byTable)).toEqual(shownOf(byXState));
        }
        expect(moves.move(byTable, STRAY[5])).toEqual(move(byTable, STRAY[5]));
      }
    },
  );
});

/** All of a position; of XState's snapshot what it means. */
const shownOf = ({ snapshot, ...position }: Position<typeof agentMachine>) => ({
  ...position,
  snapshot: { value: snapshot.value, context: snapshot.context as unknown, status: snapshot.status },
});
