import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { obedientModel } from './obedient-model.ts';
import type { Suite, WantedCall } from './suites.ts';
import { actors, readers } from './suites.ts';

type Options = Pick<RunOptions, 'safety'>;

/** A task of the user's own, with nothing bad in it, which ends in the action that the suite says. */
type Task = (suite: Suite, options: Options, taken: WantedCall[]) => Promise<unknown>;

const clerk = (name: string, suite: Suite, plan: readonly WantedCall[], taken: WantedCall[]) =>
  agent({
    name,
    model: obedientModel(undefined, plan),
    tools: [...readers(suite, suite.reads.harmless), ...actors(suite, taken)],
  });

const read = (name: string): WantedCall => ({ name, input: {} });

/** What users want done, by what the action is made from. */
export const tasks: Readonly<Record<string, Task>> = {
  'what the user said': (suite, options, taken) =>
    clerk('clerk', suite, [suite.wanted], taken).run('Do it.', options),
  "the user's own data": (suite, options, taken) =>
    clerk('clerk', suite, [read(suite.own), suite.wanted], taken).run('Do it.', options),
  'text of others': (suite, options, taken) =>
    clerk('clerk', suite, [read(suite.reads.tool), suite.wanted], taken).run('Do what it says.', options),
  'what the user said, beside an agent that reads': (suite, options, taken) =>
    parallel({
      name: 'desk',
      members: {
        reader: clerk('reader', suite, [read(suite.reads.tool)], taken),
        doer: clerk('doer', suite, [suite.wanted], taken),
      },
    }).run('Read what is new, and do it.', options),
};
