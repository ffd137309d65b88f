// Entry of the page: the app under StrictMode, hydrating server-rendered HTML if there is any.
import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './style.css';

const place = document.getElementById('app');
if (place === null) throw new Error('The page has no place for the app');
const app = (
  <StrictMode>
    <App />
  </StrictMode>
);
if (place.firstElementChild === null) createRoot(place).render(app);
else hydrateRoot(place, app);
