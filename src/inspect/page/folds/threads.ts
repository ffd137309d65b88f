import type { RuntimeEvent } from '../../../contracts/events/runtime-event.ts';
import type { ActorEntry, Entry, GoneEntry, MovedEntry, ReceivedEntry } from '../../recording/entry.ts';
import { memberName } from '../../recording/member-name.ts';
import type { TableauData } from '../../recording/tableau.ts';
import { inputText } from '../../drawing/input-text.ts';
import { stopWords } from '../../drawing/stop-words.ts';
import { mediaIn } from '../media-in.ts';
import type {
  SaidEvent,
  Speaker,
  ThreadCall,
  ThreadCalls,
  ThreadItem,
  ThreadNote,
  ThreadWords,
} from '../thread/thread-item.ts';
import { textIn, valueIn, valueText } from '../transcript.ts';
import { countBelow } from '../timeline.ts';

/** The words and calls of an actor, to it, and below it: the items in the order of time, with their places. */
interface Thread {
  readonly items: ThreadItem[];
  readonly places: number[];
}

/** An agent, a team, or the call of an agent, which speaks for it. */
interface Voice extends Thread {
  readonly speaker: Speaker;
  readonly run: string;
  readonly isTeam: boolean;
  readonly above: Voice | undefined;
  /** The place at which its first member came. */
  membersFrom: number;
  /** True once its task is known. */
  isTold: boolean;
  /** True if the answer that it decides on is what its model said. */
  hasSpoken: boolean;
  /** Its last answer, or that of one below it. */
  answer: ThreadWords | undefined;
  /** The line of its latest calls, while nothing else of it follows. */
  calls: ThreadCalls | undefined;
  /** Its calls that are not over. */
  readonly open: Map<string, ThreadCall>;
}

const OUTSIDE: Speaker = { name: 'outside' };
const PERSON: Speaker = { name: 'person' };
const RUNTIME: Speaker = { name: 'runtime' };

/**
 * The threads of teams: for each actor, all words of and to it and those below it.
 *
 * T1  An item stands once in a thread, however many of its members have a part in it, in the order of time.
 * T2  An entry costs a step for each actor above the one that it is about, however long the threads are.
 */
export class Threads {
  readonly #voices = new Map<string, Voice>();
  /** Messages by run and id, while their media may still come. */
  readonly #messages = new Map<string, ThreadWords>();

  constructor(base?: TableauData) {
    // What was said before the recording begins is not known.
    for (const view of base?.actors ?? []) this.#come(view, base?.length ?? 0, true);
  }

  /** Takes in the next entry; of events that a resumed run repeats, the first alone. */
  take(entry: Entry): void {
    if (entry.kind === 'actor') this.#come(entry, entry.n, false);
    else if (entry.kind === 'moved') this.#begin(entry);
    else if (entry.kind === 'received') this.#addMedia(entry);
    else if (entry.kind === 'gone') this.#go(entry);
    else if (entry.kind === 'published' && entry.event.type !== 'model.delta')
      this.#addEvent(entry, this.#voices.get(entry.actor), entry.event);
  }

  /** The items of an actor's thread up to a place. */
  threadAt(actor: string, length: number): { readonly items: readonly ThreadItem[]; readonly count: number } {
    const { items, places } = this.#voices.get(actor) ?? { items: [], places: [] };
    return { items, count: countBelow(places, length) };
  }

  /** Checks whether an actor had members at a place. */
  isTeamAt(actor: string, length: number): boolean {
    return (this.#voices.get(actor)?.membersFrom ?? Infinity) < length;
  }

  /** Checks whether an actor is another one, or below it. */
  isWithin(actor: string, around: string): boolean {
    for (let voice = this.#voices.get(actor); voice !== undefined; voice = voice.above)
      if (voice.speaker.actor === around) return true;
    return false;
  }

  /** An actor as it speaks. */
  speakerOf(actor: string): Speaker | undefined {
    return this.#voices.get(actor)?.speaker;
  }

  #come(
    entry: Pick<ActorEntry, 'actor' | 'run' | 'parent' | 'name' | 'role'>,
    n: number,
    isTold: boolean,
  ): void {
    const { actor, run, parent = '', role } = entry;
    if (this.#voices.has(actor)) return;
    const above = this.#voices.get(parent);
    if (role === 'call' && above !== undefined) this.#voices.set(actor, above);
    if (role !== 'agent' && role !== 'team') return;
    if (above !== undefined) above.membersFrom = Math.min(above.membersFrom, n);
    this.#voices.set(actor, {
      speaker: { name: memberName(entry), actor },
      run,
      isTeam: role === 'team',
      above,
      membersFrom: Infinity,
      isTold,
      hasSpoken: false,
      answer: undefined,
      calls: undefined,
      open: new Map(),
      items: [],
      places: [],
    });
  }

  /** The task of an actor is known once it starts. */
  #begin({ n, at, actor, patch }: MovedEntry): void {
    const voice = this.#voices.get(actor);
    const input = patch?.['input'];
    if (voice === undefined || voice.isTold || voice.speaker.actor !== actor || isEmpty(input)) return;
    voice.isTold = true;
    const from = voice.above?.speaker ?? OUTSIDE;
    const parts = mediaIn(input);
    const words = { from, to: voice.speaker, text: valueText(inputText(input)), media: { n, parts } };
    this.#add({ n, at, kind: 'words', ...words }, voice);
  }

  /** A team answers as it ends. */
  #go({ n, at, actor, status, output }: GoneEntry): void {
    const voice = this.#voices.get(actor);
    if (voice?.isTeam && status === 'done') this.#answer({ n, at }, voice, output);
  }

  /** Adds the answer of an actor, unless it is what one of its thread said last. */
  #answer({ n, at }: Pick<Entry, 'n' | 'at'>, voice: Voice, output: unknown): void {
    if (isEmpty(output)) return;
    const text = valueText(output);
    if (voice.answer?.text !== text) this.#say({ n, at }, voice, text, { to: voice.above?.speaker });
  }

  /** Adds what an actor says of its own, and what follows is not of the calls before. */
  #say(
    { n, at }: Pick<Entry, 'n' | 'at'>,
    voice: Voice,
    text: string,
    more: Pick<ThreadWords, 'to' | 'event'>,
  ): void {
    const words: ThreadWords = { n, at, kind: 'words', from: voice.speaker, text, ...more };
    this.#add(words, voice);
    for (let each: Voice | undefined = voice; each !== undefined; each = each.above) each.answer = words;
  }

  #addEvent({ n, at }: Pick<Entry, 'n' | 'at'>, voice: Voice | undefined, event: RuntimeEvent): void {
    if (voice === undefined) return;
    const note = (tone: ThreadNote['tone'], title: string, text: string): void => {
      this.#add({ n, at, kind: 'note', from: voice.speaker, tone, title, text }, voice);
    };
    const tell = (from: Speaker, to: Speaker | undefined, text: string): void => {
      this.#add({ n, at, kind: 'words', from, to, text }, voice);
    };
    // Of an event that is too long to be shown only its head is there.
    if ('cut' in event && typeof event.cut === 'string') {
      if (spoken.has(event.type)) note('plain', `${event.type} (too long)`, event.cut);
      return;
    }
    if (event.type.startsWith('tool.')) {
      this.#call({ n, at }, voice, event);
      return;
    }
    switch (event.type) {
      case 'agent.observed':
        voice.hasSpoken = false;
        // Calls of several steps are one line as long as nobody else is heard between them.
        if (rootOf(voice).items.at(-1) !== voice.calls) voice.calls = undefined;
        return;
      case 'model.answered':
        if (event.text === '') return;
        voice.hasSpoken = true;
        this.#say({ n, at }, voice, event.text, { event: eventOf(event, voice, event.key) });
        return;
      case 'agent.decided':
        if (event.decision.kind === 'answer' && !voice.hasSpoken)
          this.#answer({ n, at }, voice, event.decision['answer']);
        return;
      case 'message.sent':
        this.#send({ n, at }, voice, event);
        return;
      case 'task.handed-over':
        tell({ name: event.from }, { name: event.to }, event.message ?? '(hands over the task)');
        return;
      case 'insight.shared':
        tell({ name: event.member }, undefined, event.content);
        return;
      case 'team.noted':
        tell(voice.speaker, undefined, event.text);
        return;
      case 'person.asked':
        tell(voice.speaker, PERSON, event.question);
        return;
      case 'person.answered':
        tell(PERSON, voice.speaker, event.text);
        return;
      case 'agent.reminded':
      case 'agent.auto-completed':
        tell(RUNTIME, voice.speaker, event.text);
        return;
      case 'agent.critiqued':
        if (event.verdict !== 'accept' && event.note !== undefined)
          tell({ name: event.critic ?? 'critic' }, voice.speaker, event.note);
        return;
      case 'member.ended':
      case 'run.ended': {
        const { status, stopReason, error } = event;
        const isDone = status === 'completed';
        // A recording of events alone does not say otherwise what a team answered.
        if (event.type === 'run.ended' && isDone && voice.isTeam)
          this.#answer({ n, at }, voice, event.output);
        if (isDone && event.type === 'member.ended') return;
        const title = status === stopReason.kind ? status : `${status}: ${stopReason.kind}`;
        note(
          isDone ? 'good' : status === 'failed' ? 'error' : 'warning',
          title,
          isDone ? '' : stopWords(stopReason, error),
        );
        return;
      }
      default:
    }
  }

  #send(
    { n, at }: Pick<Entry, 'n' | 'at'>,
    root: Voice,
    event: RuntimeEvent & { type: 'message.sent' },
  ): void {
    const { runId, sender, from, to, text, id } = event;
    const one = sender === undefined ? undefined : this.#voices.get(`${runId}/${sender}`);
    const other = this.#voices.get(`${runId}/${to}`);
    const words: ThreadWords = {
      n,
      at,
      kind: 'words',
      from: one?.speaker ?? { name: from },
      to: other?.speaker ?? { name: to },
      text,
      // What members send each other follows from what their models say.
      event: sender === undefined ? eventOf(event, root) : undefined,
    };
    if (one !== undefined) one.calls = undefined;
    this.#add(words, ...[one, other].flatMap((each) => each ?? []), ...((one ?? other) ? [] : [root]));
    if (id !== undefined) this.#messages.set(`${runId} ${id}`, words);
  }

  #call({ n, at }: Pick<Entry, 'n' | 'at'>, voice: Voice, event: RuntimeEvent): void {
    if (event.type === 'tool.requested') {
      const { callId, tool, input } = event;
      const call: ThreadCall = { n, callId, tool, input, changes: [{ n, status: 'requested' }] };
      voice.open.set(callId, call);
      if (voice.calls !== undefined) voice.calls.calls.push(call);
      else {
        const line: ThreadCalls = { n, at, kind: 'calls', from: voice.speaker, calls: [call] };
        this.#add(line, voice);
        voice.calls = line;
      }
      return;
    }
    if (!('callId' in event)) return;
    const { changes } = voice.open.get(event.callId ?? '') ?? {};
    const status =
      event.type === 'tool.finished'
        ? event.ok
          ? 'done'
          : changes?.at(-1)?.status === 'denied'
            ? 'denied'
            : 'failed'
        : statuses[event.type];
    const seq = event.type === 'tool.finished' ? event.seq : undefined;
    if (status !== undefined) changes?.push({ n, status, seq });
  }

  /** Events of the runtime tell of media in words; what an actor received has them. */
  #addMedia({ n, actor, event }: ReceivedEntry): void {
    const voice = this.#voices.get(actor);
    if (voice === undefined) return;
    if (event.type === 'message') {
      this.#addMessages(n, voice.run, event);
      return;
    }
    if (event.type !== 'answered.act' && event.type !== 'answered.decide') return;
    const parts = mediaIn(event);
    if (event.type === 'answered.act') {
      const callId = textIn(event, 'output', 'result', 'callId');
      const call = voice.open.get(callId);
      // Its result is the last that is heard of a call.
      voice.open.delete(callId);
      if (call !== undefined && parts.length > 0) call.media = { n, parts };
    } else if (parts.length > 0 && voice.answer?.from === voice.speaker) voice.answer.media = { n, parts };
  }

  /** A team is given each message, an agent all that it has not read yet, where a new one is first or last. */
  #addMessages(n: number, run: string, event: { readonly type: string }): void {
    const inbox = valueIn(event, 'inbox');
    const given: readonly unknown[] = Array.isArray(inbox) ? inbox : [valueIn(event, 'message')];
    const end = given.findIndex((message) => !this.#addParts(n, run, message));
    for (let index = given.length - 1; index > end && end !== -1; index -= 1)
      if (!this.#addParts(n, run, given[index])) return;
  }

  /** Adds the media of a message as it is given first; false for a known one. */
  #addParts(n: number, run: string, message: unknown): boolean {
    const key = `${run} ${textIn(message, 'id')}`;
    const words = this.#messages.get(key);
    if (words === undefined) return false;
    this.#messages.delete(key);
    const parts = mediaIn(valueIn(message, 'parts'));
    if (parts.length > 0) words.media = { n, parts };
    return true;
  }

  /** Adds an item to the threads of those that have a part in it, and of all above them. */
  #add(item: ThreadItem, ...voices: readonly Voice[]): void {
    const reached = new Set<Voice>();
    for (const voice of voices) {
      voice.calls = undefined;
      for (let each: Voice | undefined = voice; each !== undefined && !reached.has(each); each = each.above) {
        reached.add(each);
        each.items.push(item);
        each.places.push(item.n);
      }
    }
  }
}

const eventOf = (
  { seq, type }: RuntimeEvent & Pick<SaidEvent, 'type'>,
  { speaker: { actor } }: Voice,
  key?: string,
): SaidEvent | undefined => (actor === undefined ? undefined : { actor, seq, type, key });

const rootOf = (voice: Voice): Voice => (voice.above === undefined ? voice : rootOf(voice.above));

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Events that say something, which may be too long to be shown. */
const spoken: ReadonlySet<string> = new Set([
  'model.answered',
  'message.sent',
  'person.asked',
  'person.answered',
  'insight.shared',
  'team.noted',
  'agent.critiqued',
  'run.ended',
]);

const statuses: Readonly<Record<string, ThreadCall['changes'][number]['status']>> = {
  'tool.approval-requested': 'awaiting approval',
  'tool.ambiguous': 'ambiguous',
  'tool.approved': 'requested',
  'tool.denied': 'denied',
  'tool.started': 'running',
};
