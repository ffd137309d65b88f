import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Ending } from '../../src/contracts/agents/ending.ts';
import { byTool } from '../../src/machines/endings/endings.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { phaseOfWork } from '../../src/tools/calls/phase-of-work.ts';
import { echo, settled, start } from '../support/runs.ts';

const of = (name: string, category: string) =>
  tool({ name, description: 'Works.', category, input: z.object({}), execute: () => name });

const tools = [
  of('look', 'search'),
  of('write', 'files'),
  toolset({ name: 'run', tools: [of('tests', 'processes')] }),
  echo,
];
const phaseOf = phaseOfWork(tools, { search: 'explore', files: 'edit', processes: 'validate' });

test('[D2] what is said in a second attempt is published like what is said in the first', async () => {
  const model = scriptedModel([
    'I am at it.',
    { text: 'Here it is.', ...calls({ name: 'complete', input: { answer: '42' } }) },
  ]);
  const one = agent({ name: 'a', model, tools: [complete], stop: { ends: byTool() } });
  const handle = start(one, 'go');
  const heard: string[] = [];
  handle.events$.subscribe((event) => {
    if (event.type === 'model.delta' && event.delta.type === 'text') heard.push(event.delta.text);
  });
  expect((await settled(handle)).output).toBe('42');
  expect(heard.join(' | ')).toBe('I am at it. | Here it is.');
});

test('[DODO-09] [D20] the phase of work follows from the category of the newest tool, whatever its call is called', async () => {
  const used = ['look', 'write', 'run.tests', 'echo', 'look'];
  const script = used.map((name, index) =>
    calls({ name, input: name === 'echo' ? { text: 'x' } : {}, id: `edit_${index}` }),
  );
  const phases: string[] = [];
  const coder = agent({
    name: 'coder',
    tools,
    state: { phase: 'explore' },
    model: scriptedModel([...script, 'done']),
    reduce: ({ state, results }) => {
      const phase = phaseOf(results) ?? state.phase;
      phases.push(phase);
      return { phase };
    },
  });
  await settled(start(coder, 'go'));
  expect(phases).toEqual(['explore', 'edit', 'validate', 'validate', 'explore', 'explore']);
});

describe('phases of work', () => {
  const workPhases = { search: 'explore', files: 'edit', processes: 'validate' };

  test('[FIND-33] [DODO-09] a run is in the phase of the tool that it used last, and says so to its model and to its ending', async () => {
    const used = ['look', 'write', 'run.tests', 'echo', 'look'];
    const script = used.map((name) => calls({ name, input: name === 'echo' ? { text: 'x' } : {} }));
    const model = scriptedModel([...script, 'done']);
    const ends: (string | null)[] = [];
    const coder = agent({
      name: 'coder',
      tools,
      stop: {
        workPhases,
        ends: {
          name: 'seen',
          answered: ({ phase }) => {
            ends.push(phase);
            return { kind: 'end' };
          },
        },
      },
      model,
      conversation: {
        fragments: [{ name: 'phase', priority: 1, each: 'step', text: ({ phase }) => `Phase: ${phase}` }],
      },
    });
    await settled(start(coder, 'go'));
    expect(model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(
      ['null', 'explore', 'edit', 'validate', 'validate', 'explore'].map((phase) => `Phase: ${phase}`),
    );
    expect(ends).toEqual(['explore']);
  });

  test('[FIND-33] [DODO-09] a run without phases has none', async () => {
    const seen: (string | null)[] = [];
    const ends: Ending = {
      name: 'seen',
      answered: ({ phase }) => {
        seen.push(phase);
        return { kind: 'end' };
      },
    };
    const model = scriptedModel([calls({ name: 'look', input: {} }), 'done']);
    await settled(start(agent({ name: 'a', tools, model, stop: { ends } }), 'go'));
    expect(seen).toEqual([null]);
  });
});

test('[DODO-09] phases that are none are refused', () => {
  const phases = { files: '' };
  expect(() => agent({ name: 'a', stop: { workPhases: phases } })).toThrow(
    "Cannot define the agent 'a' as its stop.workPhases.files is not a name of a phase: found ''",
  );
});

test('[DODO-09] of several results the last one counts that is of a category with a phase', () => {
  expect(phaseOf([{ tool: 'run.tests' }, { tool: 'write' }, { tool: 'echo' }])).toBe('edit');
  expect(phaseOf([{ tool: 'echo' }, { tool: 'nothing' }, { tool: 'tests' }])).toBeUndefined();
});
