import { render } from 'preact';
import { App } from './app.tsx';
import { begin } from './feed.ts';
import { listen } from './keyboard.ts';
import { applyTheme } from './theme.ts';

applyTheme();
listen();
render(<App />, document.body);
void begin();
