// A coding agent as a member of a team, by the Agent Client Protocol. This one is tiny, and comes with the example.
//
//   npx tsx examples/48-acp.ts
//
// When not to use it: for a few files, an agent with `fileTools` and a model does the same, and all of its calls are under the policy of the run.
// Its chart: docs/diagrams/agent.mmd
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agent } from 'troupe';
import { acpAgent } from 'troupe/acp';
import { pipeline } from 'troupe/patterns';
import { policy } from 'troupe/policy';
import { scriptedModel } from 'troupe/testing';
import { hostEnvironment } from 'troupe/tools';

const work = mkdtempSync(join(tmpdir(), 'troupe-acp-'));
const greeting = join(work, 'greeting.txt');
writeFileSync(greeting, 'Helo, world.\n');

// 1. A coding agent is a program and a folder. Claude Code would be: command: 'npx', args: ['-y', '@agentclientprotocol/claude-agent-acp'].
const coder = acpAgent({
  name: 'coder',
  description: 'Changes files.',
  command: process.execPath,
  args: [fileURLToPath(new URL('48-acp/tiny-coder.mjs', import.meta.url))],
  cwd: work,
  environment: hostEnvironment({ root: work }),
});

// 2. It is a member as any agent is: here the stage after one that says what to do.
const planner = agent({ name: 'planner', model: scriptedModel(['Mend the spelling of greeting.txt.']) });
const line = pipeline({ name: 'line', stages: [planner, coder] });

// 3. What it asks for is judged by the policy of the run; what no rule allows or denies, a person is asked about.
const safety = policy({
  rules: [
    { name: 'prompts', effect: 'allow', tool: 'coder.prompt' },
    { name: 'files', effect: 'allow', tool: ['coder.read', 'coder.write'] },
  ],
});
const asked: string[] = [];
const approve = ({ tool, description }: { readonly tool: string; readonly description: string }): boolean => {
  asked.push(`${tool}: ${description}`);
  return true;
};
const { output, events } = await line.run('Look after our greeting.', { safety, person: { approve } });

assert.equal(output, 'It is mended.');
assert.equal(readFileSync(greeting, 'utf8'), 'Hello, world.\n');
assert.deepEqual(asked, ['coder.may_edit: Edit greeting.txt']);

// 4. What it asked its client for are calls of the agent, on record like all others.
const calls = events.flatMap((event) => (event.type === 'tool.started' ? [event.tool] : []));
assert.deepEqual(calls, ['coder.prompt', 'coder.read', 'coder.may_edit', 'coder.write']);

rmSync(work, { recursive: true });
console.log(`${asked[0]}\n${calls.join(', ')}\n${output}`);
