import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isEffect } from '../actor-tree.ts';
import { countOf, spanOf } from '../figures.ts';
import {
  isVerbatim,
  pointedAt,
  recorded,
  sayingChanges,
  selectedView,
  shown,
  thread,
} from '../page-state.ts';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import { countBelow } from '../timeline.ts';
import type { NoteItem, SaidItem, ToolItem, TranscriptItem } from '../transcript.ts';
import { transcriptOf, valueText } from '../transcript.ts';
import { Prose } from '../prose/prose.tsx';
import { ChangeButton } from '../change/change-button.tsx';
import { ChangedNote } from '../change/changed-note.tsx';
import { ThreadView } from '../thread/thread-view.tsx';
import { Icon } from './icon.tsx';
import { MediaView } from './media-view.tsx';
import { ModelPart } from './model-part.tsx';
import { Text } from './text.tsx';
import { When } from './when.tsx';

/** The items that are shown at first, and how often as many more are. */
const PART = 60;
const MOST_PARTS = 3;

/** The thread of the selected actor and those below it, or its own messages, thoughts, calls and answers. */
export const TranscriptView = () => {
  const view = selectedView.value;
  const { length } = shown.value;
  const { threads } = recorded.value.folds;
  if (view === undefined) return <p class="empty">Select an actor to read what it says.</p>;
  // A call is read where it was made.
  const actor = isEffect(view) ? (view.parent ?? view.actor) : view.actor;
  const isTeam = threads.isTeamAt(actor, length);
  return (
    <>
      <Choices isTeam={isTeam} />
      {isTeam && thread.value === 'team' && !isEffect(view) ? (
        <ThreadView key={actor} actor={actor} />
      ) : (
        <OwnTranscript key={actor} actor={actor} />
      )}
    </>
  );
};

const Choices = ({ isTeam }: { readonly isTeam: boolean }) => (
  <div class="strip">
    {isTeam && (
      <div class="segments" role="group" aria-label="Whose messages are shown">
        {(['team', 'agent'] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={thread.value === each}
            onClick={() => {
              thread.value = each;
            }}
          >
            {each === 'team' ? 'Whole team' : 'This agent only'}
          </button>
        ))}
      </div>
    )}
    <label>
      <input
        type="checkbox"
        checked={isVerbatim.value}
        onChange={({ currentTarget }) => {
          isVerbatim.value = currentTarget.checked;
        }}
      />
      as it is written
    </label>
  </div>
);

const OwnTranscript = ({ actor }: { readonly actor: string }) => {
  const { length, isLive } = shown.value;
  const { timeline } = recorded.value;
  const { moved, published, given, calls } = timeline.placesOf(actor);
  const count = countBelow(published, length);
  const received = countBelow(given, length);
  const further = countBelow(calls, length);
  const [begin] = moved;
  const items = useMemo(() => {
    const places = [...published.slice(0, count), ...given.slice(0, received), ...calls.slice(0, further)];
    const all = begin === undefined || begin >= length ? places : [begin, ...places];
    return transcriptOf(all.toSorted((one, other) => one - other).flatMap((n) => timeline.entry(n) ?? []));
  }, [timeline, actor, count, received, further, begin, timeline.first]);
  return <Items actor={actor} items={items} isLive={isLive} />;
};

const Items = ({
  actor,
  items,
  isLive,
}: {
  readonly actor: string;
  readonly items: readonly TranscriptItem[];
  readonly isLive: boolean;
}) => {
  const [parts, setParts] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const height = useRef(0);
  const spoken = isLive ? sayingChanges.value : 0;
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [items, spoken]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      height.current = element.clientHeight;
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  const pointed = pointedAt.value;
  const found = pointed === undefined ? -1 : items.findIndex((item) => isCall(item, pointed));
  const needed = found < 0 ? 1 : Math.min(MOST_PARTS, Math.ceil((items.length - found) / PART));
  useLayoutEffect(() => {
    if (needed > parts) setParts(needed);
    else if (found >= 0) box.current?.querySelector('.pointed')?.scrollIntoView({ block: 'nearest' });
  }, [pointed, found >= 0, needed, parts]);
  const shownItems = items.slice(-PART * parts);
  const earlier = items.length - shownItems.length;
  return (
    <div
      ref={box}
      class="scroll transcript"
      role="log"
      aria-label="Transcript"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        // Nobody has scrolled where its size has changed.
        if (clientHeight === height.current) isAtEnd.current = scrollTop + clientHeight > scrollHeight - 40;
      }}
    >
      {earlier > 0 && (
        <button
          type="button"
          class="more earlier"
          onClick={() => {
            setParts(Math.min(parts + 1, MOST_PARTS));
          }}
        >
          {parts < MOST_PARTS
            ? `show earlier (${countOf(earlier)})`
            : `${countOf(earlier)} earlier: go back in time to read them`}
        </button>
      )}
      {items.length === 0 && <p class="empty">No messages yet.</p>}
      {shownItems.map((item) => (
        <Item key={`${item.n} ${item.kind}`} actor={actor} item={item} isLive={isLive} />
      ))}
    </div>
  );
};

/** Checks whether an item is the call of a tool by that id, or that of a model by that key. */
const isCall = (item: TranscriptItem, call: string): boolean =>
  item.kind === 'tool'
    ? item.callId === call
    : item.kind === 'model' && item.attempts.some(({ key }) => key === call);

interface ItemProps<Kind> {
  readonly actor: string;
  readonly item: Kind;
  readonly isLive: boolean;
}

const Item = ({ actor, item, isLive }: ItemProps<TranscriptItem>) => {
  switch (item.kind) {
    case 'model':
      return <ModelPart actor={actor} item={item} isLive={isLive} />;
    case 'tool':
      return <ToolPart actor={actor} item={item} />;
    case 'said':
      return <SaidPart actor={actor} item={item} />;
    case 'note':
      return <NotePart item={item} />;
  }
};

const SaidPart = ({ actor, item }: { readonly actor: string; readonly item: SaidItem }) => (
  <article class="item said">
    <header>
      <span class="what">
        <bdi>{oneLine(item.who, 80)}</bdi>
      </span>
      <When {...item} />
    </header>
    <Prose text={item.text} />
    <MediaView media={item.media} actor={actor} />
    <ChangeButton actor={actor} seq={item.seq} type="message.sent" />
    <ChangedNote seq={item.seq} />
  </article>
);

const ToolPart = ({ actor, item }: { readonly actor: string; readonly item: ToolItem }) => {
  const { tool, input, status, text, durationMs, attempts, artifacts, callId } = item;
  const isPointed = pointedAt.value === callId;
  return (
    <article class={`item tool ${status.replace(' ', '-')} ${isPointed ? 'pointed' : ''}`} data-call={callId}>
      <details
        open={isPointed}
        onToggle={({ currentTarget }) => {
          if (currentTarget.open) pointedAt.value = callId;
        }}
      >
        <summary>
          <span class="role tool">
            <Icon name="tool" size={14} />
          </span>
          <span class="what">
            <bdi>{oneLine(tool, 50)}</bdi> <span class="args">{brief(input, 70)}</span>
          </span>
          {status !== 'done' && <span class={`tag ${status.replace(' ', '-')}`}>{status}</span>}
          {durationMs !== undefined && <span class="took">{spanOf(durationMs)}</span>}
        </summary>
        <h4>Arguments</h4>
        <pre>
          <Text value={valueText(input)} />
        </pre>
        <h4>{status === 'failed' ? 'Error' : 'Result'}</h4>
        <pre>{text === undefined || text === '' ? '—' : <Text value={text} />}</pre>
        <MediaView media={item.media} actor={actor} />
        <ChangeButton actor={actor} seq={item.seq} type="tool.finished" />
        <footer>
          {attempts > 1 && `${attempts} attempts · `}
          {artifacts.length > 0 && `${artifacts.map((each) => oneLine(each, 40)).join(', ')} · `}
          call <bdi>{oneLine(callId, 60)}</bdi> <When {...item} />
        </footer>
      </details>
      <ChangedNote seq={item.seq} />
    </article>
  );
};

const NotePart = ({ item }: { readonly item: NoteItem }) => (
  <article class={`item note ${item.tone}`}>
    <header>
      <span class="what">{oneLine(item.title, 80)}</span>
      <When {...item} />
    </header>
    {item.text !== '' && (
      <p class="prose">
        <Text value={item.text} most={300} />
      </p>
    )}
  </article>
);
