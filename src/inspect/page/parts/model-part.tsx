import { countOf, moneyOf, several, spanOf } from '../figures.ts';
import type { ModelAttempt, ModelItem } from '../model-calls.ts';
import { lastAttempt } from '../model-calls.ts';
import { pointedAt, sayingChanges, sayings } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import { Prose } from '../prose/prose.tsx';
import { Icon } from './icon.tsx';
import { ChangeButton } from '../change/change-button.tsx';
import { ChangedNote } from '../change/changed-note.tsx';
import { AgainButton } from '../trial/again-button.tsx';
import { MediaView } from './media-view.tsx';
import { RequestPart } from './request-part.tsx';
import { Text } from './text.tsx';
import { When } from './when.tsx';

interface ModelProps {
  /** The agent whose call it is. */
  readonly actor: string;
  readonly item: ModelItem;
  readonly isLive: boolean;
}

/** A model call: its answer, its figures, what it was sent, and its attempts where there were several. */
export const ModelPart = ({ actor, item, isLive }: ModelProps) => {
  const { attempts } = item;
  const last = lastAttempt(item);
  // A part that reads one signal is drawn anew for those that it reads alone.
  if (isLive) void sayingChanges.value;
  const saying = isLive && last.status === 'asked' ? sayings.get(last.key) : undefined;
  const text = saying?.text ?? item.text;
  const reasoning = saying?.reasoning ?? item.reasoning ?? '';
  const figures = figuresOf(last);
  const isPointed = attempts.some(({ key }) => key === pointedAt.value);
  return (
    <article class={`item model ${last.status} ${isPointed ? 'pointed' : ''}`}>
      <header>
        <span class="role model">
          <Icon name="model" size={14} />
        </span>
        <span class="what">
          <bdi>{oneLine(last.model, 50)}</bdi>
        </span>
        {attempts.length > 1 && <span class="tag">{countOf(attempts.length)} attempts</span>}
        {last.status !== 'answered' && (
          <span class={`tag ${last.status}`}>{saying === undefined ? tags[last.status] : 'speaking'}</span>
        )}
        <When {...item} />
      </header>
      {reasoning !== '' && (
        <details class="reasoning">
          <summary>reasoning</summary>
          <Text value={reasoning} />
        </details>
      )}
      {saying !== undefined && text !== '' ? (
        <p class="prose">
          <Text value={text} />
          <span class="caret" />
        </p>
      ) : (
        text !== '' && <Prose text={text} />
      )}
      <MediaView media={item.media} actor={actor} />
      {attempts.length === 1 && last.error === undefined && last.broken === undefined ? (
        <>
          <RequestPart actor={actor} attempt={last} />
          {figures !== '' && <footer>{figures}</footer>}
        </>
      ) : (
        <ol class="attempts" aria-label="Attempts">
          {attempts.map((attempt) => (
            <Attempt key={attempt.n} actor={actor} attempt={attempt} of={item} />
          ))}
        </ol>
      )}
      <AgainButton actor={actor} item={item} attempt={last} />
      <ChangeButton actor={actor} seq={item.seq} type="model.answered" />
      <ChangedNote seq={item.seq} modelKey={last.key} />
    </article>
  );
};

interface AttemptProps {
  readonly actor: string;
  readonly attempt: ModelAttempt;
  readonly of: ModelItem;
}

const Attempt = ({ actor, attempt, of }: AttemptProps) => {
  const { model, error } = attempt;
  const isLast = attempt === lastAttempt(of);
  const figures = figuresOf(attempt);
  return (
    <li class={attempt.status}>
      <header>
        <span class="what">
          {outcomeOf(attempt, isLast)}
          {model !== lastAttempt(of).model && (
            <>
              {' · '}
              <bdi>{oneLine(model, 50)}</bdi>
            </>
          )}
        </span>
        <When {...attempt} />
      </header>
      {error !== undefined && error.message !== of.text && (
        <p class="prose">
          <Text value={error.message} most={300} />
        </p>
      )}
      <RequestPart actor={actor} attempt={attempt} />
      {figures !== '' && <footer>{figures}</footer>}
    </li>
  );
};

const tags: Readonly<Record<ModelAttempt['status'], string>> = {
  asked: 'asked',
  answered: 'answered',
  failed: 'failed',
  interrupted: 'interrupted',
  discarded: 'discarded',
  waiting: 'waits to be asked again',
};

/** The outcome of an attempt, in words. */
const outcomeOf = ({ status, broken, finish }: ModelAttempt, isLast: boolean): string => {
  if (broken !== undefined) return `broke off after ${several(broken, 'character')}`;
  if (status === 'asked') return isLast ? 'asked' : 'no answer came';
  return status === 'waiting' ? (finish === undefined ? 'failed' : 'its answer was of no use') : status;
};

/** The figures of an attempt, on one line; empty where none is known. */
const figuresOf = ({ finish, tokens, firstMs, durationMs, costUsd, waitMs }: ModelAttempt): string =>
  [
    finish === undefined ? undefined : `stop reason ${oneLine(finish, 40)}`,
    ...tokenWords(tokens),
    firstMs === undefined ? undefined : `first token after ${spanOf(firstMs)}`,
    durationMs === undefined ? undefined : spanOf(durationMs),
    costUsd === undefined ? undefined : moneyOf(costUsd),
    waitMs === undefined ? undefined : `asked again after ${spanOf(waitMs)}`,
  ]
    .filter((each) => each !== undefined)
    .join(' · ');

const tokenWords = (tokens: ModelAttempt['tokens']): readonly string[] => {
  if (tokens === undefined) return [];
  const { input, output, cached = 0, stored = 0, reasoning = 0, isEstimate = false } = tokens;
  return [
    `${countOf(input)} → ${countOf(output)} tokens${isEstimate ? ' (estimated)' : ''}`,
    ...(cached === 0 ? [] : [`${countOf(cached)} from the cache`]),
    ...(stored === 0 ? [] : [`${countOf(stored)} stored in it`]),
    ...(reasoning === 0 ? [] : [`${countOf(reasoning)} for reasoning`]),
  ];
};
