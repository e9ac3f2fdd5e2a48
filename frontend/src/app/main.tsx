// The page's first breath: styles in their order, then the router.
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@xyflow/react/dist/base.css';
import '@/theme/global.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';

import { Provider } from './provider';
import { router } from './router';

const container = document.getElementById('root');
if (container === null) {
  throw new Error('The page has no element with the id "root".');
}

createRoot(container).render(
  <StrictMode>
    <Provider>
      <RouterProvider router={router} />
    </Provider>
  </StrictMode>,
);
