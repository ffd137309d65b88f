import { mermaidText } from '../../machines/diagrams/mermaid-text.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';

/** The speakers that are no agents. */
const OTHERS = ['model', 'tool', 'critic', 'person', 'clock', 'caller', 'store', 'process'] as const;

/** One move of a story. */
interface DrawnMove {
  readonly path: string;
  readonly by: string;
  readonly does: string;
  readonly events: readonly RuntimeEvent[];
}

/** A story as a Mermaid sequence diagram: what the environment does, and what agents and teams do about it. */
export const sequenceDiagram = (
  moves: readonly DrawnMove[],
  note?: { readonly path: string; readonly text: string },
): string => {
  const names = new Map<string, string>();
  const nameOf = (actor: string): string => {
    // The actor of a call speaks for its agent.
    const who = actor.replace(/\/~[^/]*$/, '');
    const known = names.get(who) ?? `p${names.size}`;
    names.set(who, known);
    return known;
  };
  const lines: string[] = [];
  for (const { path, by, does, events } of moves) {
    lines.push(`${nameOf(by)}->>${nameOf(path)}: ${mermaidText(does)}`);
    for (const event of events) lines.push(...linesOf(event, nameOf));
  }
  if (note !== undefined) lines.push(`Note over ${nameOf(note.path)}: ${mermaidText(note.text)}`);
  const people = new Set<string>(OTHERS);
  const participants = [...names].map(
    ([who, name]) => `${people.has(who) ? 'actor' : 'participant'} ${name} as ${mermaidText(who, 60)}`,
  );
  return ['sequenceDiagram', ...[...participants, ...lines].map((line) => `  ${line}`), ''].join('\n');
};

const linesOf = (event: RuntimeEvent, nameOf: (who: string) => string): readonly string[] => {
  const { path } = event;
  const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  switch (event.type) {
    case 'member.engaged':
      return above === ''
        ? []
        : [`${nameOf(above)}->>${nameOf(path)}: ${mermaidText(`engages ${event.member}`)}`];
    case 'member.ended':
      return above === '' ? [] : [`${nameOf(path)}-->>${nameOf(above)}: ${mermaidText(event.status)}`];
    case 'tool.started':
      return [
        `${nameOf(path)}->>${nameOf('tool')}: ${mermaidText(`${event.tool} ${JSON.stringify(event.input)}`)}`,
      ];
    case 'tool.approval-requested':
      return [`${nameOf(path)}->>${nameOf('person')}: ${mermaidText(`may I call ${event.tool}?`)}`];
    case 'tool.denied':
      return event.id === undefined
        ? [
            `Note over ${nameOf(path)}: ${mermaidText(`${event.tool} is denied${event.rule === undefined ? '' : ` by ${event.rule}`}`)}`,
          ]
        : [];
    case 'run.ended':
      return [`Note over ${nameOf(path)}: ${mermaidText(`the run is ${event.status}`)}`];
    default:
      return [];
  }
};
