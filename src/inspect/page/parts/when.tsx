import { clockOf, countOf } from '../figures.ts';
import { goTo } from '../page-state.ts';

/** The time of an entry; a click goes there. */
export const When = ({ n, at }: { readonly n: number; readonly at: number }) => (
  <button
    type="button"
    class="when"
    title={`Go to entry ${countOf(n)}`}
    onClick={() => {
      goTo(n + 1);
    }}
  >
    {clockOf(at).slice(0, 8)}
  </button>
);
