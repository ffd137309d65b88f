import { useRef } from 'preact/hooks';
import type { ActorView } from '../../recording/tableau.ts';
import type { ChartDrawing } from '../../drawing/chart-drawing.ts';
import type { ChartPart } from '../../drawing/chart-fold.ts';
import { turnPart, wantedParts } from './chart-parts.ts';
import type { ShownChart } from './drawn-charts.ts';
import { shownChart } from './drawn-charts.ts';
import { selectedView, shown } from '../page-state.ts';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import { Canvas } from '../canvas/canvas.tsx';
import { BreakMarks, BreakMenu } from './chart-breaks.tsx';
import { ArrowDrawing, BoxDrawing, isActive } from './chart-shapes.tsx';

/** The chart of the selected actor, with its current states and the last arrows taken. */
export const ChartView = () => {
  const canvas = useRef<HTMLDivElement>(null);
  const view = selectedView.value;
  const shape = shown.value.tableau.charts.get(view?.chart ?? '');
  if (view === undefined) return <p class="empty">Select an actor to see its chart.</p>;
  if (shape === undefined) return <p class="empty">This actor has no chart.</p>;
  const chart = shownChart(shape, wantedParts.value, view);
  const { drawing } = chart;
  return (
    <div class="chart">
      <Canvas
        key={view.chart}
        canvas={canvas}
        drawing={drawing}
        at={drawing.boxes.find(({ id }) => view.states.includes(id))}
        label={`Chart of ${plain(view.name)}: in ${view.states.join(', ')}`}
        title={shape.description ?? ''}
      >
        {drawing.boxes.map((each) => (
          <BoxDrawing key={each.id} box={each} isActive={isActive(each, view)} taken={view.taken} />
        ))}
        {drawing.arrows.map((arrow) => (
          <ArrowDrawing
            key={`${arrow.from} ${arrow.to} ${arrow.ids[0] ?? ''}`}
            arrow={arrow}
            taken={view.taken}
            just={view.arrows}
            moved={view.movedAt}
          />
        ))}
        <BreakMarks drawing={drawing} view={view} />
      </Canvas>
      <BreakMenu drawing={drawing} view={view} canvas={canvas} />
      <States view={view} drawing={drawing} />
      <Parts chart={chart} />
    </div>
  );
};

/** The states that are drawn, for those who do not see them. */
const States = ({ view, drawing }: { readonly view: ActorView; readonly drawing: ChartDrawing }) => (
  <ul class="unseen" aria-label="States">
    {drawing.boxes.map((box) => (
      <li key={box.id} aria-current={isActive(box, view) ? 'step' : undefined}>
        {oneLine([box.name, box.description].filter(Boolean).join(': '), 200)}
      </li>
    ))}
  </ul>
);

const partNames: Readonly<Record<ChartPart, string>> = { lifeCycle: 'Life cycle', recovery: 'Recovery' };

const partMeanings: Readonly<Record<ChartPart, string>> = {
  lifeCycle: 'How it is prepared and how it ends; what it hears in any state',
  recovery: 'What it does about failures',
};

/** Switches for what is folded away: half on where a part was opened because the actor is there. */
const Parts = ({ chart: { parts, opened } }: { readonly chart: ShownChart }) => (
  <div class="chart-parts" role="group" aria-label="Parts of the chart">
    {(['lifeCycle', 'recovery'] as const)
      .filter((part) => parts.has(part))
      .map((part) => {
        const isWanted = wantedParts.value.has(part);
        return (
          <button
            key={part}
            type="button"
            class={isWanted ? 'on' : opened.has(part) ? 'opened' : ''}
            aria-pressed={isWanted ? 'true' : opened.has(part) ? 'mixed' : 'false'}
            title={partMeanings[part]}
            onClick={() => {
              turnPart(part);
            }}
          >
            {partNames[part]}
          </button>
        );
      })}
  </div>
);
