import { several } from '../../base/text/number-words.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { heldRuns } from '../../runtime/journal/resume/left-running.ts';
import type { Session } from '../session.ts';

/** Says how many runs of the agents other processes hold: one that was killed does so for a while. */
export const nameHeldRuns = async (
  store: JournalStore,
  agents: readonly { readonly name: string }[],
  { terminal, settings, sidePaint: paint }: Session,
): Promise<void> => {
  const held = await heldRuns(store);
  if (settings.quiet || held.size === 0) return;
  const own = new Set(
    (await store.leases()).flatMap(({ runId, holder }) => (holder === store.identity?.holder ? [runId] : [])),
  );
  const names = new Set(agents.map(({ name }) => name));
  const unfinished = await store.list({ status: ['running', 'waiting'] });
  const elsewhere = unfinished.filter(
    ({ runId, agent }) => held.has(runId) && !own.has(runId) && names.has(agent),
  );
  if (elsewhere.length === 0) return;
  const are = elsewhere.length === 1 ? 'is' : 'are';
  const them = elsewhere.length === 1 ? 'it goes' : 'they go';
  terminal.stderr.write(
    `  ${paint.yellow('!')} ${several(elsewhere.length, 'run')} ${are} held by other processes: ${them} on here once these have ended, at most 15 s later\n`,
  );
};
