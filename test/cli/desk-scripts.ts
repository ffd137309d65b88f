import type { Json } from '../../src/base/json/json.ts';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import { researchDesk } from '../../src/cli/desk/research-desk.ts';
import type { ScriptedReply, ScriptedModel } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { documentsFrom } from '../../src/tools/built-in/documents/documents-from.ts';

/** A small library; each file is one passage. */
export const handbook = {
  'leave.md': '# Leave\n\nEverybody has 30 days of leave a year. Unused days expire in March.',
  'travel.md':
    '# Travel\n\nTravel is approved by the head of the department. Trains are preferred to planes.',
  'pay.md': '# Pay\n\nSalaries are paid on the 25th of each month.',
};

export const LEAVE = 'leave.md:1-3';
export const TRAVEL = 'travel.md:1-3';

/** The supervisor's plan: one assignment for each task. */
export const plan = (...tasks: readonly (string | readonly [worker: string, task: string])[]): string =>
  JSON.stringify({
    assignments: tasks.map((task) =>
      typeof task === 'string' ? { worker: 'researcher', task } : { worker: task[0], task: task[1] },
    ),
  });

/** A researcher who searches for some words. */
export const search = (query: string): ScriptedReply =>
  calls({ name: 'documents.search_documents', input: { query } });

/** What a researcher brings back. */
export const found = (...findings: readonly (readonly [text: string, citation: string])[]): string =>
  JSON.stringify({ findings: findings.map(([text, citation]) => ({ text, citation })) });

export const accept = JSON.stringify({ verdict: 'accept', note: 'All of it is grounded.' });
export const revise = (note: string): string => JSON.stringify({ verdict: 'revise', note });

/** Scripts by role. A researcher's is used by each of them in turn: name one for a single task. */
export interface Scripts {
  readonly supervisor: readonly ScriptedReply[];
  readonly researcher: readonly ScriptedReply[];
  readonly writer: readonly ScriptedReply[];
  readonly critic: readonly ScriptedReply[];
}

/** A desk whose roles follow scripts. */
export const scriptedDesk = (scripts: Partial<Scripts>) => {
  const models: { [Role in keyof Scripts]: ScriptedModel } = {
    supervisor: scriptedModel(scripts.supervisor ?? []),
    researcher: scriptedModel(scripts.researcher ?? []),
    writer: scriptedModel(scripts.writer ?? []),
    critic: scriptedModel(scripts.critic ?? []),
  };
  return { models, desk: researchDesk({ documents: documentsFrom(handbook), models }) };
};

/** The whole of a model's last request, as one text. */
export const lastRequest = (model: ScriptedModel): string =>
  (model.requests.at(-1)?.messages ?? []).map(({ text }) => text).join('\n');

/** What critics said of the writer's answers, in order. */
export const verdicts = (events: readonly RuntimeEvent[]): readonly Json[] =>
  events.flatMap((event) =>
    event.type === 'agent.critiqued' && event.agent === 'writer' ? [event.verdict] : [],
  );

/** Who ran, in the order in which they were engaged. */
export const engaged = (events: readonly RuntimeEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'member.engaged' ? [event.member] : []));
