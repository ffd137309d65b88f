import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import { essence } from '../../../runtime/journal/replay/compared-runs.ts';

/** A field in which two events differ. */
export interface DifferingField extends Sides<unknown> {
  readonly name: string;
}

/** The fields in which two events differ, but for times and ids, which always do. */
export const differingFields = (left: RuntimeEvent, right: RuntimeEvent): readonly DifferingField[] => {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  // The id of a request to a person is made of its run.
  names.delete('id');
  return [...names].flatMap((name) => {
    const [one, other]: readonly unknown[] = [Reflect.get(left, name), Reflect.get(right, name)];
    return essence({ [name]: one }) === essence({ [name]: other }) ? [] : [{ name, left: one, right: other }];
  });
};
