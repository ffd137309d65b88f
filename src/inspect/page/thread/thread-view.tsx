import { recorded, sayingChanges, sayings, shown } from '../page-state.ts';
import { VirtualList } from '../list/virtual-list.tsx';
import type { Speaker } from './thread-item.ts';
import { SpeakingRow, ThreadRow } from './thread-row.tsx';

/** The height of a row that was not shown yet. */
const ROW = 60;

/** The thread of a team, the actor that leads it included. */
export const ThreadView = ({ actor }: { readonly actor: string }) => {
  const { length, isLive } = shown.value;
  const { threads } = recorded.value.folds;
  void sayingChanges.value;
  const { items, count } = threads.threadAt(actor, length);
  const speaking = isLive ? speakingBelow(actor) : [];
  if (count + speaking.length === 0) return <p class="empty">No messages yet.</p>;
  return (
    <VirtualList
      count={count + speaking.length}
      rowHeight={ROW}
      isMeasured
      isFollowing
      role="list"
      label="Thread"
      render={(index) => {
        const item = items[index];
        if (index < count) return item && <ThreadRow key={index} item={item} length={length} />;
        const saying = speaking[index - count];
        return saying && <SpeakingRow key={saying.key} from={saying.from} text={saying.text} />;
      }}
    />
  );
};

interface SpeakingNow {
  readonly key: string;
  readonly from: Speaker;
  readonly text: string;
}

/** The answers that models of an actor and of those below it give at the moment. */
const speakingBelow = (around: string): readonly SpeakingNow[] => {
  const { threads } = recorded.peek().folds;
  return [...sayings].flatMap(([key, { actor, text }]) => {
    const from = threads.speakerOf(actor);
    return text === '' || from === undefined || !threads.isWithin(actor, around) ? [] : [{ key, from, text }];
  });
};
