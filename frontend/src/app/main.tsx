// The page's first breath: styles in their order, then the router.
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
// In a layer: a component's own styles win over the library's, in whatever order the files of the built page come.
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import '@xyflow/react/dist/base.css';
import '@/theme/global.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';

import { startI18n } from '@/i18n';

import { prefetchMap } from './prefetch';
import { Provider } from './provider';
import { router } from './router';

const container = document.getElementById('root');
if (container === null) {
  throw new Error('The page has no element with the id "root".');
}

await startI18n();
prefetchMap(window.location);

createRoot(container).render(
  <StrictMode>
    <Provider>
      <RouterProvider router={router} />
    </Provider>
  </StrictMode>,
);
