import { useState } from 'preact/hooks';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import { several } from '../figures.ts';
import { recorded } from '../page-state.ts';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import type { SentTurn, WholeRequest } from '../../../runtime/log/sent-requests.ts';
import { SentRequests } from '../../../runtime/log/sent-requests.ts';
import { valueText } from '../transcript.ts';
import { mediaIn } from '../media-in.ts';
import type { ModelAttempt } from '../model-calls.ts';
import { MediaView } from './media-view.tsx';
import { Text } from './text.tsx';

interface AttemptProps {
  readonly attempt: ModelAttempt;
  /** The agent whose call it is. */
  readonly actor: string;
}

/** The exact request of a model call, and the raw answer: assembled when opened. */
export const RequestPart = ({ attempt, actor }: AttemptProps) => {
  const [isOpen, setOpen] = useState(false);
  const { n, sent, raw } = attempt;
  if (sent === undefined) return null;
  return (
    <details
      class="request-part"
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>
        request: {several(sent.messages, 'message')}
        {sent.added !== undefined && `, ${sent.added} new`}
      </summary>
      {isOpen && <Request actor={actor} request={requestAt(actor, n)} />}
      {isOpen && raw !== undefined && <Part title="Came back beside the text" value={valueText(raw)} />}
    </details>
  );
};

/** Assembles an actor's request at an entry: it builds on the earlier ones. */
const requestAt = (actor: string, n: number): WholeRequest | undefined => {
  const { timeline } = recorded.peek();
  const requests = new SentRequests();
  for (const place of timeline.placesOf(actor).published) {
    const entry = timeline.entry(place);
    if (entry?.kind !== 'published') continue;
    if (place === n) return requests.take(entry.event);
    requests.note(entry.event);
  }
  return undefined;
};

const Request = ({
  actor,
  request,
}: {
  readonly actor: string;
  readonly request: WholeRequest | undefined;
}) => {
  if (request === undefined)
    return <p class="empty">Earlier requests were dropped from this recording: see the journal.</p>;
  const { instructions, tools, messages, output, settings, toolChoice, hashes } = request;
  return (
    <>
      {/* What was said comes first: schemas of tools fill a screen. */}
      <Part title={`Instructions · ${short(hashes.instructions)}`} value={instructions} />
      <h4>Messages</h4>
      {messages.slice(-MOST).map((each, index) => (
        <Message key={index} actor={actor} sent={each} />
      ))}
      {messages.length > MOST && (
        <p class="hint">{several(messages.length - MOST, 'earlier message')} left out</p>
      )}
      <Part
        title={`Tools: ${tools.map(({ name }) => oneLine(name, 40)).join(', ') || 'none'} · ${short(hashes.tools)}`}
        value={tools.length === 0 ? '' : valueText(tools)}
      />
      {output !== undefined && <Part title="Output" value={valueText(output)} />}
      {settings !== undefined && <Part title="Settings" value={brief(settings, 400)} />}
      {toolChoice !== undefined && <Part title="Tool choice" value={brief(toolChoice, 80)} />}
    </>
  );
};

const MOST = 200;

const short = (hash: string): string => `sha256 ${hash.slice(0, 8)}`;

const Part = ({ title, value }: { readonly title: string; readonly value: string }) => (
  <>
    <h4>{title}</h4>
    {value !== '' && (
      <pre>
        <Text value={value} />
      </pre>
    )}
  </>
);

const Message = ({ actor, sent: { turn, isNew } }: { readonly actor: string; readonly sent: SentTurn }) => (
  <div class={`sent ${isNew ? 'new' : ''}`}>
    <span class="who">
      <bdi>{whoOf(turn)}</bdi>
      {isNew && <span class="tag">new</span>}
    </span>
    <pre>
      <Text value={textOf(turn)} />
    </pre>
    <MediaView media={mediaIn(turn.parts)} actor={actor} />
  </div>
);

const whoOf = (turn: Turn): string => {
  if (turn.role === 'tool') return `tool ${oneLine(turn.tool, 60)}`;
  return turn.role === 'user' && turn.from !== undefined ? `user (${oneLine(turn.from, 60)})` : turn.role;
};

const textOf = (turn: Turn): string => {
  if (turn.role !== 'assistant' || (turn.calls ?? []).length === 0) return turn.text;
  const calls = (turn.calls ?? []).map(({ name, input }) => `→ ${name} ${brief(input, 2_000)}`);
  return [...(turn.text === '' ? [] : [turn.text]), ...calls].join('\n');
};
