import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ActorView } from '../../recording/tableau.ts';
import type { ChartDrawing } from '../../drawing/chart-drawing.ts';
import type { Point } from '../../drawing/flow-layout.ts';
import type { ChartPart } from '../../drawing/chart-fold.ts';
import { turnPart, wantedParts } from '../chart-parts.ts';
import type { ShownChart } from '../drawn-charts.ts';
import { shownChart } from '../drawn-charts.ts';
import { selectedView, shown } from '../page-state.ts';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import { BreakMarks, BreakMenu } from './chart-breaks.tsx';
import { ArrowDrawing, BoxDrawing, isActive } from './chart-shapes.tsx';
import { Icon } from './icon.tsx';

/** The chart of the selected actor, with its current states and the last arrows taken. */
export const ChartView = () => {
  const view = selectedView.value;
  const shape = shown.value.tableau.charts.get(view?.chart ?? '');
  if (view === undefined) return <p class="empty">Select an actor to see its chart.</p>;
  if (shape === undefined) return <p class="empty">This actor has no chart.</p>;
  const chart = shownChart(shape, wantedParts.value, view);
  return (
    <div class="chart">
      <Canvas key={view.chart} view={view} drawing={chart.drawing} title={shape.description ?? ''} />
      <States view={view} drawing={chart.drawing} />
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
  <div class="parts" role="group" aria-label="Parts of the chart">
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

interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Smallest readable scale, at which its texts of 12 px have 11: below it only a part is shown, around the current state. */
const LEAST_SCALE = 0.92;

interface Size {
  readonly width: number;
  readonly height: number;
}

const fitCamera = (drawing: ChartDrawing, { width, height }: Size, least = 0): Camera => {
  const scale = Math.max(least, Math.min(1.15, width / drawing.width, height / drawing.height));
  return { scale, x: (width - drawing.width * scale) / 2, y: (height - drawing.height * scale) / 2 };
};

/** Centers the active states if the chart does not fit. */
const followStates = (drawing: ChartDrawing, size: Size, states: readonly string[]): Camera => {
  const camera = fitCamera(drawing, size, LEAST_SCALE);
  const { scale } = camera;
  const at = drawing.boxes.find(({ id }) => states.includes(id));
  if (at === undefined) return camera;
  const along = (center: number, whole: number, room: number): number =>
    whole * scale <= room
      ? (room - whole * scale) / 2
      : Math.min(0, Math.max(room - whole * scale, room / 2 - center * scale));
  return {
    scale,
    x: along(at.x + at.width / 2, drawing.width, size.width),
    y: along(at.y + at.height / 2, drawing.height, size.height),
  };
};

interface CanvasProps {
  readonly view: ActorView;
  readonly drawing: ChartDrawing;
  readonly title: string;
}

const Canvas = ({ view, drawing, title }: CanvasProps) => {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ width: 640, height: 560 });
  /** Undefined: it follows the actor. */
  const [own, setOwn] = useState<Camera | undefined>(undefined);
  const states = view.states.join();
  const followedCamera = useMemo(
    () => followStates(drawing, size, states.split(',')),
    [drawing, size, states],
  );
  const camera = own ?? followedCamera;
  const move = (change: (camera: Camera) => Camera): void => {
    setOwn((before) => change(before ?? followedCamera));
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      setSize({ width: element.clientWidth, height: element.clientHeight });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  const moveBy = (x: number, y: number): void => {
    move((before) => ({ ...before, x: before.x + x, y: before.y + y }));
  };
  const zoom = (factor: number, x = size.width / 2, y = size.height / 2): void => {
    move((before) => {
      const scale = Math.min(3, Math.max(0.15, before.scale * factor));
      const by = scale / before.scale;
      return { scale, x: x - (x - before.x) * by, y: y - (y - before.y) * by };
    });
  };
  /** The places of fingers, or of the mouse, by pointer. */
  const touches = useRef(new Map<number, Point>());
  const moveTouch = (id: number, to: Point): void => {
    const from = touches.current.get(id);
    if (from === undefined) return;
    touches.current.set(id, to);
    const [other] = [...touches.current].filter(([each]) => each !== id).map(([, point]) => point);
    if (other === undefined) moveBy(to.x - from.x, to.y - from.y);
    else {
      const between = (point: Point): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
      zoom(between(to) / between(from), (to.x + other.x) / 2, (to.y + other.y) / 2);
    }
  };
  return (
    <>
      <div
        ref={box}
        class="canvas"
        role="group"
        aria-label={`Chart of ${plain(view.name)}: in ${view.states.join(', ')}. Arrow keys move, plus and minus zoom, 0 fits.`}
        tabIndex={0}
        onWheel={(event) => {
          event.preventDefault();
          const { x, y } = pointIn(event);
          zoom(Math.exp(-event.deltaY / 500), x, y);
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          touches.current.set(event.pointerId, pointIn(event));
        }}
        onPointerMove={(event) => {
          moveTouch(event.pointerId, pointIn(event));
        }}
        onPointerUp={({ pointerId }) => {
          touches.current.delete(pointerId);
        }}
        onPointerCancel={({ pointerId }) => {
          touches.current.delete(pointerId);
        }}
        onKeyDown={(event) => {
          const moves: Readonly<Record<string, () => void>> = {
            '+': () => {
              zoom(1.25);
            },
            '-': () => {
              zoom(0.8);
            },
            '0': () => {
              setOwn(fitCamera(drawing, size));
            },
            ArrowLeft: () => {
              moveBy(60, 0);
            },
            ArrowRight: () => {
              moveBy(-60, 0);
            },
            ArrowUp: () => {
              moveBy(0, 60);
            },
            ArrowDown: () => {
              moveBy(0, -60);
            },
          };
          const act = moves[event.key];
          if (act === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          act();
        }}
      >
        <svg width={size.width} height={size.height} role="img" aria-label={title}>
          <g transform={`translate(${camera.x} ${camera.y}) scale(${camera.scale})`}>
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
          </g>
        </svg>
      </div>
      <BreakMenu drawing={drawing} view={view} canvas={box} />
      <div class="zoom" role="group" aria-label="Zoom">
        <button
          type="button"
          title="Closer (+)"
          aria-label="Closer"
          onClick={() => {
            zoom(1.25);
          }}
        >
          <Icon name="more" size={14} />
        </button>
        <button
          type="button"
          title="Further (−)"
          aria-label="Further"
          onClick={() => {
            zoom(0.8);
          }}
        >
          <Icon name="less" size={14} />
        </button>
        <button
          type="button"
          title="All of it (0)"
          aria-label="All of it"
          onClick={() => {
            setOwn(fitCamera(drawing, size));
          }}
        >
          <Icon name="fit" size={14} />
        </button>
        <button
          type="button"
          class={own === undefined ? 'on' : ''}
          aria-pressed={own === undefined}
          onClick={() => {
            setOwn(own === undefined ? camera : undefined);
          }}
        >
          Follow
        </button>
      </div>
    </>
  );
};

/** The place of a pointer in the element that it is on. */
const pointIn = (event: MouseEvent & { readonly currentTarget: HTMLElement }): Point => {
  const { left, top } = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
};
