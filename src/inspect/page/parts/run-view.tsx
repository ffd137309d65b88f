import { embedded } from '../page-state.ts';
import { valueText } from '../transcript.ts';
import { Text } from './text.tsx';

/** The account of an exported run, and the damage to its log. */
export const RunView = () => {
  const { account, damage = [] } = embedded.value ?? {};
  return (
    <div class="run-account scroll" tabIndex={0}>
      {damage.length > 0 && (
        <>
          <h4>Damage</h4>
          <pre>
            <Text value={valueText(damage)} />
          </pre>
        </>
      )}
      <pre>
        <Text value={valueText(account)} />
      </pre>
    </div>
  );
};
