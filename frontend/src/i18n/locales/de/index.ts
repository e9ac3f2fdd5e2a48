import account from './account.json';
import administration from './administration.json';
import analytics from './analytics.json';
import assertions from './assertions.json';
import audit from './audit.json';
import canvas from './canvas.json';
import care from './care.json';
import chain from './chain.json';
import common from './common.json';
import components from './components.json';
import console from './console.json';
import endpoint from './endpoint.json';
import exportWords from './export.json';
import faults from './faults.json';
import findings from './findings.json';
import fixes from './fixes.json';
import glossary from './glossary.json';
import home from './home.json';
import impact from './impact.json';
import importWords from './import.json';
import inspector from './inspector.json';
import live from './live.json';
import notices from './notices.json';
import objects from './objects.json';
import operations from './operations.json';
import overlay from './overlay.json';
import review from './review.json';
import route from './route.json';
import session from './session.json';
import shell from './shell.json';
import sql from './sql.json';
import tables from './tables.json';
import topology from './topology.json';
import tour from './tour.json';
import trace from './trace.json';
import traffic from './traffic.json';
import training from './training.json';
import views from './views.json';
import whatif from './whatif.json';

export default {
  account,
  administration,
  analytics,
  assertions,
  audit,
  canvas,
  care,
  chain,
  common,
  components,
  console,
  endpoint,
  export: exportWords,
  faults,
  findings,
  fixes,
  glossary,
  home,
  impact,
  import: importWords,
  inspector,
  live,
  notices,
  objects,
  operations,
  overlay,
  review,
  route,
  session,
  shell,
  sql,
  tables,
  topology,
  tour,
  trace,
  traffic,
  training,
  views,
  whatif,
};
