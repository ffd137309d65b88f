import { expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { activityOf } from '../../src/events/progress/activity.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

const read = tool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ file: z.string() }),
  describe: ({ file }) => `Reading ${file}`,
  execute: () => 'hello',
});

test('[QITOS-55] a hook that draws sees the start, each phase, what was decided and done, and the end, in order', async () => {
  const lines: string[] = [];
  const console = hook({
    name: 'console',
    on: ['run.started', 'phase.entered', 'agent.decided', 'tool.started', 'run.ended'],
    handle: (event) => {
      if (event.type === 'run.started') lines.push(`▶ ${JSON.stringify(event.input)}`);
      else if (event.type === 'phase.entered') lines.push(event.phase);
      else if (event.type === 'agent.decided') lines.push(`→ ${event.decision.kind}`);
      else if (event.type === 'tool.started') lines.push(activityOf(event)?.line ?? '');
      else lines.push(`■ ${JSON.stringify(event.output)}`);
    },
  });
  await agent({
    name: 'reader',
    tools: [read],
    decide: ({ step }) => (step === 0 ? act({ name: 'read', input: { file: 'a.txt' } }) : answer('done')),
  }).run('Read it', { hooks: [console] });
  expect(lines).toEqual([
    '▶ "Read it"',
    'preparing',
    'OBSERVE',
    'DECIDE',
    '→ act',
    'ACT',
    'reader · ACT · Reading a.txt',
    'REDUCE',
    'CHECK_STOP',
    'OBSERVE',
    'DECIDE',
    '→ answer',
    'REDUCE',
    'CHECK_STOP',
    'completed',
    '■ "done"',
  ]);
});
