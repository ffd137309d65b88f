import type { ReduceView } from '../../../contracts/agents/agent.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Json } from '../../../base/json/json.ts';
import type { Tool, Toolset } from '../../../contracts/tools/tool.ts';
import { wrapTool } from '../../wrappers/compose.ts';
import { PLAN_TOOL, planIn, withPlan } from '../../plans/plan-state.ts';
import { requiredBy, requiring } from '../../environments/requiring.ts';
import { plan } from './plan.ts';

/** Options of an agent that plans. */
export interface PlannedOptions {
  readonly tools: readonly (Tool | Toolset)[];
  /** The agent's own reducer; it sees the state with the plan in it. */
  readonly reduce?: ((view: ReduceView) => Json) | undefined;
  readonly state?: Json | undefined;
  /** Selects the tools that require a plan. Default: all that change something. */
  readonly gates?: ((tool: Tool) => boolean) | undefined;
}

/** The result of {@link planned}: spread it into an agent's options. */
export interface Planned {
  readonly tools: readonly (Tool | Toolset)[];
  readonly reduce: (view: ReduceView) => Json;
  readonly state: Json;
}

/**
 * Makes an agent plan before it changes anything: the tool `plan`, its place in the state, and a gate before other
 * tools.
 *
 * Until there is a plan, a tool that changes something is refused with guidance; other calls of the step run. A plan
 * takes effect from the next step on.
 *
 * @example
 * agent({ name: 'coder', ...planned({ tools: [fileTools()] }) });
 */
export const planned = ({
  tools,
  reduce,
  state = {},
  gates = changesSomething,
}: PlannedOptions): Planned => ({
  tools: [plan, ...gatedTools(tools, gates)],
  state,
  reduce: (view) => {
    const next = withPlan(view.state, view.results);
    return reduce === undefined ? next : reduce({ ...view, state: next });
  },
});

const changesSomething = ({ safety }: Tool): boolean => safety !== 'read';

const gatedTools = (
  tools: readonly (Tool | Toolset)[],
  gates: (tool: Tool) => boolean,
): readonly (Tool | Toolset)[] => {
  const gated = (each: Tool): Tool => (gates(each) ? planGate(each) : each);
  return tools.map((item) =>
    'tools' in item
      ? {
          name: item.name,
          tools: item.tools.map(gated),
          setup: () => item.setup?.(),
          teardown: () => item.teardown?.(),
        }
      : gated(item),
  );
};

/** Wraps a tool: it is refused until the agent's state contains a plan. */
export const planGate = (inner: Tool): Tool => {
  const gated = wrapTool(inner, (input, context, next) => {
    if (planIn(context.state) !== undefined) return next(input);
    throw new TroupeError(
      'tool.denied',
      `Cannot use '${inner.name}' yet as there is no plan: call '${PLAN_TOOL}' first with 3 to 6 steps, then try again in the next step`,
      { retryable: 'no', tool: inner.name },
    );
  });
  const groups = requiredBy(inner);
  return groups.length === 0 ? gated : requiring(gated, ...groups);
};
