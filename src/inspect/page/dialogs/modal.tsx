import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';

interface ModalProps {
  /** Its name, and what its head says unless a title is given. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly class: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** True where the keys of the page below are not meant. */
  readonly keepsKeys?: boolean | undefined;
  readonly children: ComponentChildren;
}

/** A dialog over the page, with a head and a button that closes it; what is in it is there while it is open. */
export const Modal = ({
  name,
  title = name,
  class: look,
  isOpen,
  close,
  keepsKeys = false,
  children,
}: ModalProps) => {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (isOpen && box.current?.open === false) box.current.showModal();
    else if (!isOpen) box.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={box}
      class={look}
      aria-label={name}
      onClose={close}
      onKeyDown={(event) => {
        if (keepsKeys) event.stopPropagation();
      }}
    >
      {isOpen && (
        <>
          <header>
            <h2>{title}</h2>
            <button type="button" class="plain" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </header>
          {children}
        </>
      )}
    </dialog>
  );
};
