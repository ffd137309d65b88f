import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Point, Rectangle } from '../../drawing/flow-layout.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Smallest readable scale, at which its texts of 12 px have 11: below it only a part is shown, around the current state. */
export const LEAST_SCALE = 0.92;

interface Size {
  readonly width: number;
  readonly height: number;
}

const fitCamera = (drawing: Size, { width, height }: Size, least = 0): Camera => {
  const scale = Math.max(least, Math.min(1.15, width / drawing.width, height / drawing.height));
  return { scale, x: (width - drawing.width * scale) / 2, y: (height - drawing.height * scale) / 2 };
};

/** The height of the buttons below a drawing, and of the gap above them. */
const BUTTONS = 56;

/** The room for a drawing: it ends above its buttons, unless it is too tall for that, and they are beside it. */
const roomIn = (drawing: Size, { width, height }: Size): Size => {
  const above = height - BUTTONS;
  return { width, height: width < 480 || drawing.height * LEAST_SCALE <= above ? above : height };
};

/** Centers what is looked for if the drawing does not fit. */
const followCamera = (drawing: Size, size: Size, at: Rectangle | undefined): Camera => {
  const camera = fitCamera(drawing, size, LEAST_SCALE);
  const { scale } = camera;
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
  /** Is given the element. */
  readonly canvas?: RefObject<HTMLDivElement | null>;
  /** The size of what is drawn. */
  readonly drawing: Size;
  /** The part of it that is to be in sight. */
  readonly at: Rectangle | undefined;
  readonly label: string;
  readonly title: string;
  /** Is given the width that there is, each time that it changes. */
  readonly onWidth?: (width: number) => void;
  readonly children: ComponentChildren;
}

/** A drawing that is moved and zoomed, or follows what happens in it. */
export const Canvas = ({ canvas, drawing, at, label, title, onWidth, children }: CanvasProps) => {
  const ownBox = useRef<HTMLDivElement>(null);
  const box = canvas ?? ownBox;
  const [size, setSize] = useState<Size>({ width: 640, height: 560 });
  /** Undefined: it follows. */
  const [own, setOwn] = useState<Camera | undefined>(undefined);
  const followedCamera = useMemo(() => followCamera(drawing, roomIn(drawing, size), at), [drawing, size, at]);
  const camera = own ?? followedCamera;
  const move = (change: (camera: Camera) => Camera): void => {
    setOwn((before) => change(before ?? followedCamera));
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      setSize({ width: element.clientWidth, height: element.clientHeight });
      onWidth?.(element.clientWidth);
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
  const closer = (): void => {
    zoom(1.25);
  };
  const further = (): void => {
    zoom(0.8);
  };
  const fit = (): void => {
    setOwn(fitCamera(drawing, roomIn(drawing, size)));
  };
  /** The places of fingers, or of the mouse, by pointer. */
  const touches = useRef(new Map<number, Point>());
  const moveTouch = (id: number, to: Point): boolean => {
    const from = touches.current.get(id);
    if (from === undefined) return false;
    const isMoved = Math.hypot(to.x - from.x, to.y - from.y) > 3;
    // Who clicks may tremble.
    if (!isMoved && box.current?.hasPointerCapture(id) !== true) return false;
    touches.current.set(id, to);
    const [other] = [...touches.current].filter(([each]) => each !== id).map(([, point]) => point);
    if (other === undefined) moveBy(to.x - from.x, to.y - from.y);
    else {
      const between = (point: Point): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
      zoom(between(to) / between(from), (to.x + other.x) / 2, (to.y + other.y) / 2);
    }
    return true;
  };
  return (
    <>
      <div
        ref={box}
        class="canvas"
        role="group"
        aria-label={`${label}. Arrow keys move, plus and minus zoom, 0 fits.`}
        tabIndex={0}
        onWheel={(event) => {
          event.preventDefault();
          const { x, y } = pointIn(event);
          zoom(Math.exp(-event.deltaY / 500), x, y);
        }}
        onPointerDown={(event) => {
          touches.current.set(event.pointerId, pointIn(event));
        }}
        onPointerMove={(event) => {
          if (moveTouch(event.pointerId, pointIn(event)))
            // Only then: a click is of what it is on.
            event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerUp={({ pointerId }) => {
          touches.current.delete(pointerId);
        }}
        onPointerCancel={({ pointerId }) => {
          touches.current.delete(pointerId);
        }}
        onPointerLeave={({ pointerId }) => {
          touches.current.delete(pointerId);
        }}
        onKeyDown={(event) => {
          const moves: Readonly<Record<string, () => void>> = {
            '+': closer,
            '-': further,
            '0': fit,
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
        <svg width={size.width} height={size.height} role="group" aria-label={title}>
          <g transform={`translate(${camera.x} ${camera.y}) scale(${camera.scale})`}>{children}</g>
        </svg>
      </div>
      <ZoomButtons class="zoom" closer={closer} further={further} fit={fit}>
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
      </ZoomButtons>
    </>
  );
};

/** The place of a pointer in the element that it is on. */
const pointIn = (event: MouseEvent & { readonly currentTarget: HTMLElement }): Point => {
  const { left, top } = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
};
