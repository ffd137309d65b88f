import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import Chart from './chart.vue';
import Playground from './playground.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('Chart', Chart);
    app.component('Playground', Playground);
  },
} satisfies Theme;
