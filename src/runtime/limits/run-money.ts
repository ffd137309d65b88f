import type { Budget } from '../../contracts/runs/budget.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { TurnCounter } from '../../memory/tokens/count-tokens.ts';
import { allottedLimits } from '../../policy/allotted-limits.ts';
import { BudgetAccount } from '../../policy/budget-account.ts';
import type { WorkTime } from '../../policy/work-time.ts';
import type { BudgetLimits } from '../../policy/budget-limits.ts';
import { budgetLimits, overriding } from '../../policy/budget-limits.ts';
import type { Actor } from '../actors/actor.ts';
import type { Definition } from '../define/definition.ts';
import type { EventLog } from '../log/event-log.ts';
import type { BudgetRecorder, TurnRecorder } from '../journal/write/journal-port.ts';
import { PriceBook } from './price-book.ts';

/** The log and journal that budget usage is written to. */
interface Books {
  readonly log: Pick<EventLog, 'write' | 'now'>;
  readonly journal: BudgetRecorder & Pick<TurnRecorder, 'aside'>;
  readonly person: { readonly time: WorkTime };
}

/** Budgets and prices of a run. Owns the prices and the budget of the whole run. */
export class RunMoney {
  readonly prices: PriceBook;
  readonly #limits: BudgetLimits | undefined;
  #counter: TurnCounter | undefined;

  /** @throws {TroupeError} `budget.invalid` for an invalid budget. */
  constructor(
    root: Definition,
    { limits = {}, prices }: Pick<RunOptions, 'limits' | 'prices'>,
    ofTask?: Budget,
  ) {
    this.prices = new PriceBook(prices);
    const whole = overriding(overriding(root.budget, ofTask), limits.budget);
    this.#limits = budgetLimits(whole, { code: 'budget.invalid', owner: `the run of '${root.name}'` });
  }

  /** Counts each turn once in the whole run. */
  get counter(): TurnCounter {
    return (this.#counter ??= new TurnCounter());
  }

  /** The account that an actor draws on: its own if it has a budget, otherwise its parent's. */
  accountOf(actor: Actor, { log, journal, person: { time: work } }: Books): BudgetAccount | undefined {
    const { sponsor, definition, path } = actor;
    const isRoot = sponsor.kind === 'root';
    const above = isRoot ? undefined : sponsor.parent.principal.account;
    const limits = isRoot
      ? this.#limits
      : allottedLimits(limitsOf(definition), actor.terms?.budget, above, `'${path}'`);
    if (limits === undefined) return above;
    const onWarning: ConstructorParameters<typeof BudgetAccount>[0]['onWarning'] = (
      budget,
      { limit, used, fraction },
    ) => {
      // An effect that is withdrawn in a turn settles there, which a replay has no effect for.
      journal.aside(() => {
        log.write({ type: 'budget.warned', budget, limit, used, fraction }, actor);
      });
    };
    const now = (): number => log.now();
    const onUse = (account: BudgetAccount, key?: string): void => {
      journal.drawn(actor, account, key);
    };
    const drawn = journal.budgets.at(path);
    return new BudgetAccount({ limits, path, now, work, above, onWarning, onUse, drawn });
  }
}

/** Validated when the agent or team was defined. */
const limitsOf = ({ budget, name }: Definition): BudgetLimits | undefined =>
  budgetLimits(budget, { code: 'agent.invalid', owner: `'${name}'` });
