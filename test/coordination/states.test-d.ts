import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { agent, type Agent, type RunResult } from '../../src/index.ts';
import type { StageFailure } from '../../src/patterns/index.ts';
import type { Bid } from '../../src/patterns/contract-net.ts';
import type { BlackboardState } from '../../src/patterns/blackboard.ts';
import type { ChatTurn } from '../../src/patterns/state/group-chat-talk.ts';
import type { DebateState } from '../../src/patterns/debate.ts';
import type { EnsembleState } from '../../src/patterns/ensemble.ts';
import type { OrchestratorState } from '../../src/patterns/state/orchestrator-route.ts';
import type { ParallelReply } from '../../src/patterns/parallel.ts';
import type { PlannerExecutorState, StepResult } from '../../src/patterns/state/step-plan.ts';
import type { RaceState } from '../../src/patterns/race.ts';
import type { SagaState } from '../../src/patterns/saga.ts';
import type { VoteTally } from '../../src/patterns/voting.ts';
import type { WriterCriticState } from '../../src/patterns/writer-critic.ts';
import * as patterns from '../../src/patterns/index.ts';

declare const ann: Agent<string, string>;
declare const bob: Agent<string, string>;

/** What a run of such a team leaves as its state. */
type StateOf<Team> = Team extends { run(input: never): Promise<infer Result> }
  ? Result extends RunResult<unknown, infer State>
    ? State
    : never
  : never;
declare const stateOf: <Team>(make: () => Team) => StateOf<Team>;

const name = 'team';
const members = { ann, bob };

describe('what a team knows beside its answer is typed', () => {
  test('an auction says who bid what, who did not and why, and who has the work', () => {
    const state = stateOf(() => patterns.contractNet({ name, contractors: members }));
    expectTypeOf(state.bids).toEqualTypeOf<readonly Bid[]>();
    expectTypeOf(state.awarded).toEqualTypeOf<string | null>();
    expectTypeOf(state.noBids[0]?.reason).toEqualTypeOf<string | undefined>();
    expectTypeOf(state.failed[0]?.member).toEqualTypeOf<string | undefined>();
    // @ts-expect-error who is next is the chart's own
    expectTypeOf(state.line);
  });

  test('a plan says what is left of it, and what came of the rest', () => {
    const state = stateOf(() => patterns.plannerExecutor({ name, planner: {}, executors: members }));
    expectTypeOf(state).toEqualTypeOf<PlannerExecutorState>();
    expectTypeOf(state.results).toEqualTypeOf<readonly StepResult[]>();
    expectTypeOf(state.plan[0]?.task).toEqualTypeOf<string | undefined>();
  });

  test('votes are told the same way by all who vote', () => {
    const agreed = stateOf(() => patterns.consensus({ name, voters: members }));
    const found = stateOf(() => patterns.jury({ name, voters: members }));
    expectTypeOf(agreed).toEqualTypeOf(found);
    expectTypeOf(agreed.tally).toEqualTypeOf<VoteTally | null>();
    expectTypeOf(agreed.votes[0]?.member).toEqualTypeOf<string | undefined>();
    expectTypeOf(agreed.rounds).toEqualTypeOf<number>();
  });

  test('a router says who was thought fit, and who had the task', () => {
    const state = stateOf(() => patterns.router({ name, members }));
    expectTypeOf(state.tried).toEqualTypeOf<readonly string[]>();
    expectTypeOf(state.ranking[0]?.score).toEqualTypeOf<number | null | undefined>();
    expectTypeOf(state.assessments[0]?.tier).toEqualTypeOf<number | undefined>();
  });

  test('and so is that of every other pattern', () => {
    const chat = stateOf(() => patterns.groupChat({ name, members }));
    expectTypeOf(chat.turns).toEqualTypeOf<readonly ChatTurn[]>();
    const side = stateOf(() => patterns.parallel({ name, members }));
    expectTypeOf(side.replies).toEqualTypeOf<readonly ParallelReply[]>();
    const line = stateOf(() => patterns.pipeline({ name, stages: [ann, bob] }));
    expectTypeOf(line.failures).toEqualTypeOf<readonly StageFailure[]>();
    expectTypeOf(stateOf(() => patterns.handoffs({ name, members })).holder).toEqualTypeOf<string>();
    const desk = stateOf(() => patterns.supervisorWorker({ name, supervisor: {}, workers: members }));
    expectTypeOf(desk.replies[0]?.member).toEqualTypeOf<string | undefined>();
    expectTypeOf(
      stateOf(() => patterns.blackboard({ name, specialists: members, controller: {} })),
    ).toEqualTypeOf<BlackboardState>();
    expectTypeOf(stateOf(() => patterns.debate({ name, debaters: members }))).toEqualTypeOf<DebateState>();
    expectTypeOf(
      stateOf(() => patterns.ensemble({ name, proposers: members, aggregator: {} })),
    ).toEqualTypeOf<EnsembleState>();
    expectTypeOf(
      stateOf(() => patterns.orchestrator({ name, members, orchestrator: {} })),
    ).toEqualTypeOf<OrchestratorState>();
    expectTypeOf(stateOf(() => patterns.race({ name, members }))).toEqualTypeOf<RaceState>();
    expectTypeOf(
      stateOf(() => patterns.saga({ name, steps: { one: { does: ann } } })),
    ).toEqualTypeOf<SagaState>();
    expectTypeOf(
      stateOf(() => patterns.writerCritic({ name, writer: ann, critic: {} })),
    ).toEqualTypeOf<WriterCriticState>();
  });
});

describe('a reply of members side by side', () => {
  const counted = agent({ name: 'counted', output: z.object({ n: z.number() }) });
  const told = agent({ name: 'told' });

  test('is typed by the member that gave it, if it completed', async () => {
    const { output = [] } = await patterns.parallel({ name: 'p', members: { counted, told } }).run('go');
    for (const reply of output) {
      expectTypeOf(reply.member).toEqualTypeOf<'counted' | 'told'>();
      if (reply.status !== 'completed') continue;
      if (reply.member === 'counted') expectTypeOf(reply.output.n).toEqualTypeOf<number>();
      else expectTypeOf(reply.output).toExtend<string>();
    }
  });

  test('is typed by the one who gets each item', async () => {
    const { output = [] } = await patterns.parallel({ name: 'p', each: counted }).run(['a']);
    const [reply] = output;
    if (reply?.status === 'completed') expectTypeOf(reply.output).toEqualTypeOf<{ n: number }>();
    expectTypeOf(reply?.member).toEqualTypeOf<string | undefined>();
  });
});
