import { z } from 'zod';
import type { Agent } from '../../../src/contracts/agents/agent.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import type { Person } from '../../../src/contracts/people/person.ts';
import { agentCritic } from '../../../src/actors/critics/agent-critic.ts';
import { researchDesk } from '../../../src/cli/desk/research-desk.ts';
import { maxSteps } from '../../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { parallel, pipeline, saga, supervisorWorker, writerCritic } from '../../../src/patterns/index.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { delegate } from '../../../src/tools/built-in/delegation/delegate.ts';
import { documents } from '../../../src/tools/built-in/documents/documents.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import type { PatternRow } from '../../coordination/patterns/pattern-row.ts';
import type { RetailTask } from '../../support/retail.ts';
import { retailToolSpecs } from '../../support/retail.ts';
import type { Outside, Reach } from './outside-tools.ts';
import { reach, there, valueIn } from './outside-tools.ts';
import { patternSubject } from './pattern-subject.ts';

/** What is needed to make a subject in a process of its own. */
export interface SubjectSetup extends Reach {
  readonly folder: string;
  readonly tasks: readonly RetailTask[];
  /** What `patterns` are made of. */
  readonly rows: readonly PatternRow[];
}

/** Says what its script has for that turn of the conversation, whichever process asks. */
const byTurn = (...script: readonly ScriptedReply[]): Model => ({
  ...scriptedModel([]),
  answer: (request, call) => {
    const turn = request.messages.toArray().filter(({ role }) => role === 'assistant').length;
    const reply = script[turn];
    return scriptedModel(reply === undefined ? [] : [reply]).answer(request, call);
  },
});

/** A pipeline in a team in a pipeline, with a delegate and a judge. */
const nested = (setup: SubjectSetup): Agent<string, unknown> => {
  const tools = [
    there('note', 'idempotent', setup),
    there('pay', 'a person', setup),
    there('book', 'the tool', setup),
  ];
  const act = (...names: readonly string[]) =>
    calls(...names.map((name) => ({ name, input: { what: name } })));
  const runner = agent({ name: 'runner', tools, model: byTurn(act('pay', 'note'), 'ran') });
  const clerk = agent({
    name: 'clerk',
    tools: [...tools, delegate({ to: [runner] })],
    model: byTurn(
      act('note', 'pay', 'book'),
      calls(
        { name: 'delegate', input: { to: 'runner', task: 'go' } },
        { name: 'pay', input: { what: 'more' } },
      ),
      'clerked',
    ),
  });
  const checker = agent({ name: 'checker', tools, model: byTurn(act('book'), 'checked') });
  const judge = agent({
    name: 'judge',
    output: z.object({ verdict: z.enum(['accept', 'revise']), note: z.string() }),
    model: byTurn('{"verdict":"accept","note":"good"}'),
  });
  return pipeline({
    name: 'house',
    limits: { budget: { toolCalls: 100, steps: 100 } },
    stages: [
      supervisorWorker({
        name: 'office',
        result: 'replies',
        supervisor: {
          model: byTurn(
            JSON.stringify({
              assignments: [
                { worker: 'line', task: 'a' },
                { worker: 'checker', task: 'b' },
              ],
              answer: null,
            }),
          ),
        },
        workers: { line: pipeline({ name: 'line', stages: [clerk, checker] }), checker },
      }),
      agent({
        name: 'writer',
        tools,
        model: byTurn(act('pay'), 'all is written'),
        critics: [
          agentCritic({ name: 'reader', judge, material: ({ candidate }) => JSON.stringify(candidate) }),
        ],
      }),
    ],
  });
};

/** Patterns in a row, under a policy; one member fails in its first life, after it has done something. */
const troupe = (setup: SubjectSetup): Agent<string, unknown> => {
  const tools = [there('note', 'idempotent', setup), there('book', 'the tool', setup)];
  const act = (name: string) => calls({ name, input: { what: name } });
  const worker = (name: string, does: string): Agent<string, string> =>
    agent({ name, tools, model: byTurn(act(does), `${name} is done`) });
  const stands = byTurn(act('book'), 'up again');
  const frail = agent({
    name: 'frail',
    tools,
    failures: { retry: { attempts: 1 } },
    model: {
      ...stands,
      answer: (request, call) => {
        if (call.key.includes('/frail-2#1.')) throw new TroupeError('model.unavailable', 'Cannot stand');
        return stands.answer(request, call);
      },
    },
  });
  return pipeline({
    name: 'troupe',
    stages: [
      parallel({
        name: 'both',
        members: { ann: worker('ann', 'note'), frail },
        failures: { supervision: { backOff: { leastMs: 1, mostMs: 10 } } },
        aggregator: (replies) => JSON.stringify(replies),
      }),
      saga({
        name: 'trip',
        steps: {
          flight: { does: worker('flight', 'book'), undoes: worker('no-flight', 'book') },
          hotel: { does: worker('hotel', 'book') },
        },
      }),
      {
        agent: saga({
          name: 'lost-trip',
          steps: {
            train: { does: worker('train', 'book'), undoes: worker('no-train', 'book') },
            boat: { does: worker('boat', 'note'), undoes: worker('no-boat', 'note') },
            inn: { does: agent({ name: 'inn', tools, model: byTurn(act('note')) }) },
          },
        }),
        onError: 'continue',
      },
      writerCritic({
        name: 'letter',
        writer: agent({ name: 'writer', tools, model: byTurn(act('note'), 'Dear all') }),
        critic: { model: byTurn('{"verdict":"accept","note":""}') },
      }),
    ],
  });
};

/** The clerk of the retail desk, whose database is elsewhere. */
const retail = (task: RetailTask, setup: SubjectSetup): Agent<string, unknown> =>
  agent({
    name: 'clerk',
    model: byTurn(...task.steps.map(({ name, arguments: input }) => calls({ name, input })), 'All done.'),
    stop: maxSteps(task.steps.length + 1),
    tools: retailToolSpecs().map(({ function: { name, description, parameters } }) =>
      tool({
        name,
        description,
        parameters,
        dynamicSchema: true,
        safety: 'write',
        execute: (input, { key }) => reach(setup, name, input, key, false),
        whatBecame: async (key: string) => {
          const found = await setup.outside({ wish: 'became', key });
          return found === null ? undefined : { value: valueIn(found) };
        },
      }),
    ),
  });

/** Who can be killed, by name: `desk`, `nested`, `troupe`, `patterns`, `broken patterns`, `retail ID`. */
export const subject = (name: string, setup: SubjectSetup): Agent<string, unknown> => {
  if (name === 'desk') return researchDesk({ documents: documents(setup.folder), models: {} });
  if (name === 'nested') return nested(setup);
  if (name === 'troupe') return troupe(setup);
  if (name === 'patterns') return patternSubject(setup.rows, 'begins anew', setup);
  if (name === 'broken patterns') return patternSubject(setup.rows, 'breaks', setup);
  const task = setup.tasks.find(({ id }) => name === `retail ${id}`);
  if (task === undefined) throw new Error(`there is no subject ${name}`);
  return retail(task, setup);
};

/** A person who knows what was begun: it is done once more only where it was not. */
export const whoKnows = (outside: Outside): Person => ({
  approve: async ({ path, step, callId }) =>
    (await outside({ wish: 'began', key: `r/${path}#${step ?? 0}.${callId}` })) !== true,
});
