import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { oneLine } from '../../base/text/printable.ts';

/** Somebody who takes part: a person, an agent, a model or a tool. */
export type PartKind = 'person' | 'agent' | 'model' | 'tool';

/** Who takes part, by the name that lines know them by. */
export class Cast {
  readonly #ids = new Map<string, { readonly id: string; readonly kind: PartKind; readonly name: string }>();
  readonly #counts = new Map<PartKind, number>();

  /** The name of somebody in lines: `a0`, `m0`, `t3`. */
  id(kind: PartKind, name: string): string {
    const key = `${kind} ${name}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known.id;
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    const id = `${kind.charAt(0)}${count}`;
    this.#ids.set(key, { id, kind, name });
    return id;
  }

  has(kind: PartKind, name: string): boolean {
    return this.#ids.has(`${kind} ${name}`);
  }

  /** A line for each, in the order in which they came. */
  get lines(): readonly string[] {
    return [...this.#ids.values()].map(
      ({ id, kind, name }) =>
        `${kind === 'person' ? 'actor' : 'participant'} ${id} as ${mermaidText(name, 60)}`,
    );
  }
}

/**
 * Text as a Mermaid diagram shows it: all but letters, digits and harmless marks is written by its number, as Mermaid wants it, so that
 * nothing in it ends a line, begins a comment or is markup.
 *
 * @example
 * mermaidText('a; b #1') // => 'a#59; b #35;1'
 */
export const mermaidText = (text: string, limit = 100): string => {
  const line = oneLine(text, limit);
  if (line === '') return '–';
  // A first word `wrap:` would be an order, and `end` the end of a block.
  return line
    .replaceAll(/[^\p{L}\p{M}\p{N} .,!?()'’_/+=–…-]/gu, (character) => `#${character.codePointAt(0)};`)
    .replaceAll(/\bend\b/giu, (word) => `${word.slice(0, 1)}#${word.charCodeAt(1)};${word.slice(2)}`);
};

/** Arrows: what is asked, what comes back, what comes to nothing. */
const ASK = '->>';
const REPLY = '-->>';
const FAIL = '--x';

const parentOf = (path: string): string | undefined =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : undefined;

/** What a person and a root say to each other, and what there is to say of everything else, as lines of a sequence diagram. */
export const sequenceLine = (event: RuntimeEvent, cast: Cast): string | undefined => {
  const { path } = event;
  const self = (): string => cast.id('agent', path);
  const person = (): string => cast.id('person', 'person');
  const line = (from: string, arrow: string, to: string, text: string): string =>
    `${from}${arrow}${to}: ${mermaidText(text)}`;
  switch (event.type) {
    case 'run.started':
      return line(person(), ASK, self(), wordsOf(event.input));
    case 'run.ended': {
      const { status, stopReason, output, error } = event;
      if (status === 'completed') return line(self(), REPLY, person(), wordsOf(output ?? 'done'));
      return line(self(), FAIL, person(), `${status}, ${stopReason.kind}: ${error?.message ?? ''}`);
    }
    case 'model.asked':
      return line(self(), ASK, cast.id('model', event.model), `${event.messages} messages`);
    case 'model.answered': {
      const calls = event.calls === 0 ? '' : ` (${event.calls} calls)`;
      return line(cast.id('model', event.model), REPLY, self(), `${event.text}${calls}`);
    }
    case 'model.failed':
      return line(cast.id('model', event.model), FAIL, self(), event.error.message);
    case 'tool.started':
      return line(self(), ASK, cast.id('tool', event.tool), event.description || wordsOf(event.input));
    case 'tool.finished':
      return line(cast.id('tool', event.tool), event.ok ? REPLY : FAIL, self(), event.text);
    case 'agent.critiqued':
      return `Note over ${self()}: ${mermaidText(`${event.critic ?? 'critic'}: ${event.verdict} ${event.note ?? ''}`)}`;
    default:
      return betweenAgents(event, cast, line) ?? withPeople(event, self, person, line);
  }
};

type Line = (from: string, arrow: string, to: string, text: string) => string;

const betweenAgents = (event: RuntimeEvent, cast: Cast, line: Line): string | undefined => {
  const { path } = event;
  const above = parentOf(path);
  // By its place where that is known, else by its name.
  const place = (name: string): string => {
    const sibling = `${above ?? path}/${name}`;
    return cast.id('agent', cast.has('agent', sibling) ? sibling : name);
  };
  switch (event.type) {
    case 'member.engaged':
      return above === undefined
        ? undefined
        : line(cast.id('agent', above), ASK, cast.id('agent', path), 'engaged');
    case 'member.ended': {
      if (above === undefined) return undefined;
      const arrow = event.status === 'completed' ? REPLY : FAIL;
      return line(
        cast.id('agent', path),
        arrow,
        cast.id('agent', above),
        event.error?.message ?? event.status,
      );
    }
    case 'message.sent':
      return line(place(event.sender ?? event.from), '-)', place(event.to), event.text);
    case 'message.dropped':
      return line(place(event.from), '-x', place(event.to), `${event.text} (${event.reason})`);
    case 'task.handed-over':
      return line(place(event.from), ASK, place(event.to), `handed over ${event.message ?? ''}`);
    case 'child.restarted':
      return `Note over ${cast.id('agent', path)}: ${mermaidText(`${event.member} begins anew`)}`;
    default:
      return undefined;
  }
};

const withPeople = (
  event: RuntimeEvent,
  self: () => string,
  person: () => string,
  line: Line,
): string | undefined => {
  switch (event.type) {
    case 'person.asked':
      return line(self(), ASK, person(), event.question);
    case 'person.answered':
      return line(person(), REPLY, self(), event.text);
    case 'tool.approval-requested':
      return line(self(), ASK, person(), `may I? ${event.description || event.tool}`);
    case 'tool.approved':
      return line(person(), REPLY, self(), `yes: ${event.tool}`);
    case 'tool.denied':
      return line(person(), FAIL, self(), `no: ${event.reason ?? event.tool}`);
    default:
      return undefined;
  }
};

const wordsOf = (value: unknown): string =>
  // No more is shown than a line has room for, however much there is.
  typeof value === 'string' ? value.slice(0, 4_000) : JSON.stringify(value).slice(0, 4_000);
