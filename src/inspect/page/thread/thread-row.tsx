import { useState } from 'preact/hooks';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import { ChangeButton } from '../change/change-button.tsx';
import { ChangedNote } from '../change/changed-note.tsx';
import { countOf } from '../figures.ts';
import { pointedAt, select, thread } from '../page-state.ts';
import { MediaView } from '../parts/media-view.tsx';
import { Text } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { Prose } from '../prose/prose.tsx';
import { Badge, SpeakerName } from './speaker-name.tsx';
import type {
  CallView,
  SaidEvent,
  Speaker,
  ThreadCalls,
  ThreadItem,
  ThreadNote,
  ThreadWords,
} from './thread-item.ts';
import { callsAt, mediaAt } from './thread-item.ts';

/** The most tools that a line names, and the most calls that it lists. */
const FEW = 4;
const MOST = 100;

interface RowProps<Item> {
  readonly item: Item;
  /** The number of entries that are shown. */
  readonly length: number;
}

/** An item of a thread, as it stood at a place. */
export const ThreadRow = ({ item, length }: RowProps<ThreadItem>) => (
  <div class="row" role="listitem">
    {item.kind === 'words' ? (
      <Words item={item} length={length} />
    ) : item.kind === 'calls' ? (
      <Calls item={item} length={length} />
    ) : (
      <Note item={item} />
    )}
  </div>
);

const Words = ({ item, length }: RowProps<ThreadWords>) => {
  const { from, to, text, media, event } = item;
  return (
    <article class="item words">
      <header>
        <Badge name={from.name} />
        <span class="what">
          <SpeakerName speaker={from} />
          {to !== undefined && (
            <>
              {' → '}
              <SpeakerName speaker={to} />
            </>
          )}
        </span>
        <When {...item} />
      </header>
      <Prose text={text} />
      <MediaView media={mediaAt(media, length)} actor={from.actor ?? to?.actor ?? ''} />
      {event !== undefined && <Acts event={event} />}
    </article>
  );
};

/** The buttons of words: the call that gave them is opened, or they are changed in a fork. */
const Acts = ({ event: { actor, seq, type, key } }: { readonly event: SaidEvent }) => (
  <div class="acts">
    {key !== undefined && (
      <button
        type="button"
        class="again"
        title="Show the call of the model: what it was sent, and what it cost"
        onClick={() => {
          openCall(actor, key);
        }}
      >
        Open the call
      </button>
    )}
    <ChangeButton actor={actor} seq={seq} type={type} />
    <ChangedNote seq={seq} modelKey={key} />
  </div>
);

/** Shows a call in the transcript of its agent. */
const openCall = (actor: string | undefined, call: string): void => {
  select(actor);
  thread.value = 'agent';
  pointedAt.value = call;
};

const Calls = ({ item, length }: RowProps<ThreadCalls>) => {
  const [isOpen, setOpen] = useState(false);
  const calls = callsAt(item, length);
  const { from } = item;
  return (
    <article class="item calls">
      <Badge name={from.name} />
      <details
        onToggle={({ currentTarget }) => {
          setOpen(currentTarget.open);
        }}
      >
        <summary>
          <span class="unseen">{`${oneLine(from.name, 40)} calls `}</span>
          <span class="what">{toolsOf(calls)}</span>
          {countsOf(calls).map(([status, count]) => (
            <span key={status} class={`tag ${status.replace(' ', '-')}`}>
              {count === 1 ? status : `${countOf(count)} ${status}`}
            </span>
          ))}
        </summary>
        {isOpen && (
          <ul>
            {calls.slice(0, MOST).map((call) => (
              <Call key={call.n} call={call} from={from} />
            ))}
            {calls.length > MOST && <li>and {countOf(calls.length - MOST)} more</li>}
          </ul>
        )}
      </details>
      <When {...item} />
    </article>
  );
};

const Call = ({ call, from }: { readonly call: CallView; readonly from: Speaker }) => {
  const { tool, input, status, callId, media, seq } = call;
  return (
    <li>
      <button
        type="button"
        class="link"
        title="Show its arguments and its result"
        onClick={() => {
          openCall(from.actor, callId);
        }}
      >
        <bdi>{oneLine(tool, 50)}</bdi>
      </button>{' '}
      <bdi class="args">{brief(input, 160)}</bdi>
      {status !== 'done' && <span class={`tag ${status.replace(' ', '-')}`}>{status}</span>}
      <MediaView media={media} actor={from.actor ?? ''} />
      <ChangeButton actor={from.actor ?? ''} seq={seq} type="tool.finished" />
      <ChangedNote seq={seq} />
    </li>
  );
};

/** The tools of some calls, each once. */
const toolsOf = (calls: readonly CallView[]): string => {
  const counts = new Map<string, number>();
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const named = [...counts]
    .slice(0, FEW)
    .map(([tool, count]) => (count === 1 ? oneLine(tool, 40) : `${oneLine(tool, 40)} ×${countOf(count)}`));
  return counts.size > FEW
    ? `${named.join(' · ')} and ${countOf(counts.size - FEW)} more`
    : named.join(' · ');
};

/** The number of calls in each status but that of those that are done. */
const countsOf = (calls: readonly CallView[]): readonly (readonly [CallView['status'], number])[] => {
  const counts = new Map<CallView['status'], number>();
  for (const { status } of calls) if (status !== 'done') counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts];
};

const Note = ({ item }: { readonly item: ThreadNote }) => {
  const { from, tone, title, text } = item;
  return (
    <article class={`item note ${tone}`}>
      <header>
        <Badge name={from.name} />
        <span class="what">
          <SpeakerName speaker={from} /> {oneLine(title, 80)}
        </span>
        <When {...item} />
      </header>
      {text !== '' && (
        <p class="prose">
          <Text value={text} most={300} />
        </p>
      )}
    </article>
  );
};

/** The answer that an agent's model gives at the moment, as far as it came. */
export const SpeakingRow = ({ from, text }: { readonly from: Speaker; readonly text: string }) => (
  <div class="row" role="listitem">
    <article class="item words">
      <header>
        <Badge name={from.name} />
        <span class="what">
          <SpeakerName speaker={from} />
        </span>
        <span class="tag">speaking</span>
      </header>
      <div class="prose plain">
        <Text value={text} />
        <span class="caret" />
      </div>
    </article>
  </div>
);
