import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ActorView } from '../../recording/tableau.ts';
import type { ChartDrawing } from '../../drawing/chart-drawing.ts';
import { drawingOf } from '../drawn-charts.ts';
import { selectedView, shown } from '../page-state.ts';
import { plain } from '../../drawing/plain-text.ts';
import { BreakMarks, BreakMenu } from './chart-breaks.tsx';
import { ArrowDrawing, BoxDrawing, isActive } from './chart-shapes.tsx';
import { Icon } from './icon.tsx';

/** The chart of the selected actor, with its current states and the last arrows taken. */
export const ChartView = () => {
  const view = selectedView.value;
  const shape = shown.value.tableau.charts.get(view?.chart ?? '');
  if (view === undefined) return <p class="empty">Select an actor to see its chart.</p>;
  if (shape === undefined) return <p class="empty">This actor has no chart.</p>;
  return <Canvas key={view.chart} view={view} drawing={drawingOf(shape)} title={shape.description ?? ''} />;
};

interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Smallest readable scale: below it only a part is shown, around the current state. */
const LEAST_SCALE = 0.8;

interface Size {
  readonly width: number;
  readonly height: number;
}

const fitCamera = (drawing: ChartDrawing, { width, height }: Size, least = 0): Camera => {
  const scale = Math.max(least, Math.min(1.15, (width - 24) / drawing.width, (height - 24) / drawing.height));
  return { scale, x: (width - drawing.width * scale) / 2, y: (height - drawing.height * scale) / 2 };
};

/** Centers the active states if the chart does not fit. */
const followStates = (drawing: ChartDrawing, size: Size, states: readonly string[]): Camera => {
  const camera = fitCamera(drawing, size, LEAST_SCALE);
  const { scale } = camera;
  const at = drawing.boxes.find(({ id }) => states.includes(id));
  if (at === undefined) return camera;
  const along = (center: number, whole: number, room: number): number =>
    whole * scale <= room - 24
      ? (room - whole * scale) / 2
      : Math.min(12, Math.max(room - whole * scale - 12, room / 2 - center * scale));
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
  const zoom = (factor: number, x = size.width / 2, y = size.height / 2): void => {
    const scale = Math.min(3, Math.max(0.15, camera.scale * factor));
    const by = scale / camera.scale;
    setOwn({ scale, x: x - (x - camera.x) * by, y: y - (y - camera.y) * by });
  };
  const drag = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined);
  return (
    <div class="chart">
      <div
        ref={box}
        class="canvas"
        role="application"
        aria-label={`Chart of ${plain(view.name)}: in ${view.states.join(', ')}. Arrow keys move, plus and minus zoom, 0 fits.`}
        tabIndex={0}
        onWheel={(event) => {
          event.preventDefault();
          const corner = event.currentTarget.getBoundingClientRect();
          zoom(Math.exp(-event.deltaY / 500), event.clientX - corner.left, event.clientY - corner.top);
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX - camera.x, y: event.clientY - camera.y };
        }}
        onPointerMove={({ clientX, clientY }) => {
          const from = drag.current;
          if (from !== undefined) setOwn({ scale: camera.scale, x: clientX - from.x, y: clientY - from.y });
        }}
        onPointerUp={() => {
          drag.current = undefined;
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
              setOwn({ ...camera, x: camera.x + 60 });
            },
            ArrowRight: () => {
              setOwn({ ...camera, x: camera.x - 60 });
            },
            ArrowUp: () => {
              setOwn({ ...camera, y: camera.y + 60 });
            },
            ArrowDown: () => {
              setOwn({ ...camera, y: camera.y - 60 });
            },
          };
          const move = moves[event.key];
          if (move === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          move();
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
    </div>
  );
};
