import { useState } from 'preact/hooks';
import type { CompositionDrawing, PartBox } from '../../drawing/composition-drawing.ts';
import { compositionDrawing } from '../../drawing/composition-drawing.ts';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import type { ActorView, Tableau } from '../../recording/tableau.ts';
import { changes, filter, middleTab, recorded, select, selectedView, shown } from '../page-state.ts';
import { Canvas, LEAST_SCALE } from '../canvas/canvas.tsx';
import { compositionIn } from '../../recording/composition-in.ts';
import { withClosedGroups } from '../../drawing/closed-groups.ts';
import { MemberList } from './member-list.tsx';
import { LineDrawing, PartDrawing } from './work-shapes.tsx';
import type { RecordedTimes, Work } from '../../recording/work-of.ts';
import { busiestPlace, workOf } from '../../recording/work-of.ts';
import { statusWords, workWords } from './work-words.ts';

type Composition = NonNullable<ActorView['composition']>;

/** Room for the words on a part: two of them fit beside each other on a phone. */
const ROOM = { width: 186, height: 18 };

interface DrawnWork {
  readonly composition: Composition;
  readonly width: number;
  readonly drawing: CompositionDrawing;
}

const drawings = new WeakMap<Composition, DrawnWork>();

/** Compositions of recordings without one, by the root: those of as many actors as there are by now. */
const derived = new Map<string, { readonly actors: number; readonly composition: Composition }>();

const compositionNow = (root: ActorView, head: Tableau): Composition => {
  if (root.composition !== undefined) return root.composition;
  const known = derived.get(root.actor);
  if (known?.actors === head.actors.size) return known.composition;
  const composition = compositionIn(root, head);
  derived.set(root.actor, { actors: head.actors.size, composition });
  return composition;
};

/** Draws a composition for a canvas of some width: on a phone its members stand below each other. */
const drawnWork = (composition: Composition, width: number): DrawnWork => {
  const known = drawings.get(composition);
  if (known?.width === width) return known;
  const drawing = compositionDrawing(withClosedGroups(composition), ROOM, width / LEAST_SCALE);
  const drawn = { composition, width, drawing };
  drawings.set(composition, drawn);
  return drawn;
};

/** The root of the run that is shown: of the selected actor, else of the chosen run, else the first. */
const rootIn = ({ actors }: Tableau): ActorView | undefined => {
  const run = selectedView.value?.run ?? filter.value.run;
  for (const view of actors.values())
    if (view.parent === undefined && (run === undefined || view.run === run)) return view;
  return undefined;
};

/** The members of a run, and how work flows between them, lit by the recording at the place shown. */
export const WorkView = () => {
  const [listed, setListed] = useState<string | undefined>(undefined);
  const [width, setWidth] = useState(Infinity);
  const { tableau, length } = shown.value;
  const { timeline } = recorded.value;
  // Who came later is known, too.
  void changes.value;
  const root = rootIn(tableau);
  if (root === undefined) return <p class="empty">Nobody is at work yet.</p>;
  const { composition, drawing } = drawnWork(compositionNow(root, timeline.head), width);
  const works = workOf(composition, root, tableau);
  const times: RecordedTimes = {
    at: (n) => timeline.entry(n)?.at,
    now: timeline.entry(length - 1)?.at ?? 0,
  };
  const busy = busiestPlace(works);
  const list = listed === undefined ? undefined : works.get(listed);
  const enter = (place: string, work: Work): void => {
    const [only, ...others] = work.actors;
    if (work.members === undefined && only !== undefined && others.length === 0) show(only);
    else if (work.members !== undefined || only !== undefined)
      setListed(listed === place ? undefined : place);
  };
  return (
    <div class="chart work">
      <Canvas
        key={root.actor}
        drawing={drawing}
        at={drawing.boxes.find(({ place }) => place === busy)}
        label={`Work of ${plain(root.name)}`}
        title={composition.description}
        onWidth={setWidth}
      >
        {drawing.boxes.map((box) => {
          const work = works.get(box.place) ?? nobody;
          return (
            <PartDrawing
              key={box.place}
              box={box}
              status={work.status}
              words={workWords(work, times)}
              label={labelOf(box, work, times)}
              isOpen={listed === box.place}
              onEnter={
                work.actors.length === 0 && work.members === undefined
                  ? undefined
                  : () => {
                      enter(box.place, work);
                    }
              }
            />
          );
        })}
        {drawing.lines.map((line) => (
          <LineDrawing key={`${line.arrow.from} ${line.arrow.to} ${line.label.x}`} line={line} />
        ))}
      </Canvas>
      {list !== undefined && (
        <MemberList
          work={list}
          onShow={show}
          onClose={() => {
            setListed(undefined);
          }}
        />
      )}
    </div>
  );
};

const nobody: Work = { status: 'idle', actors: [] };

/** Shows the chart of an actor. */
const show = ({ actor }: ActorView): void => {
  select(actor);
  middleTab.value = 'chart';
};

const labelOf = ({ part }: PartBox, work: Work, times: RecordedTimes): string => {
  const words = workWords(work, times);
  const said = words === '' && part.kind !== 'step' ? statusWords[work.status] : words;
  return oneLine([`${part.kind} ${part.title}`, said].filter(Boolean).join(': '), 200);
};
