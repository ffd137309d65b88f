import { agent } from '../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { allRows } from '../coordination/all-rows.ts';
import type { Member } from '../coordination/patterns/pattern-row.ts';
import { scripted } from '../support/prompt-book.ts';
import { capabilityScenarios } from './capability-scenarios.ts';
import { opinionScenarios } from './opinion-scenarios.ts';
import { delegationScenarios } from './delegation-scenarios.ts';
import { messageScenarios } from './message-scenarios.ts';
import { outsideScenarios } from './outside-scenarios.ts';
import { resourceScenarios } from './resource-scenarios.ts';
import { routingScenarios } from './routing-scenarios.ts';
import type { Scenario } from './scenarios.ts';
import { outage, scenarios } from './scenarios.ts';
import { supervisionScenarios } from './supervision-scenarios.ts';
import { workScenarios } from './work-scenarios.ts';
import { workflowScenarios } from './workflow-scenarios.ts';

/** Says what it is scripted to, and then the last of it, at once: what takes no time is in the same order everywhere. */
const says = (name: string, ...script: readonly ScriptedReply[]): Member => {
  const last = script.slice(-1);
  const replies = [...script, ...Array.from({ length: 20 }, () => last).flat()];
  return agent({ name, failures: { retry: { attempts: 1 } }, model: scripted(replies) });
};

/** Every pattern at its plainest, and with a member that fails once and is restarted. */
const patternScenarios: readonly Scenario[] = allRows.flatMap(({ name, make, says: good }) => {
  const bob = () => says('bob', good('bob'));
  return [
    {
      name: `the pattern ${name}`,
      tells: ['member.ended'],
      make: () => ({ agent: make({ ann: says('ann', good('ann')), bob: bob() }) }),
    },
    {
      name: `the pattern ${name}, with a member that fails once`,
      tells: ['child.restarted'],
      make: () => ({
        agent: make(
          { ann: says('ann', outage(), good('ann')), bob: bob() },
          { failures: { supervision: {} } },
        ),
      }),
    },
  ];
});

/** All that has to mean the same, stored or not; one file for each part of the house. */
export const allScenarios: readonly Scenario[] = [
  ...scenarios,
  ...capabilityScenarios,
  ...outsideScenarios,
  ...delegationScenarios,
  ...opinionScenarios,
  ...supervisionScenarios,
  ...messageScenarios,
  ...resourceScenarios,
  ...routingScenarios,
  ...workScenarios,
  ...workflowScenarios,
  ...patternScenarios,
];
