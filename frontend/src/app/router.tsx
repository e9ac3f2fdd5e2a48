import { lazy } from 'react';
import { createBrowserRouter, Navigate, redirect, type LoaderFunctionArgs } from 'react-router';

import { SessionGate } from '@/features/session/components/session-gate';
import { useSandbox } from '@/hooks/use-sandbox';
import { useFollowAddress } from '@/hooks/use-view-state';

import { FaultPage, PageFault } from './pages/fault-page';
import { loadMap } from './pages/load-map';
import { EstatePages } from './shell/estate-pages';
import { Frame } from './shell/frame';
import { PageTitle } from './shell/page-title';

const TopologyPage = lazy(loadMap);
const OverviewPage = lazy(() => import('./pages/overview-page'));
const ConsolePage = lazy(() => import('./pages/console-page'));
const SqlPage = lazy(() => import('./pages/sql-page'));
const ChangesPage = lazy(() => import('./pages/changes-page'));
const ReviewPage = lazy(() => import('./pages/review-page'));
const ObjectsPage = lazy(() => import('./pages/objects-page'));
const AuditPage = lazy(() => import('./pages/audit-page'));
const LivePage = lazy(() => import('./pages/live-page'));
const WhatIfPage = lazy(() => import('./pages/what-if-page'));
const QuestionsPage = lazy(() => import('./pages/questions-page'));
const TrafficPage = lazy(() => import('./pages/traffic-page'));
const FindingsPage = lazy(() => import('./pages/findings-page'));
const AssertionsPage = lazy(() => import('./pages/assertions-page'));
const FaultsPage = lazy(() => import('./pages/faults-page'));
const AnalyticsPage = lazy(() => import('./pages/analytics-page'));
const AnalyticsRunPage = lazy(() => import('./pages/analytics-run-page'));
const AnalyticsComparePage = lazy(() => import('./pages/analytics-compare-page'));
const ExportPage = lazy(() => import('./pages/export-page'));
const ImportPage = lazy(() => import('./pages/import-page'));
const AdministrationPage = lazy(() => import('./pages/administration-page'));
const TrainingPage = lazy(() => import('./pages/training-page'));
const TrainingLessonPage = lazy(() => import('./pages/training-lesson-page'));
const SandboxMapPage = lazy(() => import('./pages/sandbox-map-page'));
const TrainingRunPage = lazy(() => import('./pages/training-run-page'));
const AccountPage = lazy(() => import('./pages/account-page'));
const NotFoundPage = lazy(() => import('./pages/not-found-page'));
const FirstPage = lazy(() => import('./pages/start-page'));
const StartPage = lazy(async () => ({ default: (await import('./pages/start-page')).StartPage }));

if (window.location.pathname.endsWith('/topology')) {
  // Beside the estate, not after it.
  void loadMap();
}

/** Of an estate it is edited; that of a sandbox is for reading. */
function MapPage() {
  return useSandbox() === null ? <TopologyPage /> : <SandboxMapPage />;
}

function Session() {
  useFollowAddress();
  return (
    <SessionGate>
      <PageTitle />
      <Frame />
    </SessionGate>
  );
}

function toFirstView({ request }: LoaderFunctionArgs): Response {
  return redirect(`${new URL(request.url).pathname.replace(/\/$/, '')}/conversations`);
}

export const router = createBrowserRouter([
  {
    element: <Session />,
    errorElement: <FaultPage />,
    children: [
      {
        errorElement: <PageFault />,
        children: [
          { index: true, element: <FirstPage /> },
          { path: 'start', element: <StartPage /> },
          { path: 'import', element: <ImportPage /> },
          { path: 'administration', element: <AdministrationPage /> },
          { path: 'account', element: <AccountPage /> },
          { path: 'training', element: <TrainingPage /> },
          { path: 'training/lessons/:lesson', element: <TrainingLessonPage /> },
          { path: 'training/:run', element: <TrainingRunPage /> },
          {
            path: 'estates/:estate',
            element: <EstatePages />,
            children: [
              {
                // Within the estate: its live connection goes on while a page of it fails.
                errorElement: <PageFault />,
                children: [
                  { index: true, element: <Navigate to="topology" replace /> },
                  { path: 'overview', element: <OverviewPage /> },
                  { path: 'topology', element: <MapPage /> },
                  { path: 'console', element: <ConsolePage /> },
                  { path: 'sql', element: <SqlPage /> },
                  // Before anything is shown: whoever clicks at once on another page would be fetched back.
                  { path: 'live', loader: toFirstView },
                  { path: 'live/:view', element: <LivePage /> },
                  { path: 'whatif', element: <WhatIfPage /> },
                  { path: 'whatif/questions', element: <QuestionsPage /> },
                  { path: 'traffic', element: <TrafficPage /> },
                  { path: 'changes', element: <ChangesPage /> },
                  { path: 'changes/:number', element: <ReviewPage /> },
                  { path: 'objects/:kind?', element: <ObjectsPage /> },
                  { path: 'audit', element: <AuditPage /> },
                  { path: 'findings', element: <FindingsPage /> },
                  { path: 'assertions', element: <AssertionsPage /> },
                  { path: 'faults', element: <FaultsPage /> },
                  { path: 'analytics', element: <AnalyticsPage /> },
                  { path: 'analytics/compare', element: <AnalyticsComparePage /> },
                  { path: 'analytics/runs/:run', element: <AnalyticsRunPage /> },
                  { path: 'export', element: <ExportPage /> },
                  { path: '*', element: <NotFoundPage /> },
                ],
              },
            ],
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);
