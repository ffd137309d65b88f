import type { AnyStateMachine } from 'xstate';
import * as z from 'zod';
import type { Agent } from '../contracts/agents/agent.ts';
import { act } from '../contracts/agents/decision.ts';
import type { RuntimeEvent } from '../contracts/events/event.ts';
import type { RunOptions } from '../contracts/runs/run-options.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import type { RunStatus } from '../contracts/runs/run-status.ts';
import { chartOf, statesWithin } from '../machines/diagrams/chart.ts';
import { checkMachine } from '../machines/check-machine.ts';
import { pipeline } from '../patterns/pipeline.ts';
import { memoryStore } from '../persistence/memory-store.ts';
import { agent } from '../runtime/define/agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { tool } from '../tools/define/define-tool.ts';
import { compareRuns } from './compare-runs.ts';
import { lawChecks } from './law-checks.ts';
import type { ScriptedReply } from './scripted-model.ts';
import { scriptedModel } from './scripted-model.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { virtualClock } from './virtual-clock.ts';

/** A member as the laws make it. */
export type LawMember = Agent<string, string>;

/** The options of a team beside its members. */
export type BesideMembers = Partial<Pick<TeamSetup, 'name' | 'limits' | 'failures' | 'hooks'>>;

/** A pattern to be held to the laws: a team of two members, `ann` and `bob`, each of whom gets work. */
export interface PatternSubject {
  /** Its chart: `machine` of a pattern. */
  readonly machine: () => AnyStateMachine;
  /** A new team of these members at each call; its other agents (a judge, a planner) are scripted within. */
  readonly make: (
    members: Readonly<Record<string, LawMember>>,
    beside?: BesideMembers,
  ) => Agent<string, unknown, unknown>;
  /** The answer of a good member called `name`. */
  readonly says: (name: string) => ScriptedReply;
  /** The output of a run of `ann` and `bob`, both of them good; of an object, those of its fields that are to be compared. */
  readonly output: unknown;
  /** The status when `ann` fails or never answers, and `bob` is good. Default `completed`. */
  readonly oneFails?: RunStatus | undefined;
  /** The status when both fail or never answer. Default `failed`. */
  readonly allFail?: RunStatus | undefined;
  /** A team that would never end by itself, and the reason for which it does, as far as that is to be compared. */
  readonly endless?:
    | { readonly make: () => Agent<string, unknown, unknown>; readonly stopReason: object }
    | undefined;
}

/** A law of all patterns. */
export interface PatternLaw {
  readonly name: string;
  /** Rejects with `team.invalid`, and what was found, where it does not hold. Makes teams of its own. */
  readonly check: () => Promise<void>;
}

/**
 * The laws of all patterns: a team ends, whatever its members do; nothing that they have is lost; it is bounded, stopped, supervised,
 * nested and stored as any other. For the tests of a pattern of your own; those of the house are held to the same.
 *
 * Time is virtual in all of them: a member that never answers has had its time at once.
 *
 * @example
 * const laws = patternLaws({
 *   machine: council.machine,
 *   make: (members, beside) => council({ name: 'hall', ...beside, members, vetoes: 1 }),
 *   says: () => 'fine',
 *   output: 'passed',
 * });
 * for (const law of laws) test(law.name, law.check);
 */
export const patternLaws = (subject: PatternSubject): readonly PatternLaw[] =>
  [...laws, ...(subject.endless === undefined ? [] : [bounded])].map(({ name, holds }) => ({
    name,
    check: async () => {
      try {
        await holds(subject);
      } catch (thrown) {
        // What it throws where it should not does not hold either.
        throw asBroken(name, thrown);
      }
    },
  }));

const { asBroken, broken, same } = lawChecks('team.invalid', 'pattern');

interface Law {
  readonly name: string;
  readonly holds: (subject: PatternSubject) => Promise<void> | void;
}

type Result = RunResult<unknown, unknown>;

const DEAD = new Error('dead');

/** More than any member is asked for. */
const OFTEN = 50;

/** A turn of the event loop, so that members work side by side. */
const aTurn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));

/** Says one thing, as often as it is asked. */
const parrot = (name: string, reply: ScriptedReply): LawMember =>
  agent({
    name,
    failures: { retry: { attempts: 1 } },
    model: scriptedModel(Array.from({ length: OFTEN }, () => async () => (await aTurn(), reply))),
  });

/** Never answers. */
const mute = (name: string): LawMember =>
  agent({ name, decide: () => new Promise<undefined>(() => undefined) });

/** Looks and looks, a step each time, until something stops it. */
const seeker = (name: string): LawMember => {
  const look = tool({
    name: 'look',
    description: 'Sees nothing.',
    safety: 'read',
    input: z.object({}),
    execute: () => 'nothing',
  });
  return agent({
    name,
    tools: [look],
    limits: { loops: false },
    decide: () => act({ name: 'look', input: {} }),
  });
};

const two = ({ says }: PatternSubject): Record<string, LawMember> => ({
  ann: parrot('ann', says('ann')),
  bob: parrot('bob', says('bob')),
});

/** Runs it on virtual time; a run that failed has its result, too. */
const run = async (team: Agent<string, unknown, unknown>, options: RunOptions = {}): Promise<Result> => {
  const clock = virtualClock(1_000);
  const handle = team.stream('go', { runId: 'law', clock, ...options });
  return letTimePass(clock, settleRun(handle.result));
};

const settleRun = async (result: Promise<Result>): Promise<Result> => {
  try {
    return await result;
  } catch (thrown) {
    if (typeof thrown === 'object' && thrown !== null && 'result' in thrown) return thrown.result as Result;
    throw thrown;
  }
};

const A_DAY = 86_400_000;
const STEP = 1_000;

const letTimePass = async (clock: VirtualClock, result: Promise<Result>): Promise<Result> => {
  let isSettled = false;
  const stop = (): void => {
    isSettled = true;
  };
  result.then(stop, stop);
  for (let passed = 0; !isSettled && passed <= A_DAY; passed += STEP) await clock.advance(STEP);
  if (!isSettled) throw broken('a run ends', 'nothing for a virtual day', 'an end');
  return result;
};

const pathsOf = (
  events: readonly RuntimeEvent[],
  type: 'member.engaged' | 'member.ended',
): readonly string[] =>
  events.flatMap((event) => (event.type === type ? [event.path] : [])).toSorted((a, b) => a.localeCompare(b));

/** Every engaged member has ended, before the team; the team's end is the last event, and nothing broke inside. */
const wholeOf = (result: Result): Result => {
  const { events, status, error } = result;
  const engaged = pathsOf(events, 'member.engaged');
  same('every member that was engaged has ended', pathsOf(events, 'member.ended'), engaged);
  same('each member has an address of its own', new Set(engaged).size, engaged.length);
  const last = events.at(-1);
  same('the end of the run is the last event', { type: last?.type, status }, { type: 'run.ended', status });
  if (error?.code === 'internal' || error?.code === 'machine.threw')
    throw broken('nothing breaks inside', error, 'no error of the machine');
  return result;
};

const completes = ({ output }: PatternSubject, result: Result): void => {
  same('it completes', wholeOf(result).status, 'completed');
  if (!fits(result.output, output)) throw broken('it gives its output', result.output, output);
};

/** Checks whether a value is the expected one, as far as that says anything of it. */
const fits = (found: unknown, expected: unknown): boolean => {
  if (typeof expected !== 'object' || expected === null) return Object.is(found, expected);
  if (typeof found !== 'object' || found === null || Array.isArray(expected) !== Array.isArray(found))
    return false;
  if (Array.isArray(expected) && Array.isArray(found) && found.length !== expected.length) return false;
  return Object.entries(expected).every(([field, value]) => fits(Reflect.get(found, field), value));
};

const endsAs = (result: Result, status: RunStatus): void => {
  same('it ends as it should', wholeOf(result).status, status);
};

const NONSENSE = ['%%%', '{"vote": 7, "bid": "lots", "to": null, "decision": []}', '', 'x'.repeat(10_000)];

const laws: readonly Law[] = [
  {
    name: 'its machine keeps the rules of the house, and its diagram shows every state',
    holds: (subject) => {
      same('it keeps the rules', checkMachine(subject.machine()), []);
      const diagram = subject.make(two(subject)).diagram({ of: 'chart' });
      const states = statesWithin(chartOf(subject.machine())).map(({ key }) => key);
      same(
        'the diagram shows every state',
        states.filter((key) => !diagram.includes(key)),
        [],
      );
    },
  },
  {
    name: 'it finishes, and every member that was engaged has ended before it',
    holds: async (subject) => {
      const result = await run(subject.make(two(subject)));
      completes(subject, result);
      same('it has answered', result.stopReason.kind, 'answered');
    },
  },
  {
    name: 'one member that fails leaves what the others have',
    holds: async (subject) => {
      const { oneFails = 'completed' } = subject;
      const result = await run(subject.make({ ...two(subject), ann: parrot('ann', DEAD) }));
      endsAs(result, oneFails);
      if (oneFails !== 'failed' && (result.output ?? result.candidate) === undefined)
        throw broken('what the others have is there', 'nothing', 'an output or a candidate');
    },
  },
  {
    name: 'all members that fail are an end, and no hang',
    holds: async (subject) => {
      const members = { ann: parrot('ann', DEAD), bob: parrot('bob', DEAD) };
      endsAs(await run(subject.make(members)), subject.allFail ?? 'failed');
    },
  },
  {
    name: 'a member that never answers has had its time',
    holds: async (subject) => {
      const members = { ...two(subject), ann: mute('ann') };
      endsAs(
        await run(subject.make(members, { limits: { memberTimeMs: 10_000 } })),
        subject.oneFails ?? 'completed',
      );
    },
  },
  {
    name: 'members none of which ever answers are an end, and no hang',
    holds: async (subject) => {
      const members = { ann: mute('ann'), bob: mute('bob') };
      endsAs(
        await run(subject.make(members, { limits: { memberTimeMs: 10_000 } })),
        subject.allFail ?? 'failed',
      );
    },
  },
  ...NONSENSE.map((nonsense, index) => ({
    name: `members that answer nonsense are an end, too (${index + 1} of ${NONSENSE.length})`,
    holds: async (subject: PatternSubject) => {
      const members = { ann: parrot('ann', nonsense), bob: parrot('bob', nonsense) };
      wholeOf(await run(subject.make(members)));
    },
  })),
  {
    name: 'under a policy a member that fails once is restarted, and the team does not notice',
    holds: async (subject) => {
      let lives = 0;
      const good = scriptedModel(Array.from({ length: OFTEN }, () => subject.says('ann')));
      const ann: LawMember = agent({
        name: 'ann',
        model: {
          ...good,
          answer: (request, call) => {
            lives += 1;
            if (lives === 1) throw DEAD;
            return good.answer(request, call);
          },
        },
      });
      const result = await run(subject.make({ ...two(subject), ann }, { failures: { supervision: {} } }));
      completes(subject, result);
      const restarted = result.events.flatMap((event) =>
        event.type === 'child.restarted' ? [event.member] : [],
      );
      same('it was restarted once', restarted, ['ann']);
    },
  },
  {
    name: 'aborted while nobody answers, it ends at once, and all members with it',
    holds: async (subject) => {
      const handle = subject
        .make({ ann: mute('ann'), bob: mute('bob') })
        .stream('go', { clock: virtualClock(1_000) });
      for (let turn = 0; turn < 12; turn += 1) await aTurn();
      handle.abort('enough');
      const result = wholeOf(await settleRun(handle.result));
      same('it was aborted', result.stopReason, { kind: 'aborted', reason: 'enough' });
    },
  },
  {
    name: 'the hooks of a member see that member and nobody else',
    holds: async (subject) => {
      const seen = new Set<string>();
      const witness = {
        name: 'witness',
        handle: ({ path }: { readonly path: string }) => void seen.add(path),
      };
      const model = scriptedModel(Array.from({ length: OFTEN }, () => subject.says('ann')));
      const ann: LawMember = agent({ name: 'ann', hooks: [witness], model });
      const { events } = await run(subject.make({ ...two(subject), ann }));
      const paths = events.flatMap((event) =>
        event.type === 'member.engaged' && event.member === 'ann' ? [event.path] : [],
      );
      same('they saw its addresses', [...seen].toSorted(), paths.toSorted());
    },
  },
  ...(['its own', 'one above it'] as const).map((whose) => ({
    name: `a budget that stops a member stops the team, too: ${whose}`,
    holds: async (subject: PatternSubject) => {
      const team = subject.make({ ann: seeker('ann'), bob: seeker('bob') });
      const isOwn = whose === 'its own';
      const outer = isOwn ? team : pipeline<string, unknown>({ name: 'outer', stages: [{ agent: team }] });
      const result = wholeOf(await run(outer, { limits: { budget: { steps: 5 } } }));
      const reason = result.stopReason.kind === 'budget' ? result.stopReason : undefined;
      same('it stopped', result.status, 'stopped');
      same(
        'its reason is that budget',
        { budget: reason?.budget, limit: reason?.limit, path: reason?.path },
        { budget: 'steps', limit: 5, path: isOwn ? team.name : 'outer' },
      );
    },
  })),
  {
    name: 'messages and stray answers do not disturb it',
    holds: async (subject) => {
      const clock = virtualClock(1_000);
      const handle = subject.make(two(subject)).stream('go', { clock });
      await aTurn();
      handle.send('hurry');
      completes(subject, await letTimePass(clock, settleRun(handle.result)));
    },
  },
  {
    name: 'it means the same with a store and without one',
    holds: async (subject) => {
      const plain = await run(subject.make(two(subject)));
      const stored = await run(subject.make(two(subject)), { store: memoryStore() });
      same('both runs are equal', compareRuns(plain, stored), []);
    },
  },
  {
    name: 'it nests in itself',
    holds: async (subject) => {
      const inner = subject.make(two(subject), { name: 'inner' });
      const ann = pipeline<string, string>({ name: 'ann', stages: [{ agent: inner }] });
      const { events } = wholeOf(await run(subject.make({ ...two(subject), ann })));
      const deep = pathsOf(events, 'member.engaged').some((path) => path.includes('/inner-'));
      same('the team within had work', deep, true);
    },
  },
];

const bounded: Law = {
  name: 'it is bounded: one that would go on for ever stops',
  holds: async ({ endless }) => {
    if (endless === undefined) return;
    const { status, stopReason } = wholeOf(await run(endless.make()));
    same('it stopped', status, 'stopped');
    if (!fits(stopReason, endless.stopReason)) throw broken('it says why', stopReason, endless.stopReason);
  },
};
