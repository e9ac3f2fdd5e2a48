import { lazy, Suspense } from 'react';
import { createBrowserRouter, Navigate, Outlet } from 'react-router';

import { SessionGate } from '@/features/session/components/session-gate';
import { useFollowAddress } from '@/hooks/use-view-state';

import { FaultPage } from './pages/fault-page';
import { EstateFrame } from './shell/estate-frame';
import { PlainFrame } from './shell/plain-frame';

const TopologyPage = lazy(() => import('./pages/topology-page'));
const ConsolePage = lazy(() => import('./pages/console-page'));
const ChangesPage = lazy(() => import('./pages/changes-page'));
const ReviewPage = lazy(() => import('./pages/review-page'));
const AuditPage = lazy(() => import('./pages/audit-page'));
const LivePage = lazy(() => import('./pages/live-page'));
const FindingsPage = lazy(() => import('./pages/findings-page'));
const ImportPage = lazy(() => import('./pages/import-page'));
const StartPage = lazy(() => import('./pages/start-page'));

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
          { path: 'audit', element: <AuditPage /> },
          { path: 'findings', element: <FindingsPage /> },
        ],
      },
      { path: '*', element: <Navigate to="/" replace /> },
    ],
  },
]);
