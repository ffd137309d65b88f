import type { Agent } from '../../../src/contracts/agents/agent.ts';
import { act } from '../../../src/contracts/agents/decision.ts';
import type { Json } from '../../../src/base/json/json.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { concurrencyPool, locks, shared, type ConcurrencyPool, type Locks } from '../../../src/index.ts';
import type { Member, PatternRow } from '../../coordination/patterns/pattern-row.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { Reach } from './outside-tools.ts';
import { there } from './outside-tools.ts';

/** More than any member is asked for. */
const OFTEN = 50;

/** What members have in common: one asks a model at a time, and one pays. It lives in its process, and is free in the next. */
const sharedByAll = (): { readonly pool: ConcurrencyPool; readonly till: Locks } => ({
  pool: concurrencyPool(1),
  till: locks(),
});

type SharedByAll = ReturnType<typeof sharedByAll>;

/** Does something outside in every life that it has, and then says what a good member says. */
const member = (
  name: string,
  { says }: PatternRow,
  outage: readonly Error[],
  { pool, till }: SharedByAll,
  reach: Reach,
): Member =>
  agent({
    name,
    failures: { retry: { attempts: 1 } },
    tools: [
      there('note', 'idempotent', reach),
      till.locked(there('pay', 'a person', reach), 'till'),
      till.locked(there('book', 'the tool', reach), 'till'),
    ],
    decide: ({ step }) => {
      const calls = ['note', 'pay', 'book'].map((tool) => ({ name: tool, input: { what: tool } }));
      return step === 0 ? act(...calls) : undefined;
    },
    model: shared(scripted([...outage, ...Array.from({ length: OFTEN }, () => says(name))]), { pool }),
  });

/** What befalls the members: the first breaks down in its first life and begins anew; or the last does for good. */
export type Fate = 'begins anew' | 'breaks';

/** A pattern of the contract, one of whose members breaks down, each time after what it did. */
const patternOf = (row: PatternRow, fate: Fate, common: SharedByAll, reach: Reach): Member => {
  const outage = new TroupeError('model.unavailable', 'Cannot stand');
  const [ann, bob] = fate === 'breaks' ? [[], Array.from({ length: OFTEN }, () => outage)] : [[outage], []];
  const team = row.make(
    { ann: member('ann', row, ann, common, reach), bob: member('bob', row, bob, common, reach) },
    {
      name: row.name,
      ...(fate === 'breaks' ? {} : { failures: { supervision: { backOff: { leastMs: 1, mostMs: 10 } } } }),
    },
  );
  // Nobody asks for the type of what it gives.
  return team as Member;
};

/** One pattern, or all of them in a line: `house`. They are made in order, as each model of a script has its number. */
export const patternSubject = (
  rows: readonly PatternRow[],
  fate: Fate,
  reach: Reach,
): Agent<string, unknown> => {
  const common = sharedByAll();
  const teams = rows.map((row) => patternOf(row, fate, common, reach));
  const [first] = teams;
  if (first === undefined) throw new Error('there is no pattern');
  if (teams.length === 1) return first;
  const given = (_: Json, task: Json): Json => task;
  const [start, ...others] = teams.map((agent) => ({ agent, map: given }));
  const last = others.pop();
  if (start === undefined || last === undefined) return first;
  return pipeline<string, unknown>({ name: 'house', stages: [start, ...others, last] });
};
