import { TroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { scripted } from '../support/prompt-book.ts';
import { hang, echo } from '../support/runs.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import type { SupervisionPolicy } from '../../src/contracts/agents/supervision.ts';
import type { Scenario } from './scenarios.ts';
import { outage } from './scenarios.ts';

const plan = (...workers: readonly string[]): string =>
  JSON.stringify({ assignments: workers.map((worker) => ({ worker, task: `for ${worker}` })), answer: null });

const worker = (name: string, ...script: readonly ScriptedReply[]) =>
  agent({ name, model: scripted(script), failures: { retry: { attempts: 1 } }, tools: [echo, hang] });

/** A desk of two workers, under a policy. */
const desk = (
  supervision: SupervisionPolicy,
  ann: readonly ScriptedReply[],
  bob: readonly ScriptedReply[],
  memberTimeMs?: number,
) =>
  supervisorWorker({
    name: 'desk',
    supervisor: { model: scripted([plan('ann', 'bob')]) },
    workers: { ann: worker('ann', ...ann), bob: worker('bob', ...bob) },
    result: 'replies',
    failures: { supervision },
    limits: { memberTimeMs },
  });

const invalid = new TroupeError('output.invalid', 'Cannot use the answer as it is none');
const looks = calls({ name: 'echo', input: { text: 'x' } });

export const supervisionScenarios: readonly Scenario[] = [
  {
    name: 'a member that fails, and is restarted after a while',
    tells: ['child.supervised', 'child.restarted'],
    make: () => ({ agent: desk({}, [looks, outage(), looks, 'a'], ['b']) }),
  },
  {
    name: 'a member that fails, and takes the others along when it begins anew',
    tells: ['child.restarted'],
    make: () => ({
      agent: desk({ strategy: 'one-for-all' }, [outage(), 'a'], [calls({ name: 'hang', input: {} }), 'b']),
    }),
  },
  {
    name: 'a member that is told what was wrong when it begins anew',
    tells: ['child.restarted'],
    make: () => ({ agent: desk({}, [invalid, 'a'], ['b']) }),
  },
  {
    name: 'a member that takes too long, is stopped and begins anew',
    tells: ['child.supervised', 'child.restarted'],
    make: () => ({ agent: desk({}, [calls({ name: 'hang', input: {} }), 'a'], ['b'], 20_000) }),
  },
  {
    name: 'a member that fails too often, and the team with it',
    tells: ['child.supervised'],
    make: () => ({
      agent: desk({ intensity: { restarts: 1, withinMs: 60_000 } }, [outage(), outage()], ['b']),
    }),
  },
  {
    name: 'a task that is given up',
    tells: ['child.quarantined'],
    make: () => ({ agent: desk({ poisonAfter: 2 }, [invalid, invalid], ['b']) }),
  },
];
