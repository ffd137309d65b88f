import { expect, test } from 'vitest';
import { z } from 'zod';
import type { PromptFragment } from '../../src/contracts/agents/prompt.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { fanOut } from '../../src/tools/built-in/delegation/fan-out.ts';
import { handoffTool } from '../../src/tools/built-in/delegation/handoff.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { settled, start } from '../support/runs.ts';

const add = tool({ name: 'add', description: 'Adds.', input: z.object({}), execute: () => 3 });
const coder = agent({ name: 'coder', description: 'Codes.', model: scriptedModel([]) });
const tester = agent({ name: 'tester', model: scriptedModel([]) });

test('[FIND-33] [TENEX-07] the prompt of an agent names the project, of the agents that it can give work to, and of its tools', async () => {
  const model = scriptedModel(['done']);
  const lead = agent({
    name: 'lead',
    model,
    instructions: 'Lead.',
    tools: [
      add,
      delegate({ to: [coder], self: true }),
      toolset({ name: 'many', tools: [fanOut({ to: [tester, coder] })] }),
    ],
  });
  const task = { objective: 'Mend the shop.', constraints: ['Keep it open.'] };
  await settled(start(lead, 'Begin.', { task }));
  const [request] = model.requests;
  expect(request?.instructions).toBe(
    'Lead.\n\n# Agents\n- coder: Codes.\n- self: another of you, who cannot give work away\n- tester',
  );
  expect(request?.messages[0]?.text).toBe('Task: Mend the shop.\n\nConstraints:\n- Keep it open.\n\nBegin.');
  expect(request?.tools.map(({ name }) => name)).toEqual(['add', 'delegate', 'many.fan_out']);
});

test('[FIND-33] [TENEX-07] another of the agent, which cannot delegate, names nobody', async () => {
  const model = scriptedModel([
    calls({ name: 'delegate', input: { to: 'self', task: 'A part.' } }),
    'part',
    'done',
  ]);
  const lead = agent({
    name: 'lead',
    model,
    instructions: 'Lead.',
    tools: [delegate({ to: [coder], self: true })],
  });
  await settled(start(lead, 'Begin.'));
  expect(model.requests.map(({ instructions }) => instructions.includes('# Agents'))).toEqual([
    true,
    false,
    true,
  ]);
});

test('[FIND-33] [TENEX-07] those to whom it can hand over are listed, and a fragment that the agent has takes their place', async () => {
  const toldBy = async (fragments: readonly PromptFragment[] | undefined) => {
    const model = scriptedModel(['done']);
    const tools = [handoffTool({ billing: 'invoices' })];
    await settled(start(agent({ name: 'desk', model, tools, conversation: { fragments } }), 'Hi.'));
    return model.requests[0]?.instructions;
  };
  expect(await toldBy(undefined)).toBe('# Agents\n- billing: invoices');
  expect(await toldBy([{ name: 'agents', priority: 300, text: 'Ask billing.' }])).toBe('Ask billing.');
});
