import { useEffect, useState } from 'preact/hooks';
import { untilText } from '../until.ts';

/** Until when a request waits, as time goes by. */
export const Until = ({ expiresAt }: { readonly expiresAt: number }) => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  const at = new Date(expiresAt);
  return (
    // Read out once, not every second.
    <time
      class={`until ${expiresAt - now < 60_000 ? 'soon' : ''}`}
      dateTime={at.toISOString()}
      title={at.toString()}
      aria-live="off"
    >
      {untilText(expiresAt, now)}
    </time>
  );
};
