/**
 * Draws the machines into docs/diagrams.
 *
 *   npm run diagrams
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as house from '../src/patterns/house.ts';
import { agentMachine } from '../src/machines/agent/agent-machine.ts';
import { alertMachine } from '../src/machines/alerts/alert-machine.ts';
import { breakerMachine } from '../src/machines/resources/breaker-machine.ts';
import { toMermaid } from '../src/machines/diagrams/diagram.ts';
import { leaseMachine } from '../src/machines/resources/lease-machine.ts';
import { modelCallMachine } from '../src/machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../src/machines/tool-call/tool-call-machine.ts';
import { workflow } from '../src/patterns/index.ts';

/** A workflow is drawn as its graph: this one as that of three nodes. */
const sample = workflow({ name: 'workflow', description: 'A graph of three nodes.' })
  .node('search', (question: string) => question)
  .node('count', (found: string) => found.length, { after: 'search', optional: true })
  .node('write', (from: { search: string; count: number }) => JSON.stringify(from), {
    after: ['search', 'count'],
  })
  .output('write')
  .build();

const folder = resolve(import.meta.dirname, '../docs/diagrams');

/** Each diagram: the file it belongs in, and what has to be there. */
export const diagrams: readonly { readonly file: string; readonly text: string }[] = [
  { file: join(folder, 'agent.mmd'), text: toMermaid(agentMachine) },
  { file: join(folder, 'model-call.mmd'), text: toMermaid(modelCallMachine) },
  { file: join(folder, 'tool-call.mmd'), text: toMermaid(toolCallMachine) },
  ...Object.entries(house).map(([name, { machine }]) => ({
    file: join(folder, `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.mmd`),
    text: toMermaid(machine()),
  })),
  { file: join(folder, 'breaker.mmd'), text: toMermaid(breakerMachine) },
  { file: join(folder, 'alert.mmd'), text: toMermaid(alertMachine) },
  { file: join(folder, 'lease.mmd'), text: toMermaid(leaseMachine) },
  { file: join(folder, 'workflow.mmd'), text: sample.diagram() },
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(folder, { recursive: true });
  for (const { file, text } of diagrams) writeFileSync(file, text);
}
