import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { oneLine } from '../../drawing/plain-text.ts';
import { hashOf, openingRoute } from '../state/route.ts';
import { loadReader } from './load-reader.ts';
import { openedFiles } from './opened-files.ts';
import type { GivenFile } from './read-run-file.ts';

/** The state of the last files: one that is being read, or the reasons why some are not shown. */
const notice = signal<{ readonly text: string; readonly isRefusal: boolean } | undefined>(undefined);

/** Opens files, and shows the run of a single one. */
const openFiles = async (files: readonly GivenFile[]): Promise<void> => {
  const refusals: string[] = [];
  let last: string | undefined;
  for (const file of files) {
    notice.value = { text: `Opening ${oneLine(file.name, 80)}`, isRefusal: false };
    const read = await loadReader().readRunFile(file);
    if ('refusal' in read) refusals.push(read.refusal);
    else {
      last = read.opened.row.run;
      openedFiles.value = new Map([...openedFiles.peek(), [last, read.opened]]);
    }
  }
  notice.value = refusals.length === 0 ? undefined : { text: refusals.join('. '), isRefusal: true };
  if (files.length === 1 && last !== undefined)
    location.hash = hashOf({ ...openingRoute, run: last, isFile: true });
};

/** A button that opens files with runs. */
export const OpenFile = () => {
  const box = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        title="A trace, an exported journal, or a page of a run: also dropped here. It stays in this page."
        onClick={() => {
          box.current?.click();
        }}
      >
        Open file
      </button>
      <input
        ref={box}
        type="file"
        multiple
        hidden
        aria-label="Files with runs"
        onChange={({ currentTarget }) => {
          void openFiles([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
};

export const FileNotice = () => {
  const said = notice.value;
  if (said === undefined) return null;
  return (
    <p class={`notice ${said.isRefusal ? 'bad' : ''}`} role={said.isRefusal ? 'alert' : 'status'}>
      <bdi>{said.text}</bdi>
      {said.isRefusal && (
        <button
          type="button"
          onClick={() => {
            notice.value = undefined;
          }}
        >
          Dismiss
        </button>
      )}
    </p>
  );
};

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;

/** The table as a place to drop files. */
export const fileDrop = {
  onDragOver: (event: DragEvent): void => {
    if (hasFiles(event)) event.preventDefault();
  },
  onDrop: (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    void openFiles([...(event.dataTransfer?.files ?? [])]);
  },
};
