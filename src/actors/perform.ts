import type { AgentContext, Decided } from '../machines/agent/agent-context.ts';
import type { Ask } from '../machines/asks.ts';
import { approve } from './acting/approve.ts';
import { awaitTime } from './await-time.ts';
import { callModel } from './deciding/call-model.ts';
import { callTool } from './acting/call-tool.ts';
import { critique } from './critics/critique.ts';
import { decide } from './deciding/decide.ts';
import type { Desk } from './desk.ts';
import { observe } from './observing/observe.ts';
import { recover } from './recover.ts';
import { prepare } from './preparing/prepare.ts';
import { andThen } from '../base/promises/thenable.ts';
import { cutTurn } from './deciding/cut-turn.ts';
import { reviewDecided } from './strategies/review-decided.ts';
import { withinBudget } from './within-budget.ts';

/** Executes an effect by its port. An exception becomes `failed.PORT`. */
export const perform = (ask: Ask, desk: Desk): unknown => {
  const { account } = desk;
  return account === undefined ? work(ask, desk) : withinBudget(ask, desk, account, work);
};

const work = (ask: Ask, desk: Desk): unknown => {
  switch (ask.port) {
    case 'decide':
      return reviewByStrategies(decide(ask, ask.input, desk), ask, ask.input, desk);
    case 'act':
    case 'tool':
      return callTool(ask, ask.input, desk);
    case 'prepare':
      return prepare(ask.input, desk);
    case 'observe':
      return observe(ask.input, desk);
    case 'critique':
      return critique(ask.input, desk);
    case 'model':
      return reviewByStrategies(
        callModel(ask, ask.input.context, { ...ask.input, attempt: ask.attempt }, desk),
        ask,
        ask.input.context,
        desk,
      );
    case 'recover':
      return recover(ask.input, desk);
    case 'approve':
      return approve(ask, ask.input, desk);
    case 'wake':
    case 'pause':
      return awaitTime(ask.input, desk);
  }
};

/** Lets the agent's strategies review a decision, the outermost last; its turn is cut to size afterwards. */
const reviewByStrategies = (
  decided: Decided | Promise<Decided>,
  ask: Ask,
  context: AgentContext,
  desk: Desk,
): Decided | Promise<Decided> => {
  const reviewing = desk.definition.strategies.filter(({ review }) => review !== undefined);
  if (reviewing.length === 0) return decided;
  const seen = reviewing.reduceRight(
    (earlier, strategy) => andThen(earlier, (settled) => reviewDecided(settled, strategy, context, desk)),
    decided,
  );
  return andThen(seen, (settled) => cutTurn(settled, desk));
};
