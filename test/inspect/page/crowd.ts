import type { NewEntry } from '../../../src/inspect/recording/entry.ts';
import { Recording } from '../../../src/inspect/recording/recording.ts';
import { chartShape } from '../../../src/inspect/recording/chart-shape.ts';
import { agentMachine } from '../../../src/machines/agent/agent-machine.ts';

const phases = ['OBSERVE.listening', 'DECIDE', 'ACT', 'REDUCE', 'CHECK_STOP'];

/** A recording of many agents at work: each goes round through its phases, and now and then calls a tool. */
export const crowd = (agents: number, entries: number): Recording => {
  const recording = new Recording({
    capacity: 10 * entries,
    onFailure: () => undefined,
  });
  let at = 1_700_000_000_000;
  const add = (entry: NewEntry): void => {
    recording.add(entry);
    at += 7;
  };
  const team = 'crowd/team';
  add({ kind: 'chart', at, chart: 'agent', shape: chartShape(agentMachine) });
  add({ kind: 'actor', at, actor: team, run: 'crowd', name: 'team', role: 'team' });
  const names = Array.from({ length: agents - 1 }, (_, index) => `worker-${index + 1}`);
  for (const name of names)
    add({
      kind: 'actor',
      at,
      actor: `${team}/${name}`,
      run: 'crowd',
      parent: team,
      name,
      role: 'agent',
      chart: 'agent',
    });
  for (let turn = 0; recording.length < entries; turn += 1) {
    const name = names[turn % names.length] ?? '';
    const actor = `${team}/${name}`;
    const round = Math.floor(turn / names.length);
    const phase = phases[round % phases.length] ?? '';
    const about = { v: 1 as const, seq: turn, at, runId: 'crowd', path: `team/${name}`, agent: name };
    add({
      kind: 'moved',
      at,
      actor,
      on: 'answered.decide',
      arrows: [],
      states: [`agent.running.${phase}`],
      patch: { step: round, inbox: Array.from({ length: turn % 3 }, (_, index) => ({ text: `${index}` })) },
    });
    if (phase !== 'ACT') continue;
    const call = { callId: `call-${turn}`, tool: 'search' };
    add({
      kind: 'published',
      at,
      actor,
      event: { ...about, ...call, type: 'tool.requested', input: { query: `${turn}` } },
    });
    add({
      kind: 'actor',
      at,
      actor: `${actor}#tool.call-${turn}`,
      run: 'crowd',
      parent: actor,
      name: 'search',
      role: 'tool',
    });
    add({
      kind: 'gone',
      at,
      actor: `${actor}#tool.call-${turn}`,
      status: turn % 97 === 0 ? 'failed' : 'done',
      output: 'found',
    });
    const finished = { ok: turn % 97 !== 0, text: 'found', durationMs: 12 };
    add({ kind: 'published', at, actor, event: { ...about, ...call, ...finished, type: 'tool.finished' } });
  }
  return recording;
};
