import type { LiveEvent } from '../../../contracts/events/event.ts';
import { mermaidText } from '../../../machines/diagrams/mermaid-text.ts';
import type { Entry } from '../../recording/entry.ts';
import type { Lane, SequenceRow } from '../../recording/sequence.ts';
import { lanesOf, Sequence } from '../../recording/sequence.ts';
import type { Trace } from '../trace.ts';

/** The options of a sequence diagram. */
export interface SequenceOptions {
  /** Messages; the rest is counted in a last note. Default 300, as a browser draws no thousands. */
  readonly limit?: number | undefined;
}

/** Arrows: what is asked, what comes back, what comes to nothing, what is said. */
const arrows: Readonly<Record<SequenceRow['kind'], string>> = {
  begin: '->>',
  ask: '->>',
  answer: '-->>',
  failure: '--x',
  message: '-)',
};

/** A run as a Mermaid sequence diagram, as the inspector's page shows it: who said what to whom, of agents, models, tools and people. */
export const traceAsSequence = async (
  { events }: Pick<Trace, 'events'>,
  { limit = 300 }: SequenceOptions = {},
): Promise<string> => {
  const { recordingOf } = await import('../recorded/trace-recording.ts');
  const sequence = new Sequence();
  const notes: Note[] = [];
  for (const line of recordingOf(events).from()) {
    // The recording wrote it.
    const entry = JSON.parse(line) as Entry;
    sequence.take(entry);
    const text = entry.kind === 'published' ? noteOf(entry.event) : undefined;
    if (text !== undefined && entry.kind === 'published') notes.push({ n: entry.n, over: entry.actor, text });
  }
  const all = [...sequence.rows, ...notes].toSorted((one, other) => one.n - other.n);
  const shown = all.slice(0, limit);
  const lanes = lanesOf(
    shown.flatMap((each) => ('kind' in each ? [each] : [])),
    sequence.lanes,
  );
  const names = new Map(lanes.map(({ id }, index) => [id, `p${index}`]));
  const lineOf = (each: SequenceRow | Note): string | undefined => {
    if ('kind' in each)
      return `${names.get(each.from) ?? ''}${arrows[each.kind]}${names.get(each.to) ?? ''}: ${mermaidText(each.label)}`;
    const name = names.get(each.over);
    return name === undefined ? undefined : `Note over ${name}: ${mermaidText(each.text)}`;
  };
  const [first] = names.values();
  const rest = all.length - shown.length;
  const lines = [
    ...lanes.map((lane) => `${kindOf(lane)} ${names.get(lane.id) ?? ''} as ${mermaidText(lane.name, 60)}`),
    ...shown.flatMap((each) => lineOf(each) ?? []),
    ...(rest === 0 || first === undefined ? [] : [`Note over ${first}: and ${rest} more`]),
  ];
  return ['sequenceDiagram', ...lines.map((line) => `  ${line}`), ''].join('\n');
};

/** A note about an actor, for events that are not messages. */
interface Note {
  readonly n: number;
  readonly over: string;
  readonly text: string;
}

const noteOf = (event: LiveEvent): string | undefined => {
  switch (event.type) {
    case 'agent.critiqued':
      return `${event.critic ?? 'critic'}: ${event.verdict} ${event.note ?? ''}`;
    case 'task.handed-over':
      return `${event.from} hands over to ${event.to} ${event.message ?? ''}`;
    case 'message.dropped':
      return `${event.from} did not reach ${event.to}: ${event.reason}`;
    case 'child.restarted':
      return `${event.member} restarts`;
    default:
      return undefined;
  }
};

const kindOf = ({ role }: Lane): string =>
  role === 'person' || role === 'outside' ? 'actor' : 'participant';
