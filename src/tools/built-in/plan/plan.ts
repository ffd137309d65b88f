import { packageTool } from '../../define/define-tool.ts';
import { PLAN_TOOL, planInputSchema, revisedPlan } from '../../plans/plan-state.ts';
import { dual } from '../../calls/tool-result.ts';

/**
 * The control tool `plan`: states the agent's next three to six steps, and later their status.
 *
 * Each call replaces the plan before it. The plan is stored in the agent's state: see `planned`.
 */
export const plan = packageTool({
  name: PLAN_TOOL,
  description:
    'Makes or revises your plan: 3 to 6 steps, each pending, active, done or skipped. Call it before you change ' +
    'anything, and whenever a step is over. Say all steps every time.',
  category: 'control',
  input: planInputSchema,
  describe: ({ steps }) =>
    `Planning: ${steps.find(({ status }) => status === 'active')?.title ?? `${steps.length} steps`}`,
  execute: (said) => {
    const { cursor } = revisedPlan(said);
    const marks = { pending: ' ', active: '>', done: 'x', skipped: '-' };
    const lines = said.steps.map(({ title, status }, index) => `${index + 1}. [${marks[status]}] ${title}`);
    const next = said.steps[cursor];
    const end = next === undefined ? 'All steps are over.' : `Next: ${next.title}`;
    return dual({ text: `${lines.join('\n')}\n${end}`, value: said });
  },
});
