import { lazy, Suspense } from 'react';
import { createBrowserRouter, Navigate, Outlet } from 'react-router';

import { SessionGate } from '@/features/session/components/session-gate';
import { useFollowAddress } from '@/hooks/use-view-state';

import { FaultPage } from './pages/fault-page';
import { EstateFrame } from './shell/estate-frame';
import { PlainFrame } from './shell/plain-frame';

const loadTopology = () => import('./pages/topology-page');
const TopologyPage = lazy(loadTopology);
const ConsolePage = lazy(() => import('./pages/console-page'));
const ChangesPage = lazy(() => import('./pages/changes-page'));
const ReviewPage = lazy(() => import('./pages/review-page'));
const ObjectsPage = lazy(() => import('./pages/objects-page'));
const AuditPage = lazy(() => import('./pages/audit-page'));
const LivePage = lazy(() => import('./pages/live-page'));
const FindingsPage = lazy(() => import('./pages/findings-page'));
const ExportPage = lazy(() => import('./pages/export-page'));
const ImportPage = lazy(() => import('./pages/import-page'));
const AdministrationPage = lazy(() => import('./pages/administration-page'));
const AccountPage = lazy(() => import('./pages/account-page'));
const StartPage = lazy(() => import('./pages/start-page'));

if (window.location.pathname.endsWith('/topology')) {
  // Beside the estate, not after it.
  void loadTopology();
}

function Session() {
  useFollowAddress();
  return (
    <SessionGate>
      <Suspense>
        <Outlet />
      </Suspense>
    </SessionGate>
  );
}

export const router = createBrowserRouter([
  {
    element: <Session />,
    errorElement: <FaultPage />,
    children: [
      {
        element: <PlainFrame />,
        children: [
          { index: true, element: <StartPage /> },
          { path: 'import', element: <ImportPage /> },
          { path: 'administration', element: <AdministrationPage /> },
          { path: 'account', element: <AccountPage /> },
        ],
      },
      {
        path: 'estates/:estate',
        element: <EstateFrame />,
        children: [
          { index: true, element: <Navigate to="topology" replace /> },
          { path: 'topology', element: <TopologyPage /> },
          { path: 'console', element: <ConsolePage /> },
          { path: 'live', element: <LivePage /> },
          { path: 'changes', element: <ChangesPage /> },
          { path: 'changes/:number', element: <ReviewPage /> },
          { path: 'objects/:kind?', element: <ObjectsPage /> },
          { path: 'audit', element: <AuditPage /> },
          { path: 'findings', element: <FindingsPage /> },
          { path: 'export', element: <ExportPage /> },
        ],
      },
      { path: '*', element: <Navigate to="/" replace /> },
    ],
  },
]);
