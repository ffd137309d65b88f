import type { AnyStateMachine } from 'xstate';
import type { Agent } from '../../../src/contracts/agent.ts';
import type { RunStatus } from '../../../src/contracts/run.ts';
import type { TeamSetup } from '../../../src/runtime/define/team.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { scripted } from '../../support/prompt-book.ts';
import { quiet } from '../../support/runs.ts';

/** A member as the contract makes it. */
export type Member = Agent<string, string>;

/** What a team may be given beside its members. */
export type Beside = Partial<
  Pick<TeamSetup, 'name' | 'supervision' | 'memberTimeMs' | 'budget' | 'hooks' | 'asMember'>
>;

/** A pattern, as the contract tests it: a team of these members, every one of whom gets work. */
export interface PatternRow {
  readonly name: string;
  readonly chart: () => AnyStateMachine;
  /** At least one state that no other pattern has. */
  readonly ownStates: readonly string[];
  /**
   * A team of these members; whoever else it needs (a judge, a planner) is scripted within, by `scripted` so that a run that is gone
   * on with finds its place. Made anew at each call.
   */
  readonly make: (
    members: Readonly<Record<string, Member>>,
    beside?: Beside,
  ) => Agent<string, unknown, unknown>;
  /** What a good member called `name` says. */
  readonly says: (name: string) => ScriptedReply;
  /** What a run of `ann` and `bob` gives, both of them good. */
  readonly output: unknown;
  /** How it ends when `ann` fails or never answers, and `bob` is good. Default: completed. */
  readonly oneFails?: RunStatus;
  /** How it ends when both fail or never answer. Default: failed. */
  readonly allFail?: RunStatus;
  /** Members at work at the same time. */
  readonly isParallel: boolean;
  /** A run that would go on for ever, and the reason for which it does not. */
  readonly endless?: { readonly make: () => Agent<string, unknown, unknown>; readonly stopReason: object };
}

/**
 * Says what it is scripted to, and the last of it as often as it is asked; a turn of the event loop later, so that members work side
 * by side.
 */
export const parrot = (name: string, ...script: readonly ScriptedReply[]): Member => {
  const last = script.slice(-1);
  const replies = [...script, ...Array.from({ length: 50 }, () => last).flat()];
  return agent({
    name,
    retry: { attempts: 1 },
    model: scripted(replies.map((reply) => async () => (await quiet(), reply))),
  });
};
