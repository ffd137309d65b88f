import { homeView } from '../state/home.ts';

/** The two views of all runs: each by itself, and their work added up. */
export const HomeTabs = () => (
  <nav class="home-tabs" aria-label="All runs">
    <a href="#/runs" aria-current={homeView.value === 'runs' ? 'page' : undefined}>
      Runs
    </a>
    <a href="#/monitor" aria-current={homeView.value === 'monitor' ? 'page' : undefined}>
      Monitor
    </a>
  </nav>
);
