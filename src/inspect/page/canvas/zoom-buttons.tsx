import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';

interface ZoomProps {
  readonly class: string;
  readonly closer: () => void;
  readonly further: () => void;
  readonly fit: () => void;
  /** Further buttons of the group. */
  readonly children?: ComponentChildren;
}

/** The buttons that bring a drawing, or a part of the time, closer or further, or show all of it; the keys +, − and 0 do the same. */
export const ZoomButtons = ({ class: look, closer, further, fit, children }: ZoomProps) => (
  <div class={look} role="group" aria-label="Zoom">
    <button type="button" title="Closer (+)" aria-label="Closer" onClick={closer}>
      <Icon name="more" size={14} />
    </button>
    <button type="button" title="Further (−)" aria-label="Further" onClick={further}>
      <Icon name="less" size={14} />
    </button>
    <button type="button" title="All of it (0)" aria-label="All of it" onClick={fit}>
      <Icon name="fit" size={14} />
    </button>
    {children}
  </div>
);
