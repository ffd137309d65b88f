import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool, toolset, type RunOptions, type Tool, type Toolset } from '../../../src/index.ts';
import { policy } from '../../../src/policy/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { calculator } from '../../../src/tools/built-in/calculator.ts';
import { wrapTool } from '../../../src/tools/wrappers/compose.ts';

const shape = { description: 'Does something.', input: z.object({}), execute: () => 'done' };
const wipe = tool({ name: 'wipe', ...shape });
const look = tool({ name: 'look', safety: 'read', ...shape });

/** What became of a call of this tool. */
const madeWith = async (
  safety: RunOptions['safety'],
  given: Tool | Toolset,
  name = given.name,
): Promise<string> => {
  const made = agent({ name: 'a', tools: [given], model: scriptedModel([calls({ name, input: {} }), 'ok']) });
  const { records, events } = await made.run('go', safety === undefined ? {} : { safety });
  const asked = events.some(({ type }) => type === 'tool.approval-requested') ? 'asked: ' : '';
  return `${asked}${records[0]?.results[0]?.ok === true ? 'made' : 'not made'}`;
};

test('[KAIZEN-63] under a policy, a tool that does not declare its safety counts as one that writes', async () => {
  const by = async (mode: NonNullable<Parameters<typeof policy>[0]>['mode']) => [
    await madeWith(policy({ mode }), wipe),
    await madeWith(policy({ mode }), look),
  ];
  expect(await by('plan')).toEqual(['not made', 'made']);
  expect(await by('default')).toEqual(['asked: not made', 'made']);
  expect(await by('team_lead_approval_required')).toEqual(['asked: not made', 'made']);
  expect(await by('bypass')).toEqual(['made', 'made']);
  expect(await madeWith(undefined, wipe), 'without a policy it is made as ever').toBe('made');
});

test('it does so in a toolset and wrapped, for the rules of a policy, and for any safety strategy', async () => {
  const plan = policy({ mode: 'plan' });
  expect(await madeWith(plan, toolset({ name: 'shop', tools: [wipe] }), 'shop.wipe')).toBe('not made');
  expect(
    await madeWith(
      plan,
      wrapTool(wipe, (input, _, next) => next(input)),
    ),
  ).toBe('not made');
  const allow = (safety: 'read' | 'write') => policy({ rules: [{ name: 'yes', effect: 'allow', safety }] });
  expect(await madeWith(allow('read'), wipe)).toBe('asked: not made');
  expect(await madeWith(allow('write'), wipe)).toBe('made');
  const readOnly: RunOptions['safety'] = ({ facts }) =>
    facts.safety === 'read' ? { verdict: 'allow' } : { verdict: 'deny', reason: 'only reading' };
  expect([await madeWith(readOnly, wipe), await madeWith(readOnly, look)]).toEqual(['not made', 'made']);
});

test('the tools of the package declare their safety', () => {
  expect(calculator.undeclared).toBeUndefined();
  const folder = join(import.meta.dirname, '../../../src');
  const silent = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const code = readFileSync(join(folder, file), 'utf8').replaceAll(/^ *\/?\*.*$/gm, '');
      const definitions = [...code.matchAll(/\btool\(\{\n(?:(?!\bexecute\b)[^])*/g)];
      return definitions
        .filter(([text]) => !/\bsafety\b/.test(text))
        .map(([text]) => `${file}: ${text.slice(0, 80)}`);
    });
  expect(silent).toEqual([]);
});
