import type { Actor } from './stage.ts';

/** Checks whether an actor is there for the run itself: its root, or a member of it, however deep. */
export const isOfRun = ({ sponsor: own }: Actor): boolean => {
  let sponsor = own;
  while (sponsor.kind === 'machine' && sponsor.port !== 'delegate') ({ sponsor } = sponsor.parent);
  return sponsor.kind === 'root';
};
