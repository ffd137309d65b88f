import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface MenuProps {
  readonly name: string;
  readonly kind?: string;
  readonly children: ComponentChildren;
}

/** A button with what it opens below it, until Escape is pressed or the focus goes elsewhere. */
export const Menu = ({ name, kind = '', children }: MenuProps) => {
  const box = useRef<HTMLDetailsElement>(null);
  return (
    <details
      ref={box}
      class={`menu ${kind}`}
      onKeyDown={(event) => {
        const { current } = box;
        if (event.key !== 'Escape' || current?.open !== true) return;
        // Elsewhere the key also takes the focus away.
        event.stopPropagation();
        current.open = false;
        current.querySelector('summary')?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        const { current } = box;
        if (current !== null && relatedTarget instanceof Node && !current.contains(relatedTarget))
          current.open = false;
      }}
    >
      <summary>{name}</summary>
      <div>{children}</div>
    </details>
  );
};
