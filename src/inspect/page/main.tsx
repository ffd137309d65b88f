import { render } from 'preact';
import { App } from './app.tsx';
import { begin } from './feed.ts';
import { followNext } from './process/follow-next.ts';
import { hideToken, openAddress } from './state/address.ts';
import { keepNotices } from './state/notices.ts';
import { keepTitle } from './state/title.ts';
import { listen } from './keyboard.ts';
import { applyTheme } from './theme.ts';

hideToken();
applyTheme();
keepTitle();
listen();
render(<App />, document.body);
void begin(async () => {
  await openAddress();
  followNext();
  keepNotices();
});
