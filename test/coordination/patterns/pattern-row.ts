import { agent } from '../../../src/runtime/define/agent.ts';
import type { LawMember, PatternSubject } from '../../../src/testing/pattern-laws.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { scripted } from '../../support/prompt-book.ts';
import { quiet } from '../../support/runs.ts';

/** A member as the contract makes it. */
export type Member = LawMember;

/** A pattern, as the contract tests it: what every pattern is held to, and what only those of the house are. */
export interface PatternRow extends PatternSubject {
  readonly name: string;
  /** At least one state that no other pattern has. */
  readonly ownStates: readonly string[];
  /** Members at work at the same time. */
  readonly isParallel: boolean;
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
    failures: { retry: { attempts: 1 } },
    model: scripted(replies.map((reply) => async () => (await quiet(), reply))),
  });
};
