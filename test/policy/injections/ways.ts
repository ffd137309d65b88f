import { z } from 'zod';
import type { Agent } from '../../../src/contracts/agents/agent.ts';
import { wait } from '../../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import type { Tool, Toolset } from '../../../src/contracts/tools/tool.ts';
import { windowMemory } from '../../../src/memory/memories/window-memory.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { recordsIn } from '../../../src/runtime/journal/resume/stored-run.ts';
import { awaitDelegates } from '../../../src/tools/built-in/delegation/delegation-controls.ts';
import { delegate } from '../../../src/tools/built-in/delegation/delegate.ts';
import { remoteCaller } from '../../../src/tools/environments/remote-call.ts';
import { colleagues } from '../../../src/tools/messages/colleagues.ts';
import { PlainStore } from '../../support/plain-store.ts';
import type { Injection } from './injections.ts';
import type { Planned } from './obedient-model.ts';
import { obedientModel } from './obedient-model.ts';
import type { WantedCall } from './suites.ts';
import { actors, readers, reads } from './suites.ts';

type Options = Pick<RunOptions, 'safety'>;

/** A way on which a text of others reaches an agent that can act; `taken` receives what it does. */
type Way = (injection: Injection, options: Options, taken: WantedCall[]) => Promise<unknown>;

const agentOf = (
  name: string,
  injection: Injection,
  plan: readonly Planned[],
  tools: readonly (Tool | Toolset)[],
  more: { readonly waits?: boolean; readonly remembers?: ReturnType<typeof windowMemory> } = {},
): Agent<string, unknown> =>
  agent({
    name,
    tools: [...tools],
    model: obedientModel(injection, plan),
    ...(more.waits === true ? { decide: ({ step }) => (step === 0 ? wait('a word') : undefined) } : {}),
    ...(more.remembers === undefined ? {} : { memory: more.remembers }),
  });

const reading = ({ suite }: Injection): WantedCall => ({ name: suite.reads.tool, input: {} });

/** Reads what has the injection in it, and cannot act. */
const reader = (injection: Injection, plan: readonly Planned[] = [], tools: readonly Toolset[] = []) =>
  agentOf(
    'reader',
    injection,
    [reading(injection), ...plan],
    [...readers(injection.suite, injection.text), ...tools],
  );

/** Can act, and has a tool that fails with the text of others. */
const failing = (injection: Injection, taken: WantedCall[], read: () => Promise<never>) =>
  agentOf(
    'clerk',
    injection,
    [reading(injection)],
    [reads(injection.suite.reads.tool, read), ...actors(injection.suite, taken)],
  );

/** Asks the environment of others, which says in its own words that it denies it. */
const refusalOf = (message: string): Promise<never> => {
  const answer = { ok: false, error: { code: 'tool.denied', message } };
  const fetch = () => Promise.resolve(Response.json(answer));
  return remoteCaller({ name: 'box', url: 'http://box.test', fetch })('files.read', {}, z.never());
};

/** Can act, and reads nothing of others by itself. */
const doer = (injection: Injection, taken: WantedCall[], plan: readonly Planned[] = [], waits = false) =>
  agentOf('doer', injection, plan, [...actors(injection.suite, taken), colleagues()], { waits });

const passing =
  (name: string, inputOf: (text: string) => Record<string, string>): Planned =>
  (read) => ({ name, input: inputOf(read.join('\n')) });

/** By all of these, an injection reaches an agent that obeys it. */
export const ways: Readonly<Record<string, Way>> = {
  'a result of its own tool': (injection, options, taken) =>
    agentOf(
      'clerk',
      injection,
      [reading(injection)],
      [...readers(injection.suite, injection.text), ...actors(injection.suite, taken)],
    ).run('What is new?', options),

  'the reason for which its own tool refused': (injection, options, taken) =>
    failing(injection, taken, () => Promise.reject(new TroupeError('tool.denied', injection.text))).run(
      'What is new?',
      options,
    ),

  'the refusal of a remote environment': (injection, options, taken) =>
    failing(injection, taken, () => refusalOf(injection.text)).run('What is new?', options),

  'the output of the stage before': (injection, options, taken) =>
    pipeline({ name: 'line', stages: [reader(injection), doer(injection, taken)] }).run(
      'What is new?',
      options,
    ),

  'the answer of a delegate': (injection, options, taken) =>
    agentOf(
      'lead',
      injection,
      [{ name: 'delegate', input: { to: 'reader', task: 'Read.' } }],
      [delegate({ to: [reader(injection)] }), ...actors(injection.suite, taken)],
    ).run('What is new?', options),

  'the answer of a delegate in the background': (injection, options, taken) =>
    agentOf(
      'lead',
      injection,
      [
        { name: 'delegate', input: { to: 'reader', task: 'Read.' } },
        { name: 'await_delegates', input: {} },
      ],
      [
        delegate({ to: [reader(injection)], mode: 'background', gatherMs: 0 }),
        awaitDelegates,
        ...actors(injection.suite, taken),
      ],
    ).run('What is new?', options),

  'the task that it was delegated': (injection, options, taken) =>
    agentOf(
      'lead',
      injection,
      [reading(injection), passing('delegate', (task) => ({ to: 'doer', task }))],
      [...readers(injection.suite, injection.text), delegate({ to: [doer(injection, taken)] })],
    ).run('See to it.', options),

  'a message of another agent': (injection, options, taken) => {
    const telling = passing('colleagues.tell', (text) => ({ to: 'doer', text }));
    const members = {
      reader: reader(injection, [telling], [colleagues()]),
      doer: doer(injection, taken, [], true),
    };
    return parallel({ name: 'desk', members }).run('See to it.', options);
  },

  'an answer to its question': (injection, options, taken) => {
    const replying = passing('colleagues.reply', (text) => ({ text }));
    const asked = agentOf(
      'reader',
      injection,
      [reading(injection), replying],
      [...readers(injection.suite, injection.text), colleagues()],
      { waits: true },
    );
    const asking = { name: 'colleagues.ask', input: { to: 'reader', text: 'What is new?' } };
    return parallel({ name: 'desk', members: { doer: doer(injection, taken, [asking]), reader: asked } }).run(
      'Go.',
      options,
    );
  },

  'an earlier run of its thread': async (injection, options, taken) => {
    const inThread = { ...options, store: memoryStore(), thread: 'ann' };
    await reader(injection).run('What is new?', inThread);
    await doer(injection, taken).run('See to it.', inThread);
  },

  'a memory': async (injection, options, taken) => {
    const remembers = windowMemory({ scope: 'shared' });
    await agentOf('reader', injection, [reading(injection)], readers(injection.suite, injection.text), {
      remembers,
    }).run('What is new?', options);
    await agentOf('doer', injection, [], actors(injection.suite, taken), { remembers }).run(
      'See to it.',
      options,
    );
  },

  'a run that is resumed': async (injection, options, taken) => {
    const clerk = (acting: readonly Tool[]) =>
      agentOf(
        'clerk',
        injection,
        [reading(injection)],
        [...readers(injection.suite, injection.text), ...acting],
      );
    const whole = new PlainStore();
    await clerk(actors(injection.suite, [])).run('What is new?', { ...options, store: whole, runId: 'r' });
    const { records } = await recordsIn(whole, 'r');
    const read = records.findIndex(
      (record) =>
        record.kind === 'arrived' &&
        record.arrival.type === 'answered' &&
        record.arrival.key.includes('.ACT.'),
    );
    const store = PlainStore.with('r', records.slice(0, read + 1));
    await (
      await resume(clerk(actors(injection.suite, taken)), 'r', { ...options, store })
    ).result;
  },
};
