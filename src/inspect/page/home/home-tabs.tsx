import { homeView } from '../state/home.ts';

/** The views of all runs: each by itself, their work added up, and what starts them. */
export const HomeTabs = () => (
  <nav class="home-tabs" aria-label="All runs">
    <a href="#/runs" aria-current={homeView.value === 'runs' ? 'page' : undefined}>
      Runs
    </a>
    <a href="#/monitor" aria-current={homeView.value === 'monitor' ? 'page' : undefined}>
      Monitor
    </a>
    <a href="#/schedules" aria-current={homeView.value === 'schedules' ? 'page' : undefined}>
      Schedules
    </a>
  </nav>
);
