import { Recording } from '../../../src/inspect/recording/recording.ts';
import type { NewEntry } from '../../../src/inspect/recording/entry.ts';
import { chartShape } from '../../../src/inspect/recording/chart-shape.ts';
import { agentMachine } from '../../../src/machines/agent/agent-machine.ts';
import { groupParts } from '../../../src/machines/diagrams/composition.ts';

/** A recording of a team of equal members, of whom some were engaged and a few have failed. */
export const troupeOf = (
  members: number,
  engaged: number,
  failed: number,
): { readonly recording: Recording } => {
  const recording = new Recording({
    capacity: 100_000,
    onFailure: () => undefined,
  });
  const at = 1_700_000_000_000;
  const add = (entry: NewEntry): void => {
    recording.add(entry);
  };
  const roles = Array.from({ length: members }, (_, index) => `reader${index}`);
  const composition = groupParts({
    name: 'readers',
    description: 'They all read.',
    parts: roles.map((id) => ({ id, kind: 'agent', title: id, description: '', lines: [] })),
    arrows: roles.map((to) => ({ from: 'in:', to, text: '', isTwoWay: false })),
  });
  const root = 'many/readers';
  add({ kind: 'chart', at, chart: 'agent', shape: chartShape(agentMachine) });
  add({ kind: 'actor', at, actor: root, run: 'many', name: 'readers', role: 'team', composition });
  for (const [index, role] of roles.slice(0, engaged).entries()) {
    const actor = `${root}/${role}-${index + 1}`;
    add({ kind: 'actor', at, actor, run: 'many', parent: root, name: role, role: 'agent', chart: 'agent' });
    add({ kind: 'moved', at, actor, on: 'begun', arrows: [], states: ['agent.running.DECIDE'] });
    if (index < failed) add({ kind: 'gone', at: at + 5, actor, status: 'failed' });
  }
  return { recording };
};
