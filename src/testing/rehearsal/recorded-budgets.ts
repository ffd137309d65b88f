import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { budgetKinds } from '../../contracts/runs/budget.ts';
import type { Actor } from '../../runtime/actors/actor.ts';
import type { Run } from '../../runtime/run/run.ts';
import type { RunDifference } from './difference.ts';

/** The limits of one budget, by kind. */
type Limits = Readonly<Record<string, number>>;

/** The limits of the budgets of a run, as its answers have them: a replay takes them from there, whatever a candidate's are. */
export class RecordedBudgets {
  readonly #byPath = new Map<string, Record<string, number>>();
  readonly #checked = new Set<string>();

  constructor(records: readonly JournalRecord[]) {
    for (const record of records)
      if (record.kind === 'arrived' && record.arrival.type === 'answered') this.#take(record.arrival.output);
  }

  /** The first budget of an agent, or of a team above it, whose limits the candidate has changed. */
  differenceFor(run: Run, agent: Actor): Pick<RunDifference, 'part' | 'recorded' | 'found'> | undefined {
    for (let actor: Actor | undefined = agent; actor !== undefined; actor = actor.parent) {
      if (this.#checked.has(actor.path)) return undefined;
      this.#checked.add(actor.path);
      const recorded = this.#byPath.get(actor.path) ?? {};
      const found = ownLimits(run.actors.at(actor.path));
      const isSame = budgetKinds.every(
        (kind) => recorded[kind] === found[kind] || this.#isHidden(kind, recorded),
      );
      if (!isSame) return { part: 'budget', recorded: toJson(recorded), found: toJson(found) };
    }
    return undefined;
  }

  /** Of several limits of a kind, only the narrowest is on record. */
  #isHidden(kind: string, recorded: Limits): boolean {
    return (
      recorded[kind] === undefined && [...this.#byPath.values()].some((limits) => limits[kind] !== undefined)
    );
  }

  #take(output: unknown): void {
    const answer = toJson(output ?? null);
    const budget = isJsonObject(answer) ? answer['budget'] : undefined;
    if (!isJsonObject(budget)) return;
    for (const kind of budgetKinds) this.#takeLine(kind, budget[kind]);
  }

  #takeLine(kind: string, line: Json | undefined): void {
    if (!isJsonObject(line)) return;
    const { path, limit } = line;
    if (typeof path !== 'string' || typeof limit !== 'number') return;
    const known = this.#byPath.get(path);
    if (known === undefined) this.#byPath.set(path, { [kind]: limit });
    else known[kind] = limit;
  }
}

const ownLimits = (actor: Actor | undefined): Limits => {
  const account = actor?.account;
  if (account === undefined || account.path !== actor?.path) return {};
  const found: Record<string, number> = {};
  for (const kind of budgetKinds) {
    const limit = account.limits[kind];
    if (limit !== undefined && limit !== Infinity) found[kind] = limit;
  }
  return found;
};
